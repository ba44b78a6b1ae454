// The server's part of an image: connections and their pending bytes, the serving order, the socket's path, the
// configuration in force. A value: it touches no descriptor and knows only their numbers.

import HubCore
import HubEngine

/// The kinds of the server's frames. The rules of `ImageKind` for fields and kinds apply here, too.
enum ServerImageKind: UInt8 {
  case program = 0x20
  case settings = 0x21
  case declaration = 0x22
  case connection = 0x23
  case ready = 0x24
  case yielding = 0x25
  case socket = 0x26
  case poller = 0x27
  case caller = 0x28
  case journal = 0x29
  case furtherSocket = 0x2A
}

struct ServerImage: Equatable {
  struct Connection: Equatable {
    /// No image contains an ended session.
    enum State: UInt8 {
      case open = 1
      /// No more requests of it are read.
      case finishing = 2
    }

    /// Where bytes for the client go: to the socket, to the queue, nowhere.
    enum Flow: UInt8 {
      case open = 0
      case blocked = 1
      case gone = 2
    }

    var descriptor: Int32
    var peer: Peer
    var state: State
    var flow: Flow
    var isReady = false
    var isArmed = false
    var sendsNoMore = false
    var isExtra = false
    /// In CLOCK_BOOTTIME nanoseconds; 0: it has said hello, or the previous hub had no such limit.
    var helloDeadline: UInt64 = 0
    var input: [UInt8] = []
    var output: [UInt8] = []
    /// `output` starts with this many of a frame's last bytes.
    var cut = 0
  }

  /// A socket that the hub bound itself.
  struct BoundSocket: Equatable {
    var path: String
    var listener: Int32
    /// -1: the lock ends with the process.
    var lock: Int32
    var device: UInt64
    var inode: UInt64
  }

  /// One of the configuration's `sockets` that the hub bound itself.
  struct FurtherSocket: Equatable {
    var name: String
    var socket: BoundSocket
  }

  /// A session that waits for the end of a reload.
  struct Caller: Equatable {
    var connection: Int32
    var request: UInt32
  }

  /// The version of the program that wrote the image.
  var release = ""
  /// The options from the hub's start, or from its last reload.
  var settings = ServerOptions(socketPath: "", isSystem: false)
  var connections: [Connection] = []
  /// In serving order.
  var ready: [Int32] = []
  var yielding: [Int32] = []
  var socket: BoundSocket?
  var furtherSockets: [FurtherSocket] = []
  /// The epoll instance, which survives the program in a reload.
  var poller: Int32?
  var callers: [Caller] = []
  var journal: JournalImage?

  /// Maps every descriptor to another number.
  mutating func renumber(_ number: (Int32) -> Int32) {
    for index in connections.indices { connections[index].descriptor = number(connections[index].descriptor) }
    ready = ready.map(number)
    yielding = yielding.map(number)
    for index in callers.indices { callers[index].connection = number(callers[index].connection) }
    if let listener = socket?.listener { socket?.listener = number(listener) }
    for index in furtherSockets.indices {
      furtherSockets[index].socket.listener = number(furtherSockets[index].socket.listener)
    }
    journal?.renumber(number)
  }
}

// MARK: - Writing

extension ServerImage {
  func write(to image: inout ImageWriter) {
    image.frame(ServerImageKind.program.rawValue) { $0.append(short: release) }
    settings.write(to: &image)
    for connection in connections {
      image.frame(ServerImageKind.connection.rawValue) { connection.write(to: &$0) }
    }
    for (kind, list) in [(ServerImageKind.ready, ready), (.yielding, yielding)] {
      image.frame(kind.rawValue) { out in for descriptor in list { out.append(descriptor) } }
    }
    if let socket { image.frame(ServerImageKind.socket.rawValue) { socket.write(to: &$0) } }
    for further in furtherSockets {
      image.frame(ServerImageKind.furtherSocket.rawValue) { out in
        further.socket.write(to: &out)
        out.append(short: further.name)
      }
    }
    if let poller { image.frame(ServerImageKind.poller.rawValue) { $0.append(poller) } }
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
    out.append(listener)
    out.append(lock)
    out.append(device)
    out.append(inode)
    out.append(short: path)
  }

