// What a limit of the control group's memory does to the hub's limits.

import HubCore
import HubSystem
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("A limit of the control group's memory")
struct MemoryLimitTests {
  @Test(
    "it is the least one of the process's group and those above",
    arguments: [
      (["/a/b": "max", "/a": "1000", "": "2000"], 1000), (["/a/b": "500", "/a": "1000"], 500),
      (["": "7"], 7), (["/a/b": "max"], nil), ([:], nil),
    ] as [([String: String], Int?)])
  func least(limits: [String: String], limit: Int?) {
    let found = ControlGroup.memoryLimit { path in
      if path == "/proc/self/cgroup" { return "1:name=x:/y\n0::/a/b\n" }
      return limits.first { path == "/sys/fs/cgroup\($0.key)/memory.max" }.map { "\($0.value)\n" }
    }
    #expect(found == limit)
  }

  @Test("it lowers the defaults, and a setting above it is noted")
  func shares() {
    var options = ServerOptions(socketPath: "/s", isSystem: false)
    let standard = options
    options.lowerDefaults(toMemory: 1 << 40)
    #expect(options == standard)
    options.lowerDefaults(toMemory: 512 << 20)
    #expect(options.engine.maximumMemory == 256 << 20)
    #expect(options.engine.maximumUserMemory == 64 << 20)
    #expect(options.engine.changeLogBytes == 32 << 20)
    #expect(options.heldBytes == 32 << 20)
    options.noteSettings(aboveMemory: 512 << 20)
    #expect(options.notes.isEmpty)
    options.engine.maximumMemory = 1 << 30
    options.noteSettings(aboveMemory: 512 << 20)
    #expect(options.notes.count == 1 && options.notes[0].hasPrefix("maxMemoryBytes is 1073741824, but"))
  }
}
