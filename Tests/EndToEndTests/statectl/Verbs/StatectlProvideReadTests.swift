// Providers in a shell that compute values when they are read, and that learn how often values are wanted.

import HubCore
import TestSupport
import Testing

@Suite("statectl provide, reads and intervals", .blocking)
final class StatectlProvideReadTests: BenchSuite {
  private func wait(state: String) throws {
    let watch = try control.start("watch", "statehub.providers.dev", "--timeout", "30s")
    defer { watch.kill() }
    var lines = 0
    while true {
      lines += 1
      if try watch.lines(lines).last?.contains("\"state\":\"\(state)\"") == true { return }
    }
  }

  @Test("a script computes each value that is read; its status and its words are those of a decision")
  func onRead() throws {
    let count = bench.directory.file("count")
    let script = """
      case $STATEHUB_STORE in
        dev.n) echo >> \(count); wc -l < \(count) ;;
        dev.word) echo "$STATEHUB_OPERATION, ${STATEHUB_TIMEOUT:+in time}" ;;
        dev.away) echo asleep >&2; exit 75 ;;
        dev.no) echo 'not now' >&2; exit 1 ;;
        dev.flag) echo perhaps ;;
      esac
      """
    let provider = try control.start("provide", "dev.*", "--name", "dev", "--on-read", script, "--", "true")
    defer { provider.kill() }
    try wait(state: "live")
    #expect(try control.run("get", "dev.n").output == "1\n")
    #expect(try control.run("get", "dev.n").output == "2\n")
    #expect(try control.run("get", "dev.*").output == "dev.n\t2\n")
    #expect(try control.run("get", "dev.word").output == "get, in time\n")
    let away = try control.run("get", "dev.away")
    #expect(away.status == 12 && away.errors == "statectl: dev.away: asleep\n")
    let refused = try control.run("get", "dev.no")
    #expect(refused.status == 6 && refused.errors == "statectl: dev.no: not now\n")
    try control.perform("set", "dev.same", "5")
    #expect(try control.run("get", "dev.same").output == "5\n")
    try control.perform("set", "dev.flag", "true")
    let wrong = try control.run("get", "dev.flag")
    #expect(wrong.status == 6)
    #expect(wrong.errors.contains("printed something other than a value of the store's type: perhaps"))
    #expect(try control.run("get", "dev.missing").status == 4)
  }

  @Test("on demand, the script is told the least interval, and starts again with another one, live meanwhile")
  func interval() throws {
    let runs = bench.directory.file("runs")
    let script =
      "trap exit TERM; echo ${STATEHUB_INTERVAL-every} >> \(runs); echo dev.x 1; echo live; "
      + "while :; do sleep 0.05; done"
    let provider = try control.start(
      "provide", "dev.*", "--name", "dev", "--on-demand", script, "--", "false")
    defer { provider.kill() }
    try wait(state: "suspended")
    let states = try control.start("watch", "statehub.providers.dev", "--every")
    defer { states.kill() }
    let slow = try control.start("watch", "dev.x", "--interval", "100ms")
    func follow(_ lines: String) throws {
      let log = try control.shell("until [ \"$(echo $(cat \(runs)))\" = '\(lines)' ]; do sleep 0.01; done")
      #expect(log.status == 0)
    }
    try follow("100")
    try wait(state: "live")
    let every = try control.start("watch", "dev.x")
    try follow("100 every")
    every.kill()
    try follow("100 every 100")
    try control.perform("get", "dev.x")
    slow.kill()
    try wait(state: "suspended")
    var seen: [String] = []
    repeat {
      seen = try states.lines(seen.count + 1)
    } while seen.count < 3 || !seen[seen.count - 1].contains("suspended")
      || seen[seen.count - 1].contains("watched")
    #expect(seen.count { $0.contains("\"syncing\"") } == 1)
    #expect(seen.contains { $0.contains("\"interval\":100") })
  }
}
