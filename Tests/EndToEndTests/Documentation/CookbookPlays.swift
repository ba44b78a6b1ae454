// The jobs of docs/cookbook.md that take several programs at a time, or a change at the right moment.

import Glibc
import TestSupport
import Testing

enum CookbookPlays {
  typealias Play = @Sendable (CookbookJob) throws -> Void

  /// By the titles of the jobs.
  static let all: [String: Play] = [
    "React to each change": react,
    "Wait until another service is ready": ready,
    "Change a value by your own rule": ownRule,
    "Notice that a service has died": heartbeat,
    "Run one job at a time": fencing,
    "Have one leader": leader,
    "Hand one job after the other to a worker": handingOver,
    "Back up, restore, and move to another machine": moving,
    "Rename a store": renaming,
    "Show a value in a status bar": statusBar,
    "Act when something has held for a time": holding,
    "Start a systemd unit when a value is set": unit,
    "Resume after a restart where you were": goingOn,
    "Use the hub from a program of any language": pipe,
  ]

  private static func react(_ job: CookbookJob) throws {
    let step = try job.takeShown()
    try job.control.perform("set", "audio.output", "speaker")
    let watch = try job.start(step.command)
    _ = try watch.lines(1)
    try job.control.perform("set", "audio.output", "headphones")
    _ = try watch.lines(2)
    try job.control.perform("remove", "audio.output")
    _ = try watch.lines(3)
    #expect(watch.standardOutput == step.output)
  }

  private static func ready(_ job: CookbookJob) throws {
    let script = try job.take("sh")
    let waiting = try job.start(script)
    try job.expectWaiting(waiting)
    try job.control.perform("set", "database.ready", "true")
    #expect(try waiting.status() == 0)
    #expect(waiting.standardOutput == "connecting\n")
    try job.control.perform("set", "database.ready", "false")
    let late = try job.start(script.replacing("30s", with: "50ms"))
    #expect(try late.status() == 124)
    #expect(late.standardOutput.isEmpty)
  }

