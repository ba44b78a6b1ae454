// What is read from a service manager's environment, what is written to it, and when; without a service manager.

import HubSystem
import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("The service manager's protocol")
struct ServiceProtocolTests {
  private func environment(
    _ variables: [String: String], pid: Int32 = 42
  ) throws(ServerError) -> ServiceEnvironment {
    try ServiceEnvironment(pid: pid) { variables[$0] }
  }

  @Test("an environment without a service manager says nothing")
  func nothing() throws {
    #expect(try environment([:]) == ServiceEnvironment())
    #expect(
      try environment(["NOTIFY_SOCKET": "", "LISTEN_FDS": "", "WATCHDOG_USEC": ""]) == ServiceEnvironment())
  }

  @Test("notifications go to a path or an abstract name", arguments: ["/run/n", "@name"])
  func notifySocket(address: String) throws {
    #expect(try environment(["NOTIFY_SOCKET": address]).notifySocket == address)
  }

  @Test("the watchdog is this process's if it names this process or none")
  func watchdog() throws {
    #expect(try environment(["WATCHDOG_USEC": "3000000"]).watchdog == 3_000_000_000)
    #expect(try environment(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"]).watchdog == 3_000_000_000)
    #expect(try environment(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "43"]).watchdog == nil)
    #expect(try environment(["WATCHDOG_USEC": "0"]).watchdog == nil)
    #expect(try environment(["WATCHDOG_USEC": "18446744073709551615"]).watchdog == .max)
  }

  @Test("descriptors are this process's if their variables name it, and keep their names in order")
  func passed() throws {
    let variables = ["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "statehub::other"]
    #expect(
      try environment(variables).passed.map { "\($0.number) \($0.name)" } == [
        "3 statehub", "4 unknown", "5 other",
      ])
    #expect(try environment(variables, pid: 41).passed.isEmpty)
    #expect(try environment(["LISTEN_PID": "42", "LISTEN_FDS": "1"]).passed.map(\.name) == ["unknown"])
    #expect(try environment(["LISTEN_PID": "42", "LISTEN_FDS": "0"]).passed.isEmpty)
    #expect(try environment(["LISTEN_FDS": "1"]).passed.isEmpty)
  }

  @Test(
    "a variable that cannot be understood is refused by its name",
    arguments: [
      ["NOTIFY_SOCKET": "relative"], ["NOTIFY_SOCKET": "@"], ["NOTIFY_SOCKET": "vsock:2:9"],
      ["WATCHDOG_USEC": "soon"], ["WATCHDOG_USEC": "-1"], ["WATCHDOG_USEC": "18446744073709551616"],
      ["WATCHDOG_PID": "me", "WATCHDOG_USEC": "5"], ["FDSTORE": "many"], ["LISTEN_PID": "me"],
      ["LISTEN_PID": "0"], ["LISTEN_FDS": "-1", "LISTEN_PID": "42"], ["LISTEN_FDS": "x", "LISTEN_PID": "42"],
      ["LISTEN_FDS": "4097", "LISTEN_PID": "42"], ["LISTEN_FDNAMES": "a", "LISTEN_PID": "42"],
      ["LISTEN_FDNAMES": "a", "LISTEN_FDS": "2", "LISTEN_PID": "42"],
      ["LISTEN_FDNAMES": "a:b:c", "LISTEN_FDS": "2", "LISTEN_PID": "42"],
    ])
  func malformed(variables: [String: String]) throws {
    let error = #expect(throws: ServerError.self) { try environment(variables) }
    guard case .environment(let name, let value, _)? = error else { throw TestFailure("\(error as Any)") }
    #expect(variables[name] == value)
    let text = "\(try #require(error))"
    #expect(text.hasPrefix("\(name)=\"\(value)\" in the environment: expected "))
  }

  @Test("what is said is one datagram of assignments, and a status is one line of bounded length")
  func datagrams() {
    #expect(
      ServiceMessage.datagram([.ready, .status("two\nlines"), .errno(5)])
        == "READY=1\nSTATUS=two; lines\nERRNO=5")
    #expect(
      ServiceMessage.datagram([.reloading(microseconds: 7)]) == "RELOADING=1\nMONOTONIC_USEC=7")
    #expect(
      ServiceMessage.datagram([.storeDescriptors(name: "handoff")]) == "FDSTORE=1\nFDNAME=handoff\nFDPOLL=0")
    #expect(
      ServiceMessage.datagram([.removeDescriptors(name: "handoff")]) == "FDSTOREREMOVE=1\nFDNAME=handoff")
    #expect(
      ServiceMessage.datagram([.extendTimeout(microseconds: 9), .watchdog, .stopping, .barrier])
        == "EXTEND_TIMEOUT_USEC=9\nWATCHDOG=1\nSTOPPING=1\nBARRIER=1")
    let long = ServiceMessage.datagram([.status(String(repeating: "ö", count: 5000))])
    #expect(long.count == "STATUS=".count + ServiceMessage.longestStatus && long.hasSuffix("..."))
  }
}

