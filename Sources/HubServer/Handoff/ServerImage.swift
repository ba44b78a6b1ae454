// The server's part of an image: connections and their pending bytes, the sockets' paths, the current configuration. A value:
// it touches no descriptor and knows only their numbers.

import HubCore
import HubEngine

/// The kinds of the server's frames.
enum ServerImageKind: UInt8 {
  case program = 0x20
  case settings = 0x21
  case declaration = 0x22
  case connection = 0x23
  case socket = 0x24
  case caller = 0x25
  case journal = 0x26
}

struct ServerImage: Equatable {
  struct Connection: Equatable {
    struct Flags: OptionSet {
      var rawValue: UInt8
      /// Otherwise no more requests of it are read. No image contains an ended session.
      static let isOpen = Flags(rawValue: 1 << 0)
      static let isReady = Flags(rawValue: 1 << 1)
      static let isYielding = Flags(rawValue: 1 << 2)
      static let isArmed = Flags(rawValue: 1 << 3)
      static let sendsNoMore = Flags(rawValue: 1 << 4)
      static let isExtra = Flags(rawValue: 1 << 5)
    }

    /// Where bytes for the client go: to the socket, to the queue, nowhere.
    enum Flow: UInt8 {
      case open = 0
      case blocked = 1
      case gone = 2
    }

    var descriptor: Int32
    var flags: Flags = []
    var flow: Flow
    /// In CLOCK_BOOTTIME nanoseconds; 0: it has said hello.
    var helloDeadline: UInt64 = 0
    var input: [UInt8] = []
    var output: [UInt8] = []
    /// `output` starts with this many of a frame's last bytes.
    var cut = 0
  }

  /// A socket that the hub bound itself.
  struct BoundSocket: Equatable {
    /// In the configuration's `sockets`; empty: it is the hub's own socket.
    var name: String
    var path: String
    var listener: Int32
    /// -1: the lock ends with the process.
    var lock: Int32
    var device: UInt64
    var inode: UInt64
  }

  /// A session that waits for the end of a reload.
  struct Caller: Equatable {
    var connection: Int32
    var request: UInt32
  }

  /// The version of the program that wrote the image.
  var release = ""
  /// The epoll instance, which survives the program in an upgrade; -1: it does not.
  var poller: Int32 = -1
  /// The options from the hub's start, or from its last reload.
  var settings = ServerOptions(socketPath: "", isSystem: false)
  var connections: [Connection] = []
  var sockets: [BoundSocket] = []
  var callers: [Caller] = []
  var journal: JournalImage?

  /// Maps every descriptor to another number.
  mutating func renumber(_ number: (Int32) -> Int32) {
    for index in connections.indices { connections[index].descriptor = number(connections[index].descriptor) }
    for index in callers.indices { callers[index].connection = number(callers[index].connection) }
    for index in sockets.indices { sockets[index].listener = number(sockets[index].listener) }
    journal?.renumber(number)
  }
}

// MARK: - Writing

extension ServerImage {
  func write(to image: inout ImageWriter) {
    image.frame(ServerImageKind.program.rawValue) { out in
      out.append(short: release)
      out.append(poller)
    }
    settings.write(to: &image)
    for connection in connections {
      image.frame(ServerImageKind.connection.rawValue) { connection.write(to: &$0) }
    }
    for socket in sockets {
      image.frame(ServerImageKind.socket.rawValue) { socket.write(to: &$0) }
    }
    if let journal { image.frame(ServerImageKind.journal.rawValue) { journal.write(to: &$0) } }
    for caller in callers {
      image.frame(ServerImageKind.caller.rawValue) { out in
        out.append(caller.connection)
        out.append(caller.request)
      }
    }
  }
}

extension ServerImage.BoundSocket {
  func write(to out: inout OutputBuffer) {
    out.append(short: name)
    out.append(listener)
    out.append(lock)
    out.append(device)
    out.append(inode)
    out.append(short: path)
  }

  init(reading reader: inout ByteReader) {
    name = reader.shortBytes().text
    (listener, lock) = (reader.integer(), reader.integer())
    (device, inode) = (reader.integer(), reader.integer())
    path = reader.shortBytes().text
  }
}

extension ServerImage.Connection {
  func write(to out: inout OutputBuffer) {
    out.append(descriptor)
    out.append(flags.rawValue)
    out.append(flow.rawValue)
    out.append(helloDeadline)
    out.append(UInt32(input.count))
    out.append(input)
    out.append(UInt32(cut))
    out.append(UInt32(output.count))
    out.append(output)
  }

  init?(reading reader: inout ByteReader) {
    descriptor = reader.integer()
    flags = Flags(rawValue: reader.integer())
    guard let flow = Flow(rawValue: reader.integer()), descriptor > 2 else { return nil }
    self.flow = flow
    helloDeadline = reader.integer()
    input = reader.bytes(Int(reader.integer(UInt32.self))).array
    cut = Int(reader.integer(UInt32.self))
    output = reader.bytes(Int(reader.integer(UInt32.self))).array
    if reader.failed || !hasWholeOutput { return nil }
  }

  /// Whether whole frames follow the rest of the cut one.
  private var hasWholeOutput: Bool {
    if output.isEmpty { return cut == 0 }
    if cut > output.count { return false }
    return output.withByteView { bytes in
      var frames = FrameCursor(bytes.suffix(from: cut))
      while frames.next() != nil {}
      return frames.isAtEnd
    }
  }
}

// MARK: - Reading

extension ServerImage {
  /// Reads the server's part of an image's frames; the engine's are skipped.
  init(reading body: ByteView) throws(ImageError) {
    var frames = ImageReader(body)
    var known: Set<Int32> = []
    while let frame = try frames.next() {
      if frame.rawKind < ImageFormat.firstForeignKind { continue }
      var reader = ByteReader(frame.payload)
      var isSound = true
      switch ServerImageKind(rawValue: frame.rawKind) {
      case .program: (release, poller) = (reader.shortBytes().text, reader.integer())
      case .settings: isSound = settings.read(&reader)
      case .declaration: isSound = settings.readDeclaration(&reader)
      case .connection:
        let connection = Connection(reading: &reader)
        isSound = connection.map { known.insert($0.descriptor).inserted } ?? false
        if let connection { connections.append(connection) }
      case .socket: sockets.append(BoundSocket(reading: &reader))
      case .caller: callers.append(Caller(connection: reader.integer(), request: reader.integer()))
      case .journal:
        journal = JournalImage(reading: &reader)
        isSound = journal != nil
      case nil: isSound = false
      }
      if reader.failed || !isSound { throw ImageError("the image is inconsistent") }
    }
    guard callers.allSatisfy({ known.contains($0.connection) }) else {
      throw ImageError("the image refers to connections that it does not contain")
    }
  }
}
