// Watches and waits of statectl outlive connections and hubs: nothing is lost, nothing is printed twice.

import Glibc
import HubCore
import TestSupport
import Testing

@Suite("statectl survives restarts", .blocking)
final class StatectlRestartTests: BenchSuite {
  @Test("a hub that was killed and started again: the same value prints no line, another one does")
  func newHub() throws {
    try control.perform("set", "a", "1")
    try control.perform("set", "b", "1")
    let watch = try control.start("watch", "a", "b")
    #expect(try watch.lines(2).sorted() == ["a\t1", "b\t1"])
    try bench.replaceHub()
    try bench.hub.waitForWatches(2)
    try control.perform("set", "a", "1")
    try control.perform("set", "b", "2")
    try control.perform("set", "a", "2")
    #expect(try watch.lines(5)[2...] == ["a\t1", "b\t2", "a\t2"])
    #expect(watch.standardError.isEmpty)
  }

  @Test("a volatile store that was made again in the same epoch is seen by everything that follows it")
  func madeAgain() throws {
    let directory = try TemporaryDirectory()
    let arguments = ["--state-dir", directory.file("state")]
    var hub = try HubProcess(in: directory, arguments: arguments)
    let proxy = try SocketProxy(to: hub.socket, in: directory)
    let control = Control(directory: directory, socket: hub.socket)
    let through = Control(directory: directory, socket: proxy.path)
    let make = "statectl create v --type string --durability volatile"
    #expect(try control.shell("\(make) --initial x; statectl set v old").status == 0)
    let watch = try through.start("watch", "v")
    let run = try through.start("watch", "v", "--exec", "sh", "-c", "echo $STATEHUB_VALUE")
    let wait = try through.start("wait", "v", "eq", "new")
    let changes = try through.start("wait", "v", "changes")
    let pipe = try through.startShell(
      #"exec 3>&1; (echo '{"op":"watch","id":"w","names":["v"]}'; exec sleep 3600) | statectl pipe"#)
    _ = try watch.lines(1)
    _ = try run.lines(1)
    _ = try pipe.lines(4)
    try hub.waitForWatches(5)
    proxy.goAway()
    hub.kill()
    hub = try HubProcess(in: directory, arguments: arguments)
    defer { hub.kill() }
    #expect(try control.shell("\(make) --initial x; statectl set v new").status == 0)
    proxy.comeBack()
    #expect(try watch.lines(2) == ["old", "new"])
    #expect(try run.lines(2) == ["old", "new"])
    #expect(try wait.status() == 0 && wait.standardOutput == "new\n")
    #expect(try changes.status() == 0)
    for _ in 0..<longestLooks where !pipe.standardOutput.contains(#""value":"new""#) {
      _ = pipe.poll(milliseconds: 2)
    }
    #expect(pipe.standardOutput.contains(#""value":"new""#))
    pipe.kill()
  }

  @Test("a hub that comes back with a new history: only what is different prints a line")
  func sameStores() throws {
    let proxy = try SocketProxy(to: bench.hub.socket, in: bench.directory)
    let through = Control(directory: bench.directory, socket: proxy.path)
    try control.perform("set", "a", "1")
    try control.perform("set", "b", "2")
    try control.perform("set", "c", "3")
    let watch = try through.start("watch", "a", "b", "c", "--json", "--markers")
    _ = try watch.lines(4)
    proxy.goAway()
    try bench.replaceHub()
    try control.perform("set", "a", "1")
    try control.perform("set", "b", "1")
    proxy.comeBack()
    #expect(
      try masked(watch.lines(8)[4...]) == [
        #"{R,"kind":"reset",E}"#, #"{"name":"b","value":1,R,"kind":"changed","skipped":null,T}"#,
        #"{"name":"c","value":null,R,"kind":"removed","skipped":null,"time":null}"#,
        #"{R,"kind":"synced",E}"#,
      ])
    // From here on everything is as if nothing had happened.
    try control.perform("set", "a", "5")
    #expect(
      try masked(watch.lines(9)[8...]) == [#"{"name":"a","value":5,R,"kind":"changed","skipped":0,T}"#])
  }

  private func masked(_ lines: some Sequence<String>) -> [String] {
    lines.map { line in
      line.replacing(/"revision":[0-9]+/, with: "R").replacing(/"time":"[^"]*"/, with: "T")
        .replacing(/"epoch":"[0-9a-f]{32}"/, with: "E")
    }
  }

  @Test("a hub that ends with SIGTERM is waited for like one that was killed")
  func terminated() throws {
    try control.perform("set", "a", "1")
    let watch = try control.start("watch", "a")
    _ = try watch.lines(1)
    try bench.hub.terminate()
    try bench.replaceHub()
    try bench.hub.waitForWatches(1)
    try control.perform("set", "a", "2")
    #expect(try watch.lines(2) == ["1", "2"])
  }

  @Test("a connection that was cut: the watch continues at its bookmark, and says what was skipped")
  func resumed() throws {
    let proxy = try SocketProxy(to: bench.hub.socket, in: bench.directory)
    let through = Control(directory: bench.directory, socket: proxy.path)
    try control.perform("set", "a", "1")
    try control.perform("set", "b", "1")
    let watch = try through.start("watch", "*", "--json", "--markers")
    #expect(try watch.lines(3)[2].contains("synced"))
    proxy.goAway()
    for value in 2...4 { try control.perform("set", "a", "\(value)") }
    try control.perform("remove", "b")
    try control.perform("set", "c", "1")
    proxy.comeBack()
    #expect(
      try masked(watch.lines(8)[3...]) == [
        #"{R,"kind":"resumed",E}"#, #"{"name":"a","value":4,R,"kind":"changed","skipped":2,T}"#,
        #"{"name":"b","value":null,R,"kind":"removed","skipped":0,T}"#,
        #"{"name":"c","value":1,R,"kind":"changed","skipped":0,T}"#, #"{R,"kind":"synced",E}"#,
      ])
  }

