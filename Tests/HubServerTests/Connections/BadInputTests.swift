// What clients can get wrong, over real sockets: each gets a clear answer or a clean end, and no other client notices.

import Glibc
import HubCore
import HubEngine
import TestSupport
import Testing

@Suite("Bad input", .blocking)
struct BadInputTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess
  /// A well-behaved client, which must be served whatever the others do.
  private let witness: RawClient

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory)
    witness = try hub.connect()
    _ = try witness.call(.set("witness", .integer(1)))
  }

  private func checkWitness() throws {
    guard case .value(let state) = try witness.call(.get("witness")) else { throw TestFailure("no value") }
    #expect(state.value == .integer(1))
    #expect(hub.process.poll(milliseconds: 0) == nil, "the hub lives on")
  }

  /// The error that the hub ended the connection with, after `answers` proper replies.
  private func finalError(of client: RawClient, answers: Int = 0) throws -> HubError {
    let messages = try client.messagesUntilEnd()
    let replies = messages.compactMap { message -> Reply? in
      if case .reply(_, let reply) = message { reply } else { nil }
    }
    #expect(replies.count == answers + 1)
    guard case .error(let error) = replies.last else {
      throw TestFailure("ended without an error: \(messages)")
    }
    return error
  }

  @Test("requests that arrive one byte at a time are answered")
  func byteAtATime() throws {
    let client = try RawClient(to: hub.socket)
    var bytes = RawClient.bytes(.hello(name: "slow"), id: 1)
    bytes += RawClient.bytes(.set("a.b", .string("value")), id: 2)
    bytes += RawClient.bytes(.get("a.b"), id: 3)
    for byte in bytes { try client.send(bytes: [byte]) }
    guard case .welcome = try client.reply(to: 1), case .written(let result) = try client.reply(to: 2),
      case .value(let state) = try client.reply(to: 3)
    else { throw TestFailure("wrong replies") }
    #expect(result.changed)
    #expect(state.value == .string("value"))
    try checkWitness()
  }

  @Test("a frame much longer than the receive buffer arrives whole, in pieces of any size")
  func largeFrames() throws {
    let client = try hub.connect()
    let length = Frame.defaultMaximumLength - 100
    let value = Value.data((0..<length).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let bytes = RawClient.bytes(.set("large", value), id: 77) + RawClient.bytes(.get("large"), id: 78)
    var sent = 0
    var piece = 1
    while sent < bytes.count {
      let end = min(bytes.count, sent + piece)
      try client.send(bytes: Array(bytes[sent..<end]))
      sent = end
      piece = piece * 3 % 100_003
    }
    guard case .written = try client.reply(to: 77), case .value(let state) = try client.reply(to: 78) else {
      throw TestFailure("wrong replies")
    }
    #expect(state.value == value)
  }

  @Test("a frame over the limit ends the connection with the reason, after the answers to what came before")
  func oversized() throws {
    let client = try hub.connect()
    var bytes = RawClient.bytes(.ping, id: 2) + RawClient.bytes(.set("before", .boolean(true)), id: 3)
    let length = UInt32(Frame.defaultMaximumLength)
    bytes += withUnsafeBytes(of: length.littleEndian) { Array($0) } + [4, 0, 0, 0, 9, 0, 0, 0]
    bytes += [UInt8](repeating: 0xAA, count: 30_000)
    try client.send(bytes: bytes)
    let messages = try client.messagesUntilEnd()
    #expect(messages.count == 4)
    guard messages.count == 4, case .reply(9, .error(let error)) = messages[2],
      case .event(.ended(let reason, _)) = messages[3]
    else { throw TestFailure("not ended as it should be: \(messages)") }
    #expect(error.code == .frameTooLarge)
    #expect(error.message.contains("\(Frame.defaultMaximumLength)"))
    #expect(reason == .protocolError)
    guard case .value = try witness.call(.get("before")) else { throw TestFailure("the set before was lost") }
    try checkWitness()
  }

  @Test("the error about a frame over the limit carries its number, however the header arrives")
  func oversizedInPieces() throws {
    let client = try hub.connect()
    try client.send(bytes: [0xFF, 0xFF, 0xFF, 0x7F])
    // Once the witness is answered, the hub has seen these bytes by themselves.
    try checkWitness()
    try client.send(bytes: [4, 0, 0, 0, 9, 8, 7, 6])
    guard case .reply(0x0607_0809, .error(let error))? = try client.messagesUntilEnd().first else {
      throw TestFailure("the error does not carry the frame's number")
    }
    #expect(error.code == .frameTooLarge)
    try checkWitness()
  }

  @Test("garbage ends the connection or is answered, and is logged with the client's pid")
  func garbage() throws {
    var generator = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      let client = try RawClient(to: hub.socket)
      let length = Int.random(in: 1...5000, using: &generator)
      // The hub may end the connection before everything was sent.
      try? client.send(bytes: (0..<length).map { _ in UInt8.random(in: 0...255, using: &generator) })
      client.finishWriting()
      _ = try client.messagesUntilEnd()
    }
    let loud = try hub.connect()
    try loud.send(bytes: [UInt8](repeating: 0xFF, count: 100))
    #expect(try finalError(of: loud).code == .frameTooLarge)
    try checkWitness()
    #expect(hub.reports("disconnected a client, process \(getpid())"))
  }

  @Test("a client of another version is told which versions there are")
  func wrongVersion() throws {
    let client = try RawClient(to: hub.socket)
    try client.send(.hello(minimumVersion: 7, maximumVersion: 9, name: "future"))
    let error = try finalError(of: client)
    #expect(error.code == .unsupportedVersion)
    #expect(error.message.contains("7 to 9"))
    try checkWitness()
  }

  @Test("a client that asks before it says hello is told so")
  func noHello() throws {
    let client = try RawClient(to: hub.socket)
    try client.send(bytes: RawClient.bytes(.ping, id: 1) + RawClient.bytes(.ping, id: 2))
    #expect(try finalError(of: client).code == .helloExpected)
  }

  @Test("frames of unknown kinds and frames that end too early are errors, and the connection continues")
  func unknownKinds() throws {
    let client = try hub.connect()
    let kinds = [UInt8(0), 0x1F, 0x3F, 0x40, 0x44, 0x80, 0xFE, 0xFF]
    for kind in kinds { try client.send(bytes: [0, 0, 0, 0, kind, 0, 0, 0, kind, 1, 0, 0]) }
    for kind in kinds {
      guard case .error(let error) = try client.reply(to: 0x100 + UInt32(kind)) else {
        throw TestFailure("kind \(kind) was no error")
      }
      #expect(error.code == .unknownKind)
    }
    let whole = RawClient.bytes(.set("x", .integer(5)), id: 0x1000)
    for length in 0..<(whole.count - 12) {
      var cut = Array(whole[0..<12 + length])
      cut[0] = UInt8(length)
      cut[8] = UInt8(length)
      try client.send(bytes: cut)
      guard case .error(let error) = try client.reply(to: 0x1000 + UInt32(length)) else {
        throw TestFailure("a set cut to \(length) bytes was no error")
      }
      #expect(error.code == .malformed)
    }
    guard case .pong = try client.call(.ping) else { throw TestFailure("no pong") }
    try checkWitness()
  }

  @Test("a thousand pipelined requests are carried out, also if their sender disconnects at once")
  func pipelinedAndGone() throws {
    for round in 1...5 {
      let client = try RawClient(to: hub.socket)
      var bytes = RawClient.bytes(.hello(name: "hasty"), id: 1)
      for number in 1...1000 {
        bytes += RawClient.bytes(.write(.add(.name(try StoreName("count")), .integer(1))), id: UInt32(number))
        if number == 1 { bytes += RawClient.bytes(.set("count", .integer(0)), id: 0) }
      }
      try client.send(bytes: bytes)
      client.close()
      // One `set` to zero, then 999 increments; when the last is done, all are.
      let watcher = try hub.connect()
      try watcher.send(.watch([NamePattern("count")]))
      var last = Value.integer(0)
      while last != .integer(999) {
        switch try watcher.nextEvent() {
        case .current(_, let state), .change(let state, _, _), .created(_, _, let state, _, _, _):
          last = state.value
        default: break
        }
      }
      #expect(last == .integer(999), "round \(round)")
      _ = try witness.call(.write(.remove(.name(try StoreName("count")))))
    }
    try checkWitness()
  }

  @Test("a client that has said all it will say gets every answer, and then the end")
  func halfClosed() throws {
    let client = try RawClient(to: hub.socket)
    var bytes = RawClient.bytes(.hello(name: "pipe"), id: 1)
    for number in 2...500 { bytes += RawClient.bytes(.get("witness"), id: UInt32(number)) }
    // The beginning of a frame that never ends.
    try client.send(bytes: bytes + [1, 2, 3])
    client.finishWriting()
    #expect(try client.messagesUntilEnd().count == 500)
    try checkWitness()
  }

  @Test("half a frame keeps the hub from nothing, and gives it nothing to do")
  func halfAFrame() throws {
    func turns() throws -> UInt64 {
      guard case .statistics(let figures) = try witness.call(.stats),
        let turns = figures.first(where: { $0.name == "turns" })
      else { throw TestFailure("no turns") }
      return turns.value
    }
    let client = try hub.connect()
    let bytes = RawClient.bytes(.get("witness"), id: 7)
    // It is read in two pieces, neither of which completes it.
    for piece in [bytes.prefix(6), bytes.dropFirst(6).dropLast(3)] {
      try client.send(bytes: Array(piece))
      for _ in 0..<3 { try checkWitness() }
    }
    let before = try turns()
    for _ in 0..<200 { try checkWitness() }
    // One for each request, and a few for whatever else happens.
    #expect(try turns() - before < 300)
    try client.send(bytes: Array(bytes.suffix(3)))
    guard case .value = try client.reply(to: 7) else { throw TestFailure("no value") }
  }
}
