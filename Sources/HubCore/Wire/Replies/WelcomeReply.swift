// `welcome`: the answer to `hello`.

/// The hub's identity.
public struct Welcome: Hashable, Sendable {
  /// The version of the protocol that the connection uses.
  public var version: UInt16
  /// Bits for optional features; none are defined yet.
  public var capabilities: UInt64
  /// The epoch of the hub's revisions.
  public var epoch: Epoch
  /// The hub's newest revision.
  public var revision: Revision
  /// The longest frame that the hub accepts, header included.
  public var maximumFrameLength: UInt32
  /// The hub's process.
  public var pid: UInt32
  /// The daemon's own version.
  public var release: String

  package init(
    version: UInt16, capabilities: UInt64, epoch: Epoch, revision: Revision, maximumFrameLength: UInt32,
    pid: UInt32,
    release: String
  ) {
    self.version = version
    self.capabilities = capabilities
    self.epoch = epoch
    self.revision = revision
    self.maximumFrameLength = maximumFrameLength
    self.pid = pid
    self.release = release
  }
}

extension Welcome {
  init(reading reader: inout ByteReader) {
    let version = reader.integer(UInt16.self)
    let capabilities = reader.integer(UInt64.self)
    let epoch = reader.epoch()
    self.init(
      version: version, capabilities: capabilities, epoch: epoch, revision: reader.integer(),
      maximumFrameLength: reader.integer(), pid: reader.integer(), release: reader.shortBytes().text)
  }
}

extension OutputBuffer {
  package mutating func append(_ welcome: Welcome) {
    append(welcome.version)
    append(welcome.capabilities)
    append(welcome.epoch)
    append(welcome.revision)
    append(welcome.maximumFrameLength)
    append(welcome.pid)
    append(short: welcome.release)
  }
}
