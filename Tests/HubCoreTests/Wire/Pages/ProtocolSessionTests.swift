// The session in docs/vectors/dumps.md, played to a hub byte by byte.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite struct ProtocolSessionTests {
  static let prefix = "session-"

  @Test("the hub answers the page's session with exactly the bytes that the page shows")
  func session() throws {
    let dumps = try ProtocolPage().dumps.filter { $0.name.hasPrefix(Self.prefix) }
    #expect(dumps.count >= 12 && dumps.count.isMultiple(of: 2))
    var options = HubEngine.Options()
    options.release = "1.0.0"
    options.pid = 4242
    let hub = HubPeer(
      options: options, epoch: Epoch(high: 0x0123_4567_89AB_CDEF, low: 0xFEDC_BA98_7654_3210),
      peer: Peer(pid: 501, uid: 1000, gid: 1000), now: Instant(wall: 1_700_000_000_000_000_000, boot: 1))
    for step in stride(from: 0, to: dumps.count - 1, by: 2) {
      let number = step / 2 + 1
      #expect(dumps[step].name == "\(Self.prefix)\(number)-client")
      #expect(dumps[step + 1].name == "\(Self.prefix)\(number)-hub")
      let answer = hub.send(dumps[step].bytes)
      #expect(Array(answer.joined()) == dumps[step + 1].bytes, "\(answer.map { Message.decoded($0) })")
    }
  }
}