  @Test("however often the connection is cut during a storm, --every loses and repeats nothing")
  func storm() throws {
    let proxy = try SocketProxy(to: bench.hub.socket, in: bench.directory)
    let through = Control(directory: bench.directory, socket: proxy.path)
    try control.perform("set", "a", "0")
    let watch = try through.start("watch", "a", "--every")
    _ = try watch.lines(1)
    let writer = try bench.hub.connect()
    let name = try StoreName("a")
    for round in 1...10 {
      for _ in 0..<100 { _ = try writer.call(.write(.add(.name(name), .integer(1)))) }
      proxy.cut()
      _ = try watch.lines(round * 100 + 1)
    }
    #expect(try watch.lines(1001) == (0...1000).map(String.init))
  }

  @Test("a watch says once that the hub is away, when that takes long")
  func longOutage() throws {
    try control.perform("set", "a", "1")
    let watch = try control.start("watch", "a")
    _ = try watch.lines(1)
    bench.hub.kill()
    let socket = bench.hub.socket
    let told = "statectl: the hub at \(socket) is away; waiting for it\n"
    for _ in 0..<longestLooks where watch.standardError != told { _ = watch.poll(milliseconds: 2) }
    #expect(watch.standardError == told)
    try bench.replaceHub()
    try control.perform("set", "a", "2")
    #expect(try watch.lines(2) == ["1", "2"])
    #expect(watch.standardError == told + "statectl: the hub at \(socket) is back\n")
  }

  @Test("a wait survives a restart too, and its time limit continues")
  func waits() throws {
    try control.perform("set", "a", "1")
    let wait = try control.start("wait", "a", "eq", "5")
    let limited = try control.start("wait", "a", "eq", "6", "--timeout", "8s")
    try bench.hub.waitForWatches(2)
    try bench.replaceHub()
    try bench.hub.waitForWatches(2)
    try control.perform("set", "a", "5")
    #expect(try wait.status() == 0)
    #expect(wait.standardOutput == "5\n")
    bench.hub.kill()
    #expect(try limited.status() == 124)
    #expect(limited.standardError.hasSuffix("a: timed out: the hub is away\n"))
  }

  @Test("a hub that was never there is status 3 at once, with how to start one")
  func neverThere() throws {
    let nowhere = Control(directory: bench.directory, socket: bench.directory.file("nowhere.sock"))
    for arguments in [["watch", "a"], ["wait", "a", "exists"], ["get", "a"], ["ping"]] {
      let process = try nowhere.start(arguments)
      #expect(try process.status() == 3)
      #expect(
        process.standardError
          == "statectl: no hub listens at \(nowhere.socket); start it with `statehub --socket \(nowhere.socket)`\n"
      )
    }
  }
}
