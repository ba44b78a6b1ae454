// The server's parts that decide without the system: byte queues, budget, rate of log lines, default paths.

import HubCore
import Testing

@testable import HubServer

@Suite("Held bytes")
struct HeldBytesTests {
  private func frames(_ lengths: [Int]) -> [UInt8] {
    var out = OutputBuffer()
    for (index, length) in lengths.enumerated() {
      out.append(UInt32(length))
      out.append([UInt8](repeating: UInt8(index), count: 8 + length))
    }
    return out.array
  }

  @Test("bytes come out as they went in, whatever the steps, and the memory goes with the last of them")
  func queue() {
    var generator = SystemRandomNumberGenerator()
    var budget = MemoryBudget(limit: 1 << 20)
    for _ in 0..<200 {
      var held = HeldBytes()
      let all = frames((0..<30).map { _ in Int.random(in: 0...90, using: &generator) })
      var (pushed, popped) = (0, 0)
      while popped < all.count {
        if pushed < all.count, Bool.random(using: &generator) {
          // Whole frames, as the loop appends them.
          var end = pushed
          repeat { end += 12 + Int(all[end]) } while end < all.count && Bool.random(using: &generator)
          all[pushed..<end].withUnsafeBytes { held.append(ByteView($0), budget: &budget) }
          pushed = end
        } else {
          let length = Int.random(in: 0...held.count, using: &generator)
          #expect(held.view.slice(0, length).array == Array(all[popped..<popped + length]))
          held.dropFirst(length, budget: &budget)
          popped += length
          // What is left of the frame at the front, found from the frames themselves.
          var border = 0
          while border < popped { border += 12 + Int(all[border]) }
          #expect(held.restOfCutFrame == border - popped)
        }
        #expect(held.count == pushed - popped)
        #expect(budget.used == Int(held.capacity))
      }
      #expect(held.isEmpty && budget.used == 0)
    }
  }

  @Test("only the rest of the frame that was cut can be kept")
  func keepCutFrame() {
    var budget = MemoryBudget(limit: 1 << 20)
    var held = HeldBytes()
    let all = frames([20, 30, 40])
    all.withUnsafeBytes {
      held.append(ByteView($0).suffix(from: 10), cut: 22, budget: &budget)
    }
    held.dropFirst(22 + 5, budget: &budget)
    held.keepCutFrame(budget: &budget)
    #expect(held.view.array == Array(all[(32 + 5)..<(32 + 42)]))
    held.dropFirst(held.count, budget: &budget)
    held.keepCutFrame(budget: &budget)
    #expect(held.isEmpty && budget.used == 0)
  }
}

@Suite("The log's rate limit")
struct RateLimitTests {
  @Test("a burst is written, the rest is counted, and the count comes with the next line")
  func limit() {
    var limit = RateLimit()
    let admitted = (0..<100).count { limit.admit(at: 1_000_000_000 + UInt64($0)).isAdmitted }
    #expect(admitted == RateLimit.burst)
    let next = limit.admit(at: 1_000_000_000 + RateLimit.window)
    #expect(next.isAdmitted)
    #expect(next.suppressed == 100 - RateLimit.burst)
    #expect(limit.takeSuppressed() == 0)
  }
}

@Suite("Default paths")
struct DefaultPathsTests {
  private func paths(isRoot: Bool = false, _ variables: [String: String]) -> DefaultPaths {
    DefaultPaths(isRoot: isRoot) { variables[$0] }
  }

  @Test("the socket is where STATEHUB_SOCKET says, else the system's for root, else in the runtime directory")
  func socket() {
    #expect(paths(["STATEHUB_SOCKET": "/s", "XDG_RUNTIME_DIR": "/r"]).socket == "/s")
    #expect(paths(isRoot: true, ["XDG_RUNTIME_DIR": "/r"]).socket == "/run/statehub/hub.sock")
    #expect(paths(["XDG_RUNTIME_DIR": "/r", "STATEHUB_SOCKET": ""]).socket == "/r/statehub/hub.sock")
    #expect(paths([:]).socket == nil)
    let user = { (variables: [String: String]) in
      DefaultPaths(isRoot: false, runtimeDirectory: "/run/user/7") { variables[$0] }.socket
    }
    #expect(user([:]) == "/run/user/7/statehub/hub.sock")
    #expect(user(["XDG_RUNTIME_DIR": "/r"]) == "/r/statehub/hub.sock")
  }

  @Test(
    "the configuration is where the service manager says, in /etc for root, else in the user's configuration directory"
  )
  func configuration() {
    #expect(paths(["CONFIGURATION_DIRECTORY": "/d", "HOME": "/h"]).configuration == "/d/statehub.json5")
    #expect(paths(isRoot: true, ["HOME": "/root"]).configuration == "/etc/statehub/statehub.json5")
    #expect(paths(["XDG_CONFIG_HOME": "/c", "HOME": "/h"]).configuration == "/c/statehub/statehub.json5")
    #expect(paths(["HOME": "/h"]).configuration == "/h/.config/statehub/statehub.json5")
    #expect(paths([:]).configuration == nil)
  }
}
