// `error`: the answer to a request that was not executed.

extension HubError {
  init(reading reader: inout ByteReader) {
    // A client does not fail on the code of a later version: it still gets the message.
    let code = Code(rawValue: reader.integer()) ?? .notSupported
    let operation = Int(reader.integer(UInt16.self))
    let revision = reader.integer(Revision.self)
    let store = reader.shortBytes()
    self.init(
      code, store: store.isEmpty ? nil : store.text, reader.mediumBytes().text, revision: revision,
      operation: operation)
  }
}

extension OutputBuffer {
  package mutating func append(_ error: HubError) {
    append(error.code.rawValue)
    append(UInt16(clamping: error.operation))
    append(error.revision)
    append(short: error.store ?? "")
    append(medium: error.message)
  }
}
