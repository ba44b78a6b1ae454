// The blocking connection against a hostile hub: it says why the hub refused, and no flood holds it beyond its deadline.

import Glibc
import HubCore
import HubTransport
import TestSupport
import Testing

@Suite("A HubConnection on a hostile socket")
struct HostileConnectionTests {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  /// What a connection to that hub fails with.
  private func failure(
    _ script: @escaping @Sendable (HostileConnection) -> Void,
    _ use: (inout HubConnection) throws(HubError) -> Void
  ) throws -> HubError? {
    let hostile = try HostileHub(in: directory, script)
    defer { hostile.stop() }
    var connection = try HubConnection(to: .explicit(hostile.path), name: "test")
    do throws(HubError) {
      try use(&connection)
      return nil
    } catch {
      return error
    }
  }

  @Test("a hub that refuses the connection before anything is sent is believed, not the write that failed")
  func refusal() throws {
    for _ in 0..<40 {
      let error = try failure({ connection in
        connection.send(
          HostileConnection.frame {
            Reply.error(HubError(.quota, "the hub serves 3 clients and takes no more")).encode(
              into: &$0, request: 0)
          })
      }) { (hub) throws(HubError) in _ = try hub.request(.ping) }
      #expect(error?.code == .quota)
      #expect(error?.message == "the hub serves 3 clients and takes no more")
    }
  }

  @Test("an answer to nobody ends the connection, so that answers cannot pile up")
  func unasked() throws {
    let error = try failure({ connection in
      connection.greet()
      connection.send(
        HostileConnection.frame { out in
          for number in 100..<200 as Range<UInt32> {
            Reply.pong(revision: 1).encode(into: &out, request: number)
          }
        })
      connection.drain()
    }) { (hub) throws(HubError) in _ = try hub.request(.ping) }
    #expect(error?.code == .protocolViolation)
  }

  /// Longer than three calls take together that end in time: under a sanitizer each takes ten times as long.
  private static let timeout = isSanitized ? 80 : 8

  /// Frames that no call waits for, without end: for longer than the test's time-out, so that a call which they hold fails it.
  private static func flood(_ connection: HostileConnection, greets: Bool = true) {
    if greets { connection.greet() }
    var noise: [UInt8] = []
    // A kind of event that no version knows yet, as short as can be: they take longer to read than to send.
    for _ in 0..<2000 { noise += [0, 0, 0, 0, 0x7F, 0, 0, 0, 0, 0, 0, 0] }
    let end = ContinuousClock.now + .seconds(timeout + 2)
    while ContinuousClock.now < end, connection.send(noise) {}
  }

  @Test("a hub that never stops sending does not hold a request, an event or a write beyond its deadline")
  func deadlines() throws {
    let start = ContinuousClock.now
    let request = try failure({ Self.flood($0) }) { (hub) throws(HubError) in
      _ = try hub.request(.ping, deadline: .after(.milliseconds(200)))
    }
    #expect(request?.code == .timeout)
    let event = try failure({ Self.flood($0) }) { (hub) throws(HubError) in
      _ = try hub.nextEvent(deadline: .after(.milliseconds(200)))
    }
    #expect(event?.code == .timeout)
    let long = Request.write(.set(.name(try StoreName("a")), .string(String(repeating: "x", count: 8 << 20))))
    let write = try failure({ Self.flood($0, greets: false) }) { (hub) throws(HubError) in
      _ = try hub.send(long, deadline: .after(.milliseconds(200)))
    }
    #expect(write?.code == .timeout)
    #expect(ContinuousClock.now - start < .seconds(Self.timeout))
  }

  @Test("after its deadline a call reads once more, however much there is to read")
  func onceMore() throws {
    var noise: [UInt8] = []
    for _ in 0..<12_000 { noise += [0, 0, 0, 0, 0x7F, 0, 0, 0, 0, 0, 0, 0] }
    let error = try failure({ [noise] connection in
      connection.greet()
      connection.send(noise)
      connection.drain()
    }) { (hub) throws(HubError) in
      let id = try hub.send(.ping)
      for call in 0..<2 {
        waitForBytes(at: hub.descriptor, atLeast: 100_000)
        do throws(HubError) {
          if call == 0 {
            _ = try hub.receive(id, deadline: Deadline(nanoseconds: 0))
          } else {
            _ = try hub.nextEvent(deadline: Deadline(nanoseconds: 0))
          }
        } catch {
          #expect(error.code == .timeout)
        }
        #expect(unread(at: hub.descriptor) > 20_000)
      }
    }
    #expect(error == nil)
  }

  private func unread(at descriptor: Int32) -> Int32 {
    var count: Int32 = 0
    _ = ioctl(descriptor, UInt(FIONREAD), &count)
    return count
  }

  private func waitForBytes(at descriptor: Int32, atLeast count: Int32) {
    let end = ContinuousClock.now + .seconds(longestWait)
    while unread(at: descriptor) < count, ContinuousClock.now < end { sched_yield() }
  }

  @Test(
    "a deadline that has passed takes what has arrived, and a frame that comes in pieces continues with the next call"
  )
  func late() throws {
    let long = StoreState(
      id: StoreID(raw: 1), revision: 1, version: 1, time: 0, uid: 0,
      value: .string(String(repeating: "x", count: 900_000)))
    let error = try failure({ connection in
      connection.greet()
      connection.send(
        HostileConnection.frame { HubEvent.change(long, grouped: false, more: false).encode(into: &$0) })
      connection.drain()
    }) { (hub) throws(HubError) in
      while true {
        do throws(HubError) {
          let event = try hub.nextEvent(deadline: Deadline(nanoseconds: 0))
          #expect(event == .change(long, grouped: false, more: false))
          return
        } catch {
          if error.code != .timeout { throw error }
        }
      }
    }
    #expect(error == nil)
  }
}
