// The smallest client of the protocol's page, exactly as printed there, against a real hub.

import HubCore
import TestSupport
import Testing

@Suite("The smallest client", .blocking)
struct SmallestClientTests {
  private let directory: TemporaryDirectory
  private let hub: HubProcess
  private let program: String

  init() throws {
    directory = try TemporaryDirectory()
    hub = try HubProcess(in: directory)
    let page = readFile("\(checkout)/docs/protocol.md")
    let code = try #require(
      page.split(separator: "```python smallest\n").last?.split(separator: "\n```\n").first)
    program = try directory.write(String(code) + "\n", to: "smallest.py")
  }

  private func start(_ words: String...) throws -> ChildProcess {
    try ChildProcess("/usr/bin/env", ["python3", program, hub.socket] + words, directory: directory)
  }

  @Test("it sets an integer, gets values of every type, and names the error of what does not exist")
  func getAndSet() throws {
    #expect(try start("set", "a.x", "-42").wait() == .status(0))
    let client = try hub.connect()
    _ = try client.call(.set("b", .double(0.25)))
    _ = try client.call(.set("c", .boolean(true)))
    _ = try client.call(.set("d", .string("Gr\u{FC}\u{DF}e")))
    _ = try client.call(.set("e", .json("[1]")))
    for (name, shown) in [
      ("a.x", "-42"), ("b", "0.25"), ("c", "True"), ("d", "Gr\u{FC}\u{DF}e"), ("e", "[1]"),
    ] {
      let get = try ChildProcess(
        "/usr/bin/env", ["python3", program, hub.socket, "get", name],
        environment: ["PYTHONIOENCODING": "utf-8"], directory: directory)
      #expect(try get.wait() == .status(0))
      #expect(get.standardOutput == shown + "\n", "\(get.standardError)")
    }
    let missing = try start("get", "nothing")
    #expect(try missing.wait() == .status(1))
    #expect(missing.reports("error \(HubError.Code.noSuchStore.rawValue)"))
  }

  @Test("it follows a store that does not exist yet, comes, changes, gets a schema, goes and comes again")
  func watch() throws {
    let watch = try start("watch", "a.x")
    let client = try hub.connect()
    let store = StoreReference.name(try StoreName("a.x"))
    var shown = "None\n"
    func expectShown() throws {
      while watch.standardOutput != shown {
        try #require(shown.hasPrefix(watch.standardOutput), "it shows \(watch.standardOutput)")
        // The wait for the process's end is the pause between two checks.
        guard watch.poll(milliseconds: 5) == nil else {
          throw TestFailure("it ended: \(watch.standardError)")
        }
      }
    }
    try expectShown()
    let steps: [(Request, String)] = [
      (.write(.set(store, .integer(5))), "5"), (.write(.add(store, .integer(2))), "7"),
      (.write(.create(try StoreName("a.x"), Schema(type: .integer, maximum: .integer(9)))), "7"),
      (.write(.remove(store)), "None"), (.write(.set(store, .string("text"))), "text"),
    ]
    for (request, value) in steps {
      _ = try client.call(request)
      shown += value + "\n"
      try expectShown()
    }
    try hub.terminate()
    #expect(try watch.wait() == .status(1))
    #expect(watch.standardOutput == shown)
    #expect(watch.reports("the hub closed the connection"))
  }
}
