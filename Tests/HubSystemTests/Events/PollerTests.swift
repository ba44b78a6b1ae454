// What a poller reports, and when again.

import Glibc
import HubSystem
import TestSupport
import Testing

@Suite("System: poller, wake-ups and timers", .blocking)
struct PollerTests {
  /// What is reported without waiting.
  private func events(_ poller: borrowing Poller) -> [PollerEvent] {
    var events = PollerEvents(capacity: 8)
    poller.wait(&events, milliseconds: 0)
    return (0..<events.count).map { events[$0] }
  }

  private func send(_ count: Int, to socket: Int32) {
    #expect(
      [UInt8](repeating: 7, count: count).withUnsafeBytes { Socket.send($0, to: socket) } == .bytes(count))
  }

  @Test("at an edge, bytes are reported once; at a level, until they are read")
  func triggers() throws {
    let (near, far) = try Socket.pair()
    defer { [near, far].forEach { Descriptor.close($0) } }
    let edges = try Poller()
    let levels = try Poller()
    try edges.add(near)
    try levels.add(near, .level)
    #expect(events(edges).isEmpty && events(levels).isEmpty)
    send(3, to: far)
    #expect(events(edges).map(\.descriptor) == [near])
    #expect(events(edges).isEmpty)
    #expect(events(levels).first?.isReadable == true)
    #expect(events(levels).count == 1)
    #expect(Descriptor.readOnce(near, limit: 10).count == 3)
    #expect(events(levels).isEmpty)
    send(1, to: far)
    #expect(events(edges).count == 1)
  }

  @Test("what is added twice is watched once; what cannot be watched is refused")
  func adding() throws {
    let poller = try Poller()
    let pipe = try Pipe()
    try poller.add(pipe.reading.raw)
    try poller.add(pipe.reading.raw)
    let directory = try TemporaryDirectory()
    let file = try Descriptor(opening: directory.file("f"), [.readAndWrite, .create])
    #expect(throws: SystemError.notPermitted) { try poller.add(file.raw) }
    #expect(throws: SystemError.badDescriptor) { try poller.add(99_999) }
  }

  @Test("writability is reported where it is asked for, and at once if it is there")
  func writing() throws {
    let (near, far) = try Socket.pair()
    defer { [near, far].forEach { Descriptor.close($0) } }
    let poller = try Poller()
    try poller.add(near)
    #expect(events(poller).isEmpty)
    poller.setWriting(true, for: near)
    let event = try #require(events(poller).first)
    #expect(event.isWritable && !event.isReadable && !event.endsReads)
    #expect(events(poller).isEmpty)
    poller.setWriting(false, for: near)
    #expect(events(poller).isEmpty)
  }

  @Test("the end of what can be read is an event of its own, with and without bytes before it")
  func ends() throws {
    let (near, far) = try Socket.pair()
    defer { [near, far].forEach { Descriptor.close($0) } }
    let poller = try Poller()
    try poller.add(near)
    send(1, to: far)
    #expect(events(poller).first?.endsReads == false)
    Socket.endSending(far)
    let end = try #require(events(poller).first)
    #expect(end.isReadable && end.endsReads)
  }

  @Test("more events than there is room for come with the next wait")
  func room() throws {
    let poller = try Poller()
    var ends: Set<Int32> = []
    for _ in 0..<5 {
      let (near, far) = try Socket.pair()
      try poller.add(near, .level)
      send(1, to: far)
      ends.formUnion([near, far])
    }
    defer { ends.forEach { Descriptor.close($0) } }
    var seen: Set<Int32> = []
    var events = PollerEvents(capacity: 2)
    for _ in 0..<3 {
      poller.wait(&events, milliseconds: 0)
      for index in 0..<events.count { seen.insert(events[index].descriptor) }
      #expect(events.count == 2)
    }
    #expect(seen.count == 5 && seen.isSubset(of: ends))
  }

  @Test("a poller that survives an execution is adopted with what it watches")
  func adoption() throws {
    let pipe = try Pipe()
    let first = try Poller(survivesExecution: true)
    try first.add(pipe.reading.raw)
    #expect(fcntl(first.raw, F_GETFD) == 0)
    let third = try Poller()
    #expect(fcntl(third.raw, F_GETFD) == FD_CLOEXEC)
    let second = Poller(adopting: try Descriptor.duplicate(first.raw).release())
    [UInt8(1)].withUnsafeBytes { _ = Descriptor.write($0, to: pipe.writingEnd) }
    #expect(events(second).map(\.descriptor) == [pipe.reading.raw])
  }

  @Test("every signal wakes an edge-triggered poller, and a wait takes them all")
  func wakeups() throws {
    let wakeup = try Wakeup()
    let poller = try Poller()
    try poller.add(wakeup.raw)
    for _ in 0..<3 {
      wakeup.signal()
      #expect(events(poller).count == 1)
      #expect(events(poller).isEmpty)
    }
    wakeup.wait(milliseconds: -1)
    #expect(!Poll.wait(for: .reading, on: wakeup.raw, milliseconds: 0))
  }

  @Test("a signal from another thread ends a wait without end")
  func wokenThread() throws {
    let wakeup = try Wakeup()
    let raw = wakeup.raw
    let waiter = try SystemThread.start { Poll.wait(for: .reading, on: raw) }
    wakeup.signal()
    waiter.join()
    #expect(Poll.wait(for: .reading, on: raw, milliseconds: 0))
  }

  @Test("a timer fires at the earliest of its deadlines")
  func timer() throws {
    var timer = try DeadlineTimer()
    let now = SystemClock.boot
    timer.arm(for: now + 3_600_000_000_000)
    timer.arm(for: nil)
    #expect(!Poll.wait(for: .reading, on: timer.descriptor.raw, milliseconds: 0))
    timer.arm(for: now + 1)
    #expect(Poll.wait(for: .reading, on: timer.descriptor.raw, milliseconds: 10_000))
    timer.fired()
    timer.arm(for: now + 3_600_000_000_000)
    #expect(!Poll.wait(for: .reading, on: timer.descriptor.raw, milliseconds: 0))
  }

  @Test("one wait covers three descriptors, and passes over those that are none")
  func three() throws {
    let (near, far) = try Socket.pair()
    defer { Descriptor.close(near) }
    var result = Poll.wait((near, .reading), (-1, .reading), (near, .closing), milliseconds: 0)
    #expect(!result.0.isReady && !result.1.isReady && !result.2.isReady)
    Descriptor.close(far)
    #expect(isClosedAtOtherEnd(near))
    result = Poll.wait((near, .reading), (-1, .reading), (near, .closing), milliseconds: -1)
    #expect(result.0.isReady && !result.1.isReady && result.2.isClosed)
  }

  @Test("the clocks go on")
  func clocks() {
    let (monotonic, boot, real) = (SystemClock.monotonic, SystemClock.boot, SystemClock.real)
    #expect(SystemClock.boot >= boot && SystemClock.monotonic >= monotonic)
    // 2020 to 2200.
    #expect((1_577_000_000_000_000_000..<7_258_000_000_000_000_000).contains(real))
    #expect(boot >= monotonic)
  }
}