  private static func ownRule(_ job: CookbookJob) throws {
    let script = try job.take("bash")
    let absent = try job.start(script, in: "bash")
    #expect(try absent.status() != 0)
    try job.control.perform("create", "guests", "--type", "string")
    let names = (1...8).map { "guest\($0)" }
    let writers = try names.map { try job.start("USER=\($0)\n\(script)", in: "bash") }
    for writer in writers { #expect(try writer.status() == 0, "\(writer.standardError)") }
    let guests = try job.control.run("get", "guests").output.split { $0.isWhitespace }
    #expect(guests.map(String.init).sorted() == names)
  }

  private static func heartbeat(_ job: CookbookJob) throws {
    let service = try job.take("sh", with: "--ttl 10s")
    let observer = try job.start(try job.take("sh", with: "absent"))
    try job.expectWaiting(observer)
    let keyboard = try Keyboard(in: job.bench.directory)
    // Does a part of the work, and then what is typed. No pause of this machine is to end the value.
    let worker = try job.start(
      """
      exec 3< '\(keyboard.path)'
      do_a_part() { echo part; read -r word <&3; [ "$word" = more ]; }
      \(service.replacing("10s", with: "1h"))
      """)
    for part in 1...3 {
      _ = try worker.lines(part)
      try keyboard.type("more")
    }
    _ = try worker.lines(4)
    #expect(try job.control.run("get", "worker.alive").output == "\(worker.pid)\n")
    #expect(try job.control.run("describe", "worker.alive").output.contains(/ttl: +ends in/))
    #expect(observer.poll(milliseconds: 50) == nil)
    // An hour later.
    try job.control.perform("set", "worker.alive", "\(worker.pid)", "--ttl", "1ms")
    #expect(try observer.status() == 0)
    #expect(observer.standardOutput == "the worker is silent\n")
  }

  private static func fencing(_ job: CookbookJob) throws {
    let script = try job.take("sh", with: "backup.fence")
    var newest: Set<String> = []
    for _ in 0..<2 {
      let run = try job.start(script)
      #expect(try run.status() == 0, "\(run.standardError)")
      newest.insert(try job.control.run("get", "backup.newest").output)
    }
    #expect(newest.count == 2)
    // Somebody else has the lock in between.
    let late = try job.start(
      script.replacing("statectl txn", with: "statectl set backup.fence x; statectl txn"))
    #expect(try late.status() == 5)
    #expect(newest.contains(try job.control.run("get", "backup.newest").output))
  }

  private static func leader(_ job: CookbookJob) throws {
    let script = "exec \(try job.take("sh"))"
    func number(_ candidate: ChildProcess) throws -> Int {
      let line = try #require(try candidate.lines(1).first?.wholeMatch(of: /leading, number ([0-9]+)/))
      return try #require(Int(line.1))
    }
    let first = try job.start(script)
    let before = try number(first)
    let second = try job.start(script)
    try job.expectWaiting(second, watches: 2)
    first.signal(SIGTERM)
    #expect(try first.status() == 143)
    #expect(try number(second) > before)
  }

  private static func handingOver(_ job: CookbookJob) throws {
    let giving = try job.take("sh")
    let worker = try job.take("bash")
    func give(_ name: String) throws -> ChildProcess { try job.start("set -- \(name)\n\(giving)") }
    let first = try give("job1")
    #expect(try first.status() == 0)
    // Nobody has taken the first one yet.
    let second = try give("job2")
    try job.expectWaiting(second)
    let workers = try (0..<2).map { _ in try job.start(worker, in: "bash") }
    #expect(try second.status() == 0)
    let names = (1...6).map { "job\($0)" }
    for name in names.dropFirst(2) {
      let next = try give(name)
      #expect(try next.status() == 0)
    }
    func done() -> [String] {
      workers.flatMap { $0.standardOutput.split(separator: "\n").map(String.init) }.sorted()
    }
    try job.wait(for: "the last job") { done().count >= names.count }
    #expect(done() == names.map { "working on \($0)" })
  }

  private static func moving(_ job: CookbookJob) throws {
    let script = try job.take("sh", with: "ssh")
    let other = try Bench()
    let move = try job.start("ssh() { shift; STATEHUB_SOCKET='\(other.hub.socket)' \"$@\"; }\n\(script)")
    #expect(try move.status() == 0, "\(move.standardError)")
    let moved = try other.control.run("get", "**").output
    #expect(try !moved.isEmpty && moved == job.control.run("get", "**").output)
    withExtendedLifetime(other) {}
  }

  private static func renaming(_ job: CookbookJob) throws {
    let script = try job.take("bash")
    let control = job.control
    let absent = try job.start(script, in: "bash")
    #expect(try absent.status() == 4)
    try control.perform("create", "lamp.hall", "--type", "integer", "--maximum", "5", "--initial", "2")
    try control.perform("set", "lamp.hall", "4")
    let rename = try job.start(script, in: "bash")
    #expect(try rename.status() == 0, "\(rename.standardError)")
    #expect(try control.run("list").output == "light.hall\n")
    #expect(try control.run("get", "light.hall").output == "4\n")
    #expect(try control.run("set", "light.hall", "6").status == 6)
    // Somebody still uses the old name.
    try control.perform("set", "lamp.hall", "1")
    let overtaken = try job.start(
      script.replacing("statectl remove", with: "statectl set lamp.hall 3; statectl remove"), in: "bash")
    #expect(try overtaken.status() == 5)
    #expect(try control.run("get", "lamp.hall", "light.hall").output == "lamp.hall\t3\nlight.hall\t1\n")
  }

  private static func statusBar(_ job: CookbookJob) throws {
    let step = try job.takeShown()
    try job.control.perform("set", "audio.volume", "40")
    let bar = try job.start(step.command)
    _ = try bar.lines(1)
    let start = ContinuousClock.now
    for volume in 41...45 { try job.control.perform("set", "audio.volume", "\(volume)") }
    let shown = step.output.split(separator: "\n").map(String.init)
    try job.wait(for: "the newest volume") { try bar.lines(2).last == shown.last }
    let lines = try bar.lines(2)
    #expect(lines.first == shown.first)
    #expect(lines.count <= 2 + Int((ContinuousClock.now - start) / .milliseconds(500)), "\(lines)")
  }

  private static func holding(_ job: CookbookJob) throws {
    let script = try job.take("sh")
    func begin(_ time: String) throws -> ChildProcess {
      try job.control.perform("set", "light.hall", "on")
      try job.control.perform("set", "motion.hall", "true")
      let process = try job.start(script.replacing("5m", with: time))
      // Its watch has the movement, even if that is over at once.
      try job.bench.hub.waitForWatches(1)
      try job.control.perform("set", "motion.hall", "false")
      return process
    }
    let patient = try begin("5m")
    #expect(patient.poll(milliseconds: 200) == nil)
    #expect(try job.control.run("get", "light.hall").output == "on\n")
    patient.kill()
    try job.wait(for: "the end of its watch") {
      try job.control.run("stats").output.contains("\nwatches\t0\n")
    }
    let quick = try begin("100ms")
    #expect(try job.control.run("wait", "light.hall", "eq", "off", "--timeout", "20s").status == 0)
    #expect(quick.poll(milliseconds: 0) == nil)
  }

  private static func unit(_ job: CookbookJob) throws {
    let lines = try job.take("ini").split(separator: "\n")
    func value(_ key: String) throws -> String {
      String(try #require(lines.first { $0.hasPrefix("\(key)=") }, "no \(key)").dropFirst(key.count + 1))
    }
    let command = try value("ExecStart")
    // The unit's program is one that says what others see of it.
    let service = try job.start(
      command.replacing("/usr/local/bin/heating", with: "statectl get heating.running"))
    try job.expectWaiting(service)
    try job.control.perform("set", "house.mode", "away")
    #expect(service.poll(milliseconds: 50) == nil)
    try job.control.perform("set", "house.mode", "home")
    #expect(try service.status() == 0)
    #expect(service.standardOutput == "home\ntrue\n")
    #expect(try job.control.run("get", "heating.running").status == 4)
    #expect(try value("After") == value("Wants"))
    #expect(access("\(checkout)/systemd/system/\(try value("After"))", F_OK) == 0)
  }

  private static func goingOn(_ job: CookbookJob) throws {
    let script = try job.take("bash")
    func order(_ number: Int) throws { try job.control.perform("set", "order.newest", "\(number)") }
    /// Ends after so many orders, as if somebody had stopped it.
    func handle(_ count: Int) throws -> ChildProcess {
      try job.start(script.replacing("--every", with: "--every -n \(count)"), in: "bash")
    }
    try order(1)
    let first = try handle(1)
    #expect(try first.status() == 0, "\(first.standardError)")
    #expect(first.standardOutput == "order 1\n")
    for number in 2...4 { try order(number) }
    let second = try handle(3)
    #expect(try second.status() == 0)
    #expect(second.standardOutput == "order 2\norder 3\norder 4\n")
    let third = try handle(1)
    try job.expectWaiting(third)
    try order(5)
    #expect(try third.status() == 0)
    #expect(third.standardOutput == "order 5\n")
    let bookmark = readFile(job.bench.directory.file("seen"))
    try job.bench.directory.write("1000\n", to: "seen")
    let unknown = try handle(1)
    #expect(try unknown.status() == 6)
    // A hub that was started anew has come as far as the old one, and further.
    try job.bench.directory.write(bookmark, to: "seen")
    try job.bench.replaceHub()
    for number in 1...9 { try order(number) }
    let other = try handle(1)
    #expect(try other.status() == 6)
    #expect(other.standardError.contains("another epoch"))
  }

  private static func pipe(_ job: CookbookJob) throws {
    let path = try job.bench.directory.write(try job.take("python"), to: "thermostat.py")
    guard try job.control.has(interpreter: "python3", for: "docs/cookbook.md") else { return }
    let program = try job.start("exec python3 '\(path)'")
    for (celsius, heats) in [("18.5", "true"), ("21", "false"), ("19", "true")] {
      try job.control.perform("set", "room.celsius", celsius)
      let answer = try job.control.run("wait", "heating.on", "eq", heats, "--timeout", "20s")
      #expect(answer.status == 0, "\(program.standardError)")
    }
  }
}
