// `hello`: the first frame of a connection, with the protocol versions that the client supports, and its name.

package struct HelloCommand: RequestCommand {
  let magic: UInt32
  package let minimumVersion: UInt16
  package let maximumVersion: UInt16
  let capabilities: UInt64
  package let name: String

  package static let effect = RequestEffect.immediate

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    magic = reader.integer()
    minimumVersion = reader.integer()
    maximumVersion = reader.integer()
    capabilities = reader.integer()
    // A name that is not UTF-8 is refused, not repaired.
    guard let name = String(validating: reader.shortBytes().buffer, as: UTF8.self) else { return nil }
    self.name = name
    if reader.failed || magic != Frame.magic { return nil }
  }

  package func request() -> Request {
    .hello(
      minimumVersion: minimumVersion, maximumVersion: maximumVersion, capabilities: capabilities, name: name)
  }

  static func encode(
    _ minimumVersion: UInt16, _ maximumVersion: UInt16, _ capabilities: UInt64, _ name: String, _ id: UInt32,
    into out: inout OutputBuffer
  ) {
    out.frame(RequestKind.hello.rawValue, request: id) { out in
      out.append(Frame.magic)
      out.append(minimumVersion)
      out.append(maximumVersion)
      out.append(capabilities)
      out.append(short: name)
    }
  }
}
