// Invalid frames: truncated, mutated, garbage. Each gets a typed error, and the hub survives.

import HubCore
import TestSupport
import Testing

@Suite struct DamagedFrameTests {
  /// Errors with which a nonsensical frame may be refused.
  private static let refusals: Set<HubError.Code> = [
    .malformed, .unknownKind, .invalidName, .invalidPattern, .invalidValue,
  ]

  @Test("a payload that ends too early is malformed, wherever it is cut", .blocking, arguments: UInt64(0)..<8)
  func truncated(seed: UInt64) {
    var generator = WireGenerator(seed: seed)
    for _ in 0..<80 {
      let message = generator.message()
      let payload = message.frame.payload
      if message.isNested { continue }
      for length in 0..<payload.count {
        if length == message.olderLength { continue }
        let frame = message.frame.replacingPayload(Array(payload.prefix(length)))
        let code = Message.decoded(frame).failure?.code
        #expect(
          code.map { [.malformed, .invalidValue].contains($0) } ?? false, "\(message) cut to \(length)")
      }
    }
  }

  @Test("an older hub's page of clients ends before what they use")
  func olderClients() throws {
    let client = ClientSummary(
      session: 7, peer: Peer(pid: 1, uid: 2, gid: 3), name: "old", since: 4, watches: 5, requests: 6,
      unsent: 7,
      behind: true)
    var used = client
    (used.cost, used.held, used.catchUps) = (8, 9, 10)
    used.origin = PeerOrigin(unit: "a.service", userUnit: "b.scope", app: "c")
    let message = Message.reply(.clients([used, used], more: true), id: 3)
    let length = try #require(message.olderLength)
    let older = message.frame.replacingPayload(Array(message.frame.payload.prefix(length)))
    #expect(try Message.decoded(older).get() == .reply(.clients([client, client], more: true), id: 3))
  }

  @Test("a transaction that is cut is malformed, or a shorter transaction if it is cut between operations")
  func truncatedTransaction() throws {
    var generator = WireGenerator(seed: 5)
    let operations = (0..<4).map { _ in generator.operation() }
    let payload = Message.request(.transaction(operations), id: 1).frame.payload
    var borders: [Int: Int] = [0: 0]
    var end = 0
    for (index, operation) in operations.enumerated() {
      end += Message.request(.write(operation), id: 0).frame.count
      borders[end] = index + 1
    }
    for length in 0...payload.count {
      let decoded = Message.decoded(rawFrame(RequestKind.transaction.rawValue, Array(payload.prefix(length))))
      if let count = borders[length] {
        #expect(try decoded.get() == .request(.transaction(Array(operations.prefix(count))), id: 0))
      } else {
        #expect(decoded.failure?.code == .malformed)
      }
    }
  }

  @Test(
    "a mutated frame is refused with a typed error or is another message", .blocking,
    arguments: UInt64(0)..<24)
  func mutated(seed: UInt64) {
    var generator = WireGenerator(seed: seed)
    var refused = 0
    for _ in 0..<1500 {
      let frame = generator.mutation(of: generator.message().frame)
      switch Message.decoded(frame) {
      case .failure(let error):
        refused += 1
        #expect(Self.refusals.contains(error.code), "\(error)")
      case .success(let message):
        // Bytes that no decoder reads are lost, nothing else.
        let again = Message.decoded(message.frame)
        #expect((try? again.get().frame) == message.frame)
      }
    }
    #expect(refused > 100, "the test has to see both answers")
  }

  @Test("the hub answers every damaged frame once and continues", .blocking, arguments: UInt64(0)..<16)
  func hub(seed: UInt64) throws {
    var generator = WireGenerator(seed: seed)
    let client = HubPeer()
    #expect(client.send(Message.request(.hello(name: "test"), id: 1).frame).count == 1)
    for _ in 0..<1000 {
      let request = Message.request(generator.request(), id: generator.integer()).frame
      let damaged = generator.chance() ? generator.mutation(of: request) : request
      let answers = client.send(damaged)
      #expect(answers.first?.prefix(12)[8...11] == damaged[8...11], "the reply carries the request's number")
      for answer in answers { #expect(throws: Never.self) { try Message.decoded(answer).get() } }
      #expect(answers.filter { $0[4] & 0x80 != 0 }.count == 1)
    }
    let pong = try #require(client.send(Message.request(.ping, id: 77).frame).first)
    guard case .reply(.pong, id: 77) = try Message.decoded(pong).get() else {
      Issue.record("the hub no longer answers")
      return
    }
  }

  @Test("a hello whose name is not UTF-8 is refused, not repaired", arguments: DamagedValueTests.noText)
  func helloName(_ name: [UInt8]) throws {
    let client = HubPeer()
    let versions: [UInt8] = [0x53, 0x48, 0x55, 0x42, 1, 0, 1, 0] + [UInt8](repeating: 0, count: 8)
    let hello = rawFrame(1, request: 1, versions + [UInt8(name.count)] + name)
    #expect(Message.decoded(hello).failure?.code == .malformed)
    let answer = try Message.decoded(try #require(client.send(hello).first)).get()
    guard case .reply(.error(let error), id: 1) = answer else {
      Issue.record("accepted: \(answer)")
      return
    }
    #expect(error.code == .helloExpected)
    #expect(client.isClosed)
  }

  @Test("names that are not text do not stop the hub from telling about them")
  func hostileNames() throws {
    let client = HubPeer()
    let noText = [UInt8](repeating: 0xFF, count: 255)
    _ = client.send(Message.request(.hello(name: "test"), id: 1).frame)
    // A name with such bytes becomes longer when it is made readable for the error.
    let get = rawFrame(3, request: 3, [255, UInt8(ascii: "a")] + noText.dropLast())
    let error = try Message.decoded(try #require(client.send(get).first)).get()
    guard case .reply(.error(let error), id: 3) = error else {
      Issue.record("accepted")
      return
    }
    #expect(error.code == .invalidName)
  }

  @Test("a count that promises more than the frame holds costs nothing")
  func hugeCounts() {
    let everything: [UInt8] = [0xFF, 0xFF, 0xFF, 0xFF]
    for kind: ReplyKind in [.listed, .clientList] {
      #expect(Message.decoded(rawFrame(kind.rawValue, everything)).failure?.code == .malformed)
    }
    for kind in [ReplyKind.statistics.rawValue, RequestKind.watch.rawValue] {
      #expect(Message.decoded(rawFrame(kind, [0xFF, 0xFF])).failure?.code == .malformed)
    }
    #expect(Message.decoded(rawFrame(WriteKind.create.rawValue, [1, 97] + everything)).failure != nil)
  }

  @Test("kinds that nobody knows are named in the error")
  func unknownKinds() {
    let known = Set(Frame.Kind.allCases.map(\.rawValue))
    for kind in UInt8.min...UInt8.max where !known.contains(kind) {
      let error = Message.decoded(rawFrame(kind, [])).failure
      #expect(error?.code == .unknownKind)
      #expect(error?.message.contains("\(kind)") == true)
    }
  }
}