@Suite("The service manager's pulse")
struct ServicePulseTests {
  private let second: UInt64 = 1_000_000_000

  @Test("a sign of life comes twice in what the service manager waits, however often it is asked")
  func life() {
    var pulse = ServicePulse(watchdog: 4 * second) { nil }
    let facts = ServiceFacts()
    var signs: [UInt64] = []
    for time in stride(from: UInt64(0), through: 20 * second, by: Int(second / 10))
    where pulse.messages(at: time, facts).contains(.watchdog) {
      signs.append(time / second)
    }
    #expect(signs == [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20])
    #expect(pulse.deadline(facts) == 22 * second)
  }

  @Test("without a watchdog and without news there is nothing to wake up for")
  func silence() {
    var pulse = ServicePulse(watchdog: nil) { nil }
    let facts = ServiceFacts(stores: 1, clients: 2, revision: 3)
    #expect(pulse.messages(at: 5, facts) == [.status("1 store, 2 clients, revision 3")])
    #expect(pulse.messages(at: 50 * second, facts) == [])
    #expect(pulse.deadline(facts) == nil)
  }

  @Test("a status comes at most once a second, and the last one is true")
  func status() {
    var pulse = ServicePulse(watchdog: nil) { nil }
    var told: [ServiceMessage] = []
    var facts = ServiceFacts()
    for step in 0..<100 {
      facts.revision = UInt64(step)
      told += pulse.messages(at: UInt64(step) * second / 20, facts)
    }
    #expect(told.count == 5)
    // The last status is sent at its time, without any further news.
    let deadline = pulse.deadline(facts)
    #expect(deadline == 5 * second)
    #expect(pulse.messages(at: 5 * second, facts) == [.status("0 stores, 0 clients, revision 99")])
    #expect(pulse.deadline(facts) == nil)
  }

  @Test("after another status, such as that of a reload, it comes again at once, without news")
  func renewed() {
    var pulse = ServicePulse(watchdog: nil) { nil }
    let facts = ServiceFacts(stores: 1, clients: 2, revision: 3)
    _ = pulse.messages(at: 5, facts)
    pulse.renewStatus()
    #expect(pulse.messages(at: 6, facts) == [.status("1 store, 2 clients, revision 3")])
    #expect(pulse.messages(at: 7, facts) == [])
  }

  @Test("the status shows the control group's memory beside its limit, if there is one")
  func memory() {
    var pulse = ServicePulse(watchdog: nil) { LimitUse("controlGroupBytes", 512 << 20, use: 20 << 20) }
    let status = pulse.messages(at: 0, ServiceFacts(stores: 1, clients: 2, revision: 3))
    #expect(status == [.status("1 store, 2 clients, revision 3, 20 of 512 MiB of memory")])
  }

  @Test("a problem stands in the status at once, until it is settled")
  func complaint() {
    var pulse = ServicePulse(watchdog: nil) { nil }
    var facts = ServiceFacts(stores: 2, clients: 1, revision: 9)
    _ = pulse.messages(at: 0, facts)
    pulse.complain(about: .configuration, "not reloaded")
    #expect(pulse.messages(at: 1, facts) == [.status("2 stores, 1 client, revision 9; not reloaded")])
    pulse.complain(about: .configuration, "not reloaded")
    #expect(pulse.messages(at: 3 * second, facts) == [])
    pulse.complain(about: .configuration, nil)
    #expect(pulse.messages(at: 3 * second + 1, facts) == [.status("2 stores, 1 client, revision 9")])
    facts.diskTrouble = .noSpace
    pulse.complain(about: .sockets, "the socket was removed")
    let problems = "the socket was removed; persistent writes are refused: No space left on device"
    #expect(
      pulse.messages(at: 3 * second + 2, facts) == [.status("2 stores, 1 client, revision 9; \(problems)")])
  }
}