  init(reading reader: inout ByteReader) {
    (listener, lock) = (reader.integer(), reader.integer())
    (device, inode) = (reader.integer(), reader.integer())
    path = reader.shortBytes().text
  }
}

extension ServerImage.Connection {
  private enum Flag {
    static let isReady: UInt8 = 1 << 0
    static let isArmed: UInt8 = 1 << 1
    static let sendsNoMore: UInt8 = 1 << 2
    static let isExtra: UInt8 = 1 << 3
  }

  func write(to out: inout OutputBuffer) {
    out.append(descriptor)
    out.append(peer.pid)
    out.append(peer.uid)
    out.append(peer.gid)
    out.append(state.rawValue)
    out.append(flow.rawValue)
    out.append(
      (isReady ? Flag.isReady : 0) | (isArmed ? Flag.isArmed : 0) | (sendsNoMore ? Flag.sendsNoMore : 0)
        | (isExtra ? Flag.isExtra : 0))
    out.append(UInt32(input.count))
    out.append(input)
    out.append(UInt32(cut))
    out.append(UInt32(output.count))
    out.append(output)
    out.append(helloDeadline)
  }

  init?(reading reader: inout ByteReader) {
    descriptor = reader.integer()
    peer = Peer(pid: reader.integer(), uid: reader.integer(), gid: reader.integer())
    guard let state = State(rawValue: reader.integer()), let flow = Flow(rawValue: reader.integer()),
      descriptor > 2
    else { return nil }
    (self.state, self.flow) = (state, flow)
    let flags = reader.integer(UInt8.self)
    isReady = flags & Flag.isReady != 0
    isArmed = flags & Flag.isArmed != 0
    sendsNoMore = flags & Flag.sendsNoMore != 0
    isExtra = flags & Flag.isExtra != 0
    input = reader.bytes(Int(reader.integer(UInt32.self))).array
    cut = Int(reader.integer(UInt32.self))
    output = reader.bytes(Int(reader.integer(UInt32.self))).array
    if reader.remaining >= 8 { helloDeadline = reader.integer() }
    if reader.failed || !hasWholeOutput { return nil }
  }

  /// Whether whole frames follow the rest of the cut one.
  private var hasWholeOutput: Bool {
    if cut > output.count { return false }
    return Array(output[cut...]).withByteView { bytes in
      var frames = FrameCursor(bytes)
      while frames.next() != nil {}
      return frames.isAtEnd
    }
  }
}

// MARK: - Reading

extension ServerImage {
  /// Reads the server's part of an image's frames; the others are skipped.
  init(reading body: ByteView) throws(ImageError) {
    var frames = ImageReader(body)
    var known: Set<Int32> = []
    while let frame = try frames.next() {
      var reader = ByteReader(frame.payload)
      var isSound = true
      switch ServerImageKind(rawValue: frame.rawKind) {
      case .program: release = reader.shortBytes().text
      case .settings: isSound = settings.read(&reader)
      case .declaration: isSound = settings.readDeclaration(&reader)
      case .connection:
        if let connection = Connection(reading: &reader), known.insert(connection.descriptor).inserted {
          connections.append(connection)
        } else {
          isSound = false
        }
      case .ready: ready = ServerImage.list(&reader)
      case .yielding: yielding = ServerImage.list(&reader)
      case .socket: socket = BoundSocket(reading: &reader)
      case .furtherSocket:
        let socket = BoundSocket(reading: &reader)
        furtherSockets.append(FurtherSocket(name: reader.shortBytes().text, socket: socket))
      case .poller: poller = reader.integer()
      case .caller: callers.append(Caller(connection: reader.integer(), request: reader.integer()))
      case .journal:
        journal = JournalImage(reading: &reader)
        isSound = journal != nil
      case nil: break
      }
      if reader.failed || !isSound { throw ImageError("the image contradicts itself") }
    }
    guard (ready + yielding + callers.map(\.connection)).allSatisfy(known.contains) else {
      throw ImageError("the image speaks of connections that it does not hold")
    }
  }

  private static func list(_ reader: inout ByteReader) -> [Int32] {
    var list: [Int32] = []
    while reader.remaining > 0, !reader.failed { list.append(reader.integer()) }
    return list
  }
}
