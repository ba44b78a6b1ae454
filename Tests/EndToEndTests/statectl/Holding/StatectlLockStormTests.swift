// Many processes at one lock, of which some are killed: what their commands have logged is compared with what a lock promises.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("Many processes at a lock", .blocking)
struct StatectlLockStormTests {
  private let directory: TemporaryDirectory
  private let control: Control
  private let hub: HubProcess
  private var log: String { directory.file("log") }

  /// Exclusive, shared, or one of two.
  private enum Mode: String, CaseIterable {
    case exclusive, shared, two

    var words: [String] {
      switch self {
      case .exclusive: []
      case .shared: ["--shared"]
      case .two: ["-n", "2"]
      }
    }
  }

  /// How a command ends, after its last line: by itself, or killed; or statectl is killed before it.
  private enum End: CaseIterable {
    case success, failure, killed, statectlKilled

    var status: Int32 {
      switch self {
      case .success: 0
      case .failure: 3
      case .killed, .statectlKilled: 137
      }
    }

    /// What a shell does when it has the lock, and when it has logged that it ends.
    var script: (before: String, after: String) {
      switch self {
      case .success: (":", ":")
      case .failure: (":", "exit 3")
      case .killed: (":", "kill -KILL $$")
      case .statectlKilled: ("kill -KILL $PPID; sleep 0.02", ":")
      }
    }
  }

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory, arguments: ["--state-dir", directory.file("state")])
    control = Control(directory: directory, socket: hub.socket)
  }

  private func start(_ number: Int, _ mode: Mode, _ end: End) throws -> ChildProcess {
    let line = "$STATEHUB_FENCE \(number) \(mode.rawValue) >> \(log)"
    let (before, after) = end.script
    let script = "echo begin \(line); \(before); sleep 0.01; echo end \(line); \(after)"
    return try control.start(["lock", "a"] + mode.words + ["--", "sh", "-c", script])
  }

  /// Waits until all others have had it, and checks what they logged.
  ///
  /// - Returns: their numbers, in the order in which they had it.
  private func judge() throws -> [Int] {
    #expect(try control.run("lock", "a", "--", "true").status == 0)
    #expect(try control.run("list").output == "a.fence\na.queue\n")
    var holders: [Int: Mode] = [:]
    var order: [Int: Int] = [:]
    for line in readFile(log).split(separator: "\n") {
      let words = line.split(separator: " ")
      let (fence, number, mode) = (Int(words[1])!, Int(words[2])!, Mode(rawValue: String(words[3]))!)
      guard words[0] == "begin" else {
        let ended = holders.removeValue(forKey: fence)
        #expect(ended == mode)
        continue
      }
      #expect(holders.isEmpty || mode != .exclusive && !holders.values.contains(.exclusive), "\(line)")
      // One that came later may have been faster with its first line.
      let earlier = holders.keys.count { $0 < fence }
      #expect(mode != .two || earlier < 2, "\(line)")
      holders[fence] = mode
      let other = order.updateValue(number, forKey: fence)
      #expect(other == nil, "\(fence) was given twice")
    }
    #expect(holders.isEmpty)
    return order.sorted { $0.key < $1.key }.map(\.value)
  }

  @Test("they have it in the order of their arrival, and a killed one holds nobody up")
  func order() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    let first = try control.start(
      "lock", "a", "--", "sh", "-c", "while ! [ -e \(directory.file("free")) ]; do sleep 0.01; done")
    #expect(try control.run("wait", "a", "exists").status == 0)
    let client = try hub.connect()
    let tickets = try NamePattern("a.queue.*")
    func wait(for count: Int) throws {
      try first.wait(until: "\(count) wait") {
        guard case .listed(let stores, _) = try client.call(.list(tickets)) else { return false }
        return stores.count == count
      }
    }
    var waiters: [(number: Int, process: ChildProcess, end: End)] = []
    for number in 0..<30 {
      let end = End.allCases.randomElement(using: &random)!
      let mode = Mode.allCases.randomElement(using: &random)!
      waiters.append((number, try start(number, mode, end), end))
      try wait(for: number + 1)
    }
    for count in 0..<6 {
      let index = Int.random(in: 0..<waiters.count, using: &random)
      waiters.remove(at: index).process.signal(Bool.random(using: &random) ? SIGKILL : SIGTERM)
      try wait(for: 29 - count)
    }
    try directory.write("", to: "free")
    for waiter in waiters { #expect(try waiter.process.status() == waiter.end.status, "seed \(seed)") }
    #expect(try judge() == waiters.map(\.number), "seed \(seed)")
  }

  @Test("however they come and are killed, none has it beside one that excludes it, and each has it once")
  func storm() throws {
    let seed = UInt64.random(in: 0 ... .max)
    var random = SeededGenerator(seed: seed)
    var survivors: Set<Int> = []
    var processes: [ChildProcess] = []
    for number in 0..<40 {
      let mode = Mode.allCases.randomElement(using: &random)!
      processes.append(try start(number, mode, End.allCases.randomElement(using: &random)!))
      survivors.insert(number)
      if Int.random(in: 0..<4, using: &random) == 0 {
        let victim = Int.random(in: 0...number, using: &random)
        processes[victim].kill()
        survivors.remove(victim)
      }
    }
    for process in processes { _ = try process.wait() }
    let order = try judge()
    #expect(survivors.isSubset(of: order) && Set(order).count == order.count, "seed \(seed)")
  }
}
