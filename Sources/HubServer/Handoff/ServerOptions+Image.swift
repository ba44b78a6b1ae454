// The configuration in force, as an image holds it, and what of a new one has to wait until nobody is connected.

import HubCore

extension ServerOptions {
  func write(to image: inout ImageWriter) {
    image.frame(ServerImageKind.settings.rawValue) { out in
      out.append(short: socketPath)
      out.append(isSystem ? 1 : 0 as UInt8)
      out.append(UInt64(maxClients))
      out.append(UInt64(heldBytes))
      out.append(UInt64(stopMilliseconds))
      out.append(UInt8(logLevel.rawValue))
      out.append(engine.strict ? 1 : 0 as UInt8)
      out.append(engine.defaultDurability.rawValue)
      out.append(UInt64(engine.maximumFrameLength))
      out.append(UInt64(engine.changeLogBytes))
      out.append(UInt64(engine.maximumStores))
      out.append(UInt64(engine.maximumValueBytes))
      out.append(UInt64(engine.maximumWatches))
      out.append(UInt64(engine.rememberedRemovals))
      out.append(medium: stateDirectory ?? "")
      out.append(UInt64(journalBytes))
      out.append(UInt64(helloMilliseconds))
    }
    for declaration in declarations {
      image.frame(ServerImageKind.declaration.rawValue) { out in
        out.append(short: declaration.name.text)
        out.append(declaration.schema)
      }
    }
  }

  /// - Returns: false if what is written there are no settings.
  mutating func read(_ reader: inout ByteReader) -> Bool {
    func count(_ range: ClosedRange<Int>) -> Int? {
      let number = reader.integer(UInt64.self)
      return Int(exactly: number).flatMap { range.contains($0) ? $0 : nil }
    }
    socketPath = reader.shortBytes().text
    isSystem = reader.integer(UInt8.self) != 0
    guard let clients = count(1...1 << 20), let held = count(0...Int.max), let stop = count(0...Int.max),
      let level = LogLevel(rawValue: Int(reader.integer(UInt8.self)))
    else { return false }
    (maxClients, heldBytes, stopMilliseconds, logLevel) = (clients, held, stop, level)
    engine.strict = reader.integer(UInt8.self) != 0
    guard let durability = Durability(rawValue: reader.integer()),
      let frame = count(1024...Int(UInt32.max)), let log = count(64...1 << 40),
      let stores = count(0...Int.max), let values = count(0...Int.max), let watches = count(0...Int.max),
      let removals = count(0...Int.max)
    else { return false }
    engine.defaultDurability = durability
    engine.maximumFrameLength = frame
    engine.changeLogBytes = log
    engine.maximumStores = stores
    engine.maximumValueBytes = values
    engine.maximumWatches = watches
    engine.rememberedRemovals = removals
    let directory = reader.remaining > 0 ? reader.mediumBytes().text : ""
    stateDirectory = directory.isEmpty ? nil : directory
    return readAdditions(&reader)
  }

  /// What older images lack keeps its default.
  private mutating func readAdditions(_ reader: inout ByteReader) -> Bool {
    func isThere(_ length: Int) -> Bool { reader.remaining >= length }
    if isThere(8) { journalBytes = Int(clamping: reader.integer(UInt64.self)) }
    if isThere(8) {
      let milliseconds = Int(clamping: reader.integer(UInt64.self))
      guard ConfigurationRange.helloMilliseconds ~= milliseconds else { return false }
      helloMilliseconds = milliseconds
    }
    return true
  }

  mutating func readDeclaration(_ reader: inout ByteReader) -> Bool {
    let name = try? StoreName(reader.shortBytes().text)
    guard let name, let schema = reader.schema() else { return false }
    declarations.append(StoreDeclaration(name: name, schema: schema))
    return true
  }

  /// Takes back what clients that are connected could not live with.
  ///
  /// - Parameter inForce: the settings under which they connected.
  /// - Returns: what a person should know about it.
  mutating func keepWhatMustStay(of inForce: ServerOptions) -> [String] {
    var notes: [String] = []
    func keep<Setting: Equatable>(_ name: String, _ setting: WritableKeyPath<ServerOptions, Setting>) {
      guard self[keyPath: setting] != inForce[keyPath: setting] else { return }
      notes.append(
        "\(name): the change from \(inForce[keyPath: setting]) to \(self[keyPath: setting]) waits until the hub "
          + "is stopped and started")
      self[keyPath: setting] = inForce[keyPath: setting]
    }
    keep("socket", \.socketPath)
    // Clients were told how long their frames may be, and how long those will be that they get.
    keep("maxFrameBytes", \.engine.maximumFrameLength)
    if stateDirectory != inForce.stateDirectory {
      let (old, new) = (inForce.stateDirectory ?? "none", stateDirectory ?? "none")
      notes.append(
        "stateDirectory: the change from \(old) to \(new) waits until the hub is stopped and started")
      stateDirectory = inForce.stateDirectory
    }
    // The journal would have to be told of every store.
    if stateDirectory != nil { keep("durability", \.engine.defaultDurability) }
    isSystem = inForce.isSystem
    return notes
  }
}
