// How a provider stops taking writes, in every way there is: its writers are told at once, and a second start is live again.

import HubClient
import HubTesting
import Synchronization
import TestSupport
import Testing

@Suite("The end of a provider")
struct ProvidingEndTests {
  private let memory = InMemoryHub()
  private let hub: Hub
  /// Another program's.
  private let level: SharedValue<Int>

  init() {
    hub = memory.connect()
    level = memory.connect().value("dev.level", of: Int.self)
  }

  private func state() async throws -> ClaimStatus.State? { try await hub.claims().first?.state }

  private func isLive() async throws {
    try await eventually("the provider is live") { try await state() == .live }
  }

  /// A write by another program, under way.
  private func writing(_ value: Int) -> Task<HubError?, Never> {
    Task { await failure { try await level.set(value) } }
  }

  @Test(
    "a cancelled decide leaves a claim that is suspended, and the write that it was asked about unanswered")
  func cancelledDecide() async throws {
    let provider = try hub.provide("dev.level", of: Int.self, initial: 1)
    let isAsked = Atomic(false)
    let deciding = Task {
      try await provider.decide { value, _ in
        isAsked.store(true, ordering: .relaxed)
        try await Task.sleep(for: .seconds(3600))
        return value
      }
    }
    try await isLive()
    let open = writing(2)
    try await eventually("the provider is asked") { isAsked.load(ordering: .relaxed) }
    deciding.cancel()
    try await deciding.value
    #expect(await open.value?.code == .unanswered)
    #expect(try await state() == .suspended)
    #expect(await failure { try await level.set(3) }?.code == .unavailable)
    #expect(try await level.get() == 1)
    // Started again, it publishes and takes writes.
    let again = Task { try await provider.decide { value, _ in value } }
    try await isLive()
    try await level.set(4)
    #expect(try await level.get() == 4)
    again.cancel()
    try await again.value
  }

  @Test("what a body has decided when its task is cancelled is in force")
  func cancelledAfterwards() async throws {
    let provider = try hub.provide("dev.level", of: Int.self, initial: 1)
    let deciding = Task {
      try await provider.decide { value, _ in
        withUnsafeCurrentTask { $0?.cancel() }
        return value
      }
    }
    try await isLive()
    #expect(await writing(2).value == nil)
    #expect(try await level.get() == 2)
    try await deciding.value
    #expect(try await state() == .suspended)
  }

  @Test(
    "an error that leaves open what the body has done reaches the writer as unanswered, any other as a refusal",
    arguments: [
      (HubError(.outcomeUnknown, "lost") as any Error, HubError.Code.unanswered),
      (HubError(.timeout, "slow"), .unanswered), (HubError(.connectionLost, "lost"), .unanswered),
      (HubError(.durabilityUnknown, "full"), .unanswered), (HubError(.unanswered, "deep"), .unanswered),
      (CancellationError(), .unanswered), (HubError(.outOfRange, "9"), .outOfRange),
      (TestFailure("broken"), .refused), (Refusal("no"), .refused),
    ])
  func openErrors(error: any Error, code: HubError.Code) async throws {
    let provider = try hub.provide("dev.level", of: Int.self, initial: 1)
    let deciding = Task { try await provider.decide { _, _ in throw error } }
    try await isLive()
    #expect(await writing(2).value?.code == code)
    #expect(try await state() == .live)
    deciding.cancel()
    try await deciding.value
  }

  @Test("a decide that is cancelled while nothing is asked leaves a claim that is suspended")
  func cancelledIdle() async throws {
    let provider = try hub.provide("dev.level", of: Int.self, initial: 1)
    let deciding = Task { try await provider.decide { value, _ in value } }
    try await isLive()
    deciding.cancel()
    try await deciding.value
    #expect(try await state() == .suspended)
    #expect(await failure { try await level.set(3) }?.code == .unavailable)
    withExtendedLifetime(provider) {}
  }

  @Test(
    "after break the write in hand gets unanswered, those behind it unavailable, and the claim is suspended")
  func broken() async throws {
    let claim = try hub.claim("dev.**", window: 3)
    let taking = Task { for try await _ in claim.writes { break } }
    try await isLive()
    let writes = [writing(1), writing(2), writing(3)]
    try await taking.value
    var codes: [HubError.Code?] = []
    for write in writes { codes.append(await write.value?.code) }
    #expect(codes.count { $0 == .unanswered } == 1 && codes.count { $0 == .unavailable } == 2, "\(codes)")
    #expect(try await state() == .suspended)
    withExtendedLifetime(claim) {}
  }

  @Test("a body that throws ends the iteration: the write gets unanswered, and the claim is suspended")
  func thrown() async throws {
    let claim = try hub.claim("dev.**")
    let taking = Task { for try await _ in claim.writes { throw TestFailure("the bus is gone") } }
    try await isLive()
    #expect(await writing(1).value?.code == .unanswered)
    await #expect(throws: TestFailure.self) { try await taking.value }
    #expect(try await state() == .suspended)
    withExtendedLifetime(claim) {}
  }

  @Test("a write that is taken and kept can be decided about after the iteration")
  func kept() async throws {
    let claim = try hub.claim("dev.**")
    let taking = Task { () -> ProvidedWrite? in
      for try await write in claim.writes { return write }
      return nil
    }
    try await isLive()
    let open = writing(1)
    let write = try #require(try await taking.value)
    try await write.accept()
    #expect(await open.value == nil)
    #expect(try await level.get() == 1)
    withExtendedLifetime(claim) {}
  }

