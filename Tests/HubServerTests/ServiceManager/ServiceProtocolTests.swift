// What is read from a service manager's environment, what is written to it, and when; without a service manager.

import Testing

@testable import HubServer
@testable import HubEngine

@Suite("The service manager's protocol")
struct ServiceProtocolTests {
  private func environment(_ variables: [String: String], pid: Int32 = 42) -> ServiceEnvironment {
    ServiceEnvironment(pid: pid) { variables[$0] }
  }

  @Test("an environment without a service manager says nothing")
  func nothing() {
    #expect(environment([:]) == ServiceEnvironment())
    #expect(
      environment(["NOTIFY_SOCKET": "", "LISTEN_FDS": "", "WATCHDOG_USEC": ""]) == ServiceEnvironment())
  }

  @Test(
    "notifications go to a path or an abstract name, and to nothing else",
    arguments: [("/run/n", "/run/n"), ("@name", "@name"), ("vsock:2:9", nil), ("relative", nil), ("@", nil)])
  func notifySocket(text: String, address: String?) {
    #expect(environment(["NOTIFY_SOCKET": text]).notifySocket == address)
  }

  @Test("the watchdog is this process's if it names this process or none")
  func watchdog() {
    #expect(environment(["WATCHDOG_USEC": "3000000"]).watchdog == 3_000_000_000)
    #expect(environment(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "42"]).watchdog == 3_000_000_000)
    #expect(environment(["WATCHDOG_USEC": "3000000", "WATCHDOG_PID": "43"]).watchdog == nil)
    #expect(environment(["WATCHDOG_USEC": "0"]).watchdog == nil)
    #expect(environment(["WATCHDOG_USEC": "soon"]).watchdog == nil)
    #expect(environment(["WATCHDOG_USEC": "18446744073709551615"]).watchdog == .max)
  }

  @Test("descriptors are this process's if their variables name it, and keep their names in order")
  func passed() {
    let variables = ["LISTEN_PID": "42", "LISTEN_FDS": "3", "LISTEN_FDNAMES": "statehub::other"]
    #expect(
      environment(variables).passed.map { "\($0.number) \($0.name)" } == [
        "3 statehub", "4 unknown", "5 other",
      ])
    #expect(environment(variables, pid: 41).passed.isEmpty)
    #expect(environment(["LISTEN_PID": "42", "LISTEN_FDS": "1"]).passed.map(\.name) == ["unknown"])
    for count in ["0", "-1", "x", "99999999", "4097"] {
      #expect(environment(["LISTEN_PID": "42", "LISTEN_FDS": count]).passed.isEmpty)
    }
    #expect(environment(["LISTEN_FDS": "1"]).passed.isEmpty)
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
    var pulse = ServicePulse(watchdog: 4 * second)
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
    var pulse = ServicePulse(watchdog: nil)
    let facts = ServiceFacts(stores: 1, clients: 2, revision: 3)
    #expect(pulse.messages(at: 5, facts) == [.status("1 store, 2 clients, revision 3")])
    #expect(pulse.messages(at: 50 * second, facts) == [])
    #expect(pulse.deadline(facts) == nil)
  }

  @Test("a status comes at most once a second, and the last one is true")
  func status() {
    var pulse = ServicePulse(watchdog: nil)
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

  @Test("a problem stands in the status at once, until it is settled")
  func complaint() {
    var pulse = ServicePulse(watchdog: nil)
    let facts = ServiceFacts(stores: 2, clients: 1, revision: 9)
    _ = pulse.messages(at: 0, facts)
    pulse.complain("not reloaded")
    #expect(pulse.messages(at: 1, facts) == [.status("2 stores, 1 client, revision 9; not reloaded")])
    pulse.complain("not reloaded")
    #expect(pulse.messages(at: 3 * second, facts) == [])
    pulse.complain(nil)
    #expect(pulse.messages(at: 3 * second + 1, facts) == [.status("2 stores, 1 client, revision 9")])
  }
}
