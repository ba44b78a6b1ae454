// Owns what libFuzzer checks of the JSON reader: no input crashes it, and its ways of reading agree.

import HubCore

@c(LLVMFuzzerTestOneInput)
public func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = UnsafeBufferPointer(start: start, count: count)
  let validated = Result { () throws(JSONError) in try JSON.validate(UnsafeRawBufferPointer(text)) }
  let parsed = Result { () throws(JSONError) in try JSON.parse(text.span) }
  var duplicates: [JSONError] = []
  let lenient = Result { () throws(JSONError) in
    try JSON.parseConfiguration(text.span, duplicates: &duplicates)
  }

  switch (validated, parsed) {
  case (.success, .success(let value)):
    precondition((try? lenient.get()) == value, "a configuration may hold whatever strict JSON may")
    check(value)
  case (_, .failure(let error)) where error.reason == .loneSurrogate:
    // It is JSON, but no text that a tree can hold: only the validator continues behind it.
    check(error, in: text)
  case (.failure(let left), .failure(let right)):
    precondition(left == right, "validator and parser must give the same reason")
    check(left, in: text)
    if case .success(let value) = lenient { check(value) }
  default:
    preconditionFailure("validator and parser disagree")
  }
  if case .failure(let error) = lenient { check(error, in: text) }
  for error in duplicates { check(error, in: text) }
  return 0
}

/// What was read can be written, and reads as the same again.
private func check(_ value: JSONValue) {
  var writer = JSONWriter()
  writer.value(value)
  precondition((try? JSON.parse(writer.bytes.span)) == value, "the written tree must read as itself")
}

private func check(_ error: JSONError, in text: UnsafeBufferPointer<UInt8>) {
  precondition(0...text.count ~= error.position.offset, "the error must lie in the text")
  precondition(error.position.line >= 1 && error.position.column >= 1)
  precondition(!error.description.isEmpty)
}
