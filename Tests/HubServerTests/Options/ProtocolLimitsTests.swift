// Owns that the table of limits in docs/protocol.md states what the hub has.

import FoundationEssentials
import HubCore
import Testing

@testable import HubEngine
@testable import HubServer

struct ProtocolLimitsTests {
  @Test("the protocol page states the limits that the hub has")
  func limits() throws {
    let options = ServerOptions(socketPath: "/nowhere/hub.sock", isSystem: false)
    let root = (0..<4).reduce(URL(filePath: #filePath)) { url, _ in url.deletingLastPathComponent() }
    let page = try String(contentsOf: root.appending(path: "docs/protocol.md"), encoding: .utf8)
    let start = try #require(page.firstRange(of: "\n## Limits\n")).upperBound
    let table = page[start..<(try #require(page[start...].firstRange(of: "\n## ")).lowerBound)]
    func text(_ number: Int) -> String {
      var digits = String(number)
      var index = digits.count - 3
      while index > 0 {
        digits.insert(",", at: digits.index(digits.startIndex, offsetBy: index))
        index -= 3
      }
      return digits
    }
    for number in [
      options.engine.maximumFrameLength, StoreName.maximumLength, options.engine.maximumWatches,
      options.maxClients, options.engine.maximumStores,
    ] {
      #expect(table.contains("\(text(number)) "), "docs/protocol.md does not state \(text(number))")
    }
    #expect(options.engine.maximumMemory == 2 << 30 && table.contains("2 GiB by default (`maxMemoryBytes`)"))
    #expect(options.engine.maximumUserMemory == 128 << 20 && table.contains("128 MiB for one user"))
  }
}