  @Test("a body that decides nothing has its writer told unanswered at once, and is asked for the next write")
  func undecided() async throws {
    let claim = try hub.claim("dev.**")
    let taking = Task {
      for try await write in claim.writes where write.operations.first?.value != .integer(13) {
        try await write.accept()
      }
    }
    try await isLive()
    #expect(await writing(13).value?.code == .unanswered)
    #expect(await writing(1).value == nil)
    #expect(try await state() == .live)
    taking.cancel()
    try await taking.value
  }

  @Test(
    "a publish that throws ends the iteration with its error, and the claim is suspended; the next one publishes again"
  )
  func publishing() async throws {
    let isBroken = Atomic(true)
    let claim = try hub.claim("dev.**") { hub in
      if isBroken.load(ordering: .relaxed) { throw TestFailure("the bus is gone") }
      try await hub.value("dev.level", of: Int.self).set(7)
    }
    await #expect(throws: TestFailure.self) { for try await _ in claim.writes {} }
    #expect(try await state() == .suspended)
    isBroken.store(false, ordering: .relaxed)
    let taking = Task { for try await write in claim.writes { try await write.accept() } }
    try await isLive()
    #expect(try await level.get() == 7)
    taking.cancel()
    try await taking.value
  }

  @Test("a claim that nobody iterates is made again after a lost connection, and stays suspended")
  func reconnected() async throws {
    let claim = try hub.claim("dev.**")
    let taking = Task { for try await _ in claim.writes {} }
    try await isLive()
    taking.cancel()
    try await taking.value
    memory.restart(keepingState: false)
    memory.advance(by: .seconds(1))
    try await eventually("the claim is made again") { try await state() == .suspended }
    withExtendedLifetime(claim) {}
  }

  @Test("a claim that is released leaves its stores vacant, beside others of the same Hub, which stay live")
  func released() async throws {
    let other = try hub.provide("dev.other", of: Int.self, initial: 1)
    let deciding = Task { try await other.decide { value, _ in value } }
    var claim: HubClaim? = try hub.claim("dev.level")
    let taking = Task { [claim] in for try await _ in claim!.writes { break } }
    try await eventually("both are live") { try await hub.claims().count { $0.state == .live } == 2 }
    #expect(await writing(1).value?.code == .unanswered)
    try await taking.value
    claim = nil
    try await eventually("it is vacant") {
      try await hub.claims().contains { $0.name == "dev.level" && $0.state == .vacant }
    }
    #expect(try await hub.claims().contains { $0.name == "dev.other" && $0.state == .live })
    // The same user gets it again.
    let next = try hub.provide("dev.level", of: Int.self, initial: 3)
    let again = Task { try await next.decide { value, _ in value } }
    try await eventually("it is live") { try await hub.claims().count { $0.state == .live } == 2 }
    #expect(try await level.get() == 3)
    for task in [deciding, again] {
      task.cancel()
      try await task.value
    }
  }

  @Test("a hundred provided values share one connection and one thread")
  func shared() async throws {
    let directory = try TemporaryDirectory()
    let process = try HubProcess(in: directory)
    defer { withExtendedLifetime((directory, process)) {} }
    let hub = process.hub()
    let providers = try (0..<100).map { try hub.provide("dev.n\($0)", of: Int.self, initial: $0) }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for provider in providers { group.addTask { try await provider.decide { value, _ in value } } }
      try await eventually("all are live") { try await hub.claims().count { $0.state == .live } == 100 }
      #expect(try await hub.clients().count == 2)
      try await hub.value("dev.n99", of: Int.self).set(5)
      #expect(try await hub.value("dev.n99", of: Int.self).get() == 5)
      group.cancelAll()
    }
    try await eventually("all are suspended") {
      try await hub.claims().allSatisfy { $0.state == .suspended }
    }
    withExtendedLifetime(providers) {}
  }

  @Test("to ask how things are with all providers is one request, however many there are")
  func oneRequest() async throws {
    let claims = try (0..<20).map { try hub.claim("dev\($0).**") }
    let providing = claims.map { claim in Task { for try await _ in claim.writes {} } }
    try await eventually("all are live") { try await hub.claims().count { $0.state == .live } == 20 }
    let asking = memory.connect(name: "asking")
    func requests() async throws -> UInt64? {
      try await asking.clients().first { $0.name == "asking" }?.requests
    }
    let before = try #require(try await requests())
    #expect(try await asking.claims().count == 20)
    #expect(try await requests() == before + 2)
    for task in providing { task.cancel() }
  }

  @Test("what a provider decides on runs in its caller's isolation: an actor's own state needs no copy")
  func isolation() async throws {
    let device = Device()
    let provider = try hub.provide("dev.level", of: Int.self, initial: 1)
    let deciding = Task { try await device.serve(provider) }
    try await isLive()
    try await level.set(8)
    #expect(await device.level == 8)
    deciding.cancel()
    try await deciding.value
  }
}

private actor Device {
  private(set) var level = 0

  func serve(_ provider: HubProvider<Int>) async throws {
    try await provider.decide { value, _ in
      level = value
      return value
    }
  }
}
