// Owns the entry point of libFuzzer for the macros: every input is a source, for every macro and role.

/// Called by libFuzzer; what `Expectation` objects to is a crash, which libFuzzer keeps as a file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let source = String(validating: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  else { return -1 }
  for (macro, role) in Expectation.all {
    if let complaint = Expectation.check(source, macro, role) { fatalError(complaint) }
  }
  return 0
}
