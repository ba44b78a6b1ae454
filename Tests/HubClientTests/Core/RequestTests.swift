// What becomes of a request: at its deadline, when the connection is lost, and when the hub refuses it.

import HubCore
import HubTransport
import Testing

@testable import HubClient

@Suite("Requests on their way")
struct RequestTests {
  private let client = ConnectedCore()
  private static let name = StoreReference.name(try! StoreName("a"))
  private static let add = Request.write(.add(name, .integer(1)))
  private static let long = Request.write(.set(name, .data([UInt8](repeating: 7, count: 5000))))

  private func error(_ call: Call) -> HubError? {
    if case .failure(let error)? = call.result { error } else { nil }
  }

  private func step(at time: Deadline) {
    _ = client.core.step(now: time, &client.effects)
    client.effects.run()
  }

  @Test("a request fails at its deadline, and not before; a later one waits on")
  func deadline() {
    client.connect()
    let deadline = client.now + .seconds(1)
    let (call, later) = (client.begin(.ping, until: deadline).call, client.begin(.ping, until: .never).call)
    #expect(client.core.nextDeadline == deadline)
    step(at: client.now + .nanoseconds(999_999_999))
    #expect(call.result == nil)
    step(at: deadline)
    #expect(error(call)?.code == .timeout && later.result == nil)
    #expect(client.core.nextDeadline == .never)
  }

  @Test("a watch that no frame can hold, or none that the hub takes, fails alone, and is not sent")
  func watchTooLong() throws {
    let many = try (0..<65_536).map { try NamePattern("a\($0)") }
    #expect(Request.watch(many).objection?.code == .invalidPattern)
    #expect(Request.watch(many.dropLast()).objection == nil)
    let long = try (0..<20).map { try NamePattern("\(String(repeating: "a", count: 200)).n\($0)") }
    for isConnected in [false, true] {
      if isConnected { client.connect(maximumFrameLength: 4000) }
      client.sendAll()
      for (patterns, code) in [(many, HubError.Code.invalidPattern), (long, .frameTooLarge)]
      where isConnected || patterns.count > 100 {
        let stream = client.open(patterns)
        let error = #expect(throws: HubError.self) { _ = try stream.take() }
        #expect(error?.code == code)
      }
      #expect(client.core.unsent.count == 0)
    }
    #expect(client.begin(.ping).call.result == nil && !client.requests().isEmpty)
  }

  @Test(
    "a write whose time is over may have been carried out if it was sent; a read and an unsent write were not"
  )
  func unknown() {
    let unsent = client.begin(RequestTests.add, until: client.now + .seconds(1)).call
    // Ordered to connect, and there is no hub.
    step(at: client.now)
    step(at: client.now + .seconds(1))
    client.connect()
    let write = client.begin(RequestTests.add, until: client.now + .seconds(2)).call
    let read = client.begin(.get(RequestTests.name), until: client.now + .seconds(2)).call
    client.sendAll()
    step(at: client.now + .seconds(2))
    let word = "the outcome of the write is unknown"
    #expect(error(write)?.message.contains(word) == true)
    #expect(error(read)?.message.contains(word) == false && error(unsent)?.message.contains(word) == false)
  }

  @Test(
    "when the connection is lost, a write of which the socket took a byte is not sent again, any other is")
  func taken() {
    for takesAdd in [true, false] {
      let client = ConnectedCore()
      client.connect()
      client.sendAll()
      client.begin(RequestTests.long)
      // The socket takes part of it, so what comes next does not begin where the rest begins.
      client.core.didSend(2000)
      let before = client.core.unsent.count
      let call = client.begin(RequestTests.add).call
      client.core.didSend(takesAdd ? before + 1 : before)
      client.lose()
      #expect(error(call)?.code == (takesAdd ? .outcomeUnknown : nil))
      client.connect()
      #expect(client.requests().contains { $0.kind == Frame.Kind.write(.add) } != takesAdd)
    }
  }

  @Test("an ephemeral value is set again on every connection, until the hub refuses that")
  func ephemeral() {
    client.connect()
    let set = Request.write(
      .set(RequestTests.name, .integer(1), lifetime: Lifetime(ephemeral: true)))
    func answer(_ id: UInt32?, _ reply: Reply) { client.receive(.reply(id ?? 0, reply)) }
    answer(
      client.begin(set).id,
      .written(
        WriteResult(id: StoreID(raw: 1), revision: 10, version: 1, changed: true, durability: .volatile)))
    // That a caller is refused says nothing about the value that is held.
    answer(client.begin(set).id, .error(HubError(.conflict, "no")))
    func request(_ kind: Frame.Kind) -> UInt32? { client.requests().first { $0.kind == kind }?.id }
    func setAgain() -> UInt32? {
      // The hub is asked first whether the store is still this client's.
      guard let question = request(.request(.describe)) else { return nil }
      answer(question, .error(HubError(.noSuchStore, store: "a", "gone")))
      return request(.write(.set))
    }
    for _ in 0..<2 {
      client.lose()
      client.connect()
      #expect(setAgain() != nil)
    }
    answer(request(.write(.set)), .error(HubError(.conflict, "another process has it")))
    client.lose()
    client.connect()
    #expect(setAgain() == nil)
  }
}
