// What a limit of the control group's memory does to the hub's limits.

import HubCore
import HubSystem
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("A limit of the control group's memory")
struct MemoryLimitTests {
  private static let (second, first) = ("/sys/fs/cgroup", "/sys/fs/cgroup/memory")

  @Test(
    "it is the least one of the process's group and those above",
    arguments: [
      (["/a/b": "max", "/a": "1000", "": "2000"], 1000), (["/a/b": "500", "/a": "1000"], 500),
      (["": "7"], 7), (["/a/b": "max"], nil), ([:], nil),
    ] as [([String: String], Int?)])
  func least(limits: [String: String], limit: Int?) {
    func group(_ root: String, _ file: String, _ line: String) -> ControlGroup? {
      ControlGroup.limiting { path in
        if path == "/proc/self/cgroup" { return "1:name=x:/y\n\(line)\n" }
        return limits.first { path == "\(root)\($0.key)/\(file)" }.map { "\($0.value)\n" }
      }
    }
    #expect(group(Self.second, "memory.max", "0::/a/b")?.memoryLimit == limit)
    #expect(group(Self.first, "memory.limit_in_bytes", "4:cpu,memory:/a/b\n0::/")?.memoryLimit == limit)
  }

  @Test("the largest number of version 1 is no limit, and a group outside the namespace has the namespace's")
  func odd() {
    func limit(_ line: String, _ files: [String: String]) -> Int? {
      ControlGroup.limiting { $0 == "/proc/self/cgroup" ? line : files[$0] }?.memoryLimit
    }
    let none = ["\(Self.first)/memory.limit_in_bytes": "9223372036854771712\n"]
    #expect(limit("4:memory:/docker/1\n", none) == nil)
    #expect(limit("0::/../../a\n", ["\(Self.second)/memory.max": "70", "/a/memory.max": "1"]) == 70)
    #expect(limit("0::/\n1:cpu:/\nnonsense\n", ["\(Self.first)/memory.limit_in_bytes": "5"]) == nil)
  }

  @Test(
    "the use is the group's with the least limit, without the file cache that the kernel takes back first",
    arguments: [
      ("0::/a", "/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current", "inactive_file"),
      (
        "4:memory:/a", "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes", "total_inactive_file"
      ),
    ])
  func use(line: String, limit: String, use: String, cache: String) throws {
    var files = ["/proc/self/cgroup": line, limit: "1000", use: "300"]
    files[use.split(separator: "/").dropLast().reduce("") { "\($0)/\($1)" } + "/memory.stat"] =
      "active_file 9\n\(cache) 100\nunevictable 0\n"
    let group = try #require(ControlGroup.limiting { files[$0] })
    #expect(group.memoryUse { files[$0] } == 200)
    #expect(group.memoryUse { $0.hasSuffix("stat") ? nil : files[$0] } == 300)
    #expect(group.memoryUse { _ in nil } == nil)
  }

  @Test("it is read at most once a second, however often it is asked for")
  func reading() {
    var memory = GroupMemory()
    var reads = 0
    func read() -> LimitUse? {
      reads += 1
      return LimitUse("controlGroupBytes", 1000, use: reads)
    }
    let uses = [5, 1_000_000_004, 1_000_000_005, 2_000_000_000].map { memory.current(at: $0, read)?.use }
    #expect(uses == [1, 1, 2, 2] && reads == 2)
  }

  @Test("it lowers the defaults, and settings that allow more are noted")
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
    #expect(options.maxClients == 4096)
    options.noteSettings(aboveMemory: 512 << 20)
    #expect(options.notes.isEmpty)
    // None of the three is above the limit, and all of them are.
    options.engine.maximumMemory = 300 << 20
    options.engine.historyBytes = 150 << 20
    options.noteSettings(aboveMemory: 512 << 20)
    #expect(
      options.notes.first?.hasPrefix(
        "maxMemoryBytes (314572800), changeLogBytes (33554432), historyBytes (157286400) allow more memory than the "
          + "536870912 bytes of the hub's control group") == true)
  }
}
