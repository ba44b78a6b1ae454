// Messages, revisions and keys as pure values.

import Foundation
import Testing

@testable import EtcdGateway

struct MessageTests {
  private func message(_ revisions: [Int]) throws -> WatchMessage {
    let events = revisions.map { "{\"kv\":{\"key\":\"YQ==\",\"mod_revision\":\"\($0)\"}}" }.joined(
      separator: ",")
    let text = "{\"header\":{\"revision\":\"99\"},\"events\":[\(events)]}"
    return try JSONDecoder().decode(WatchMessage.self, from: Data(text.utf8))
  }

  /// Each step as its revision and how many events it has.
  private func steps(_ splitter: inout RevisionSplitter) -> [String] {
    var steps: [String] = []
    while let step = splitter.next() {
      switch step {
      case .revision(let revision): steps.append("\(revision.number): \(revision.events.count)")
      case .progress(let revision): steps.append("progress \(revision)")
      }
    }
    return steps
  }

  @Test func aMessageIsTakenApartIntoRevisions() throws {
    var splitter = RevisionSplitter()
    splitter.add(try message([1, 2, 2, 3]))
    #expect(steps(&splitter) == ["1: 1", "2: 2", "3: 1"])
    splitter.add(try message([]))
    #expect(steps(&splitter) == ["progress 99"])
    splitter.add(try message([4, 4]))
    #expect(steps(&splitter) == ["4: 2"])
  }

  @Test func thePrefixOfAllKeysHasNoEnd() {
    #expect(EtcdKeys.all.bounds == (Data([0]), Data([0])))
    #expect(EtcdKeys.prefix("a").bounds == (Data("a".utf8), Data("b".utf8)))
    #expect(EtcdKeys.prefix(Data([97, 255, 255])).bounds == (Data([97, 255, 255]), Data([98])))
    #expect(EtcdKeys.prefix(Data([255])).bounds == (Data([255]), Data([0])))
    #expect(EtcdKeys.key("a").bounds == (Data("a".utf8), Data()))
  }

  @Test func requestsLeaveOutWhatIsTheDefault() throws {
    func json(_ value: some Encodable) throws -> String {
      let encoder = JSONEncoder()
      encoder.outputFormatting = .sortedKeys
      return String(decoding: try encoder.encode(value), as: UTF8.self)
    }
    #expect(try json(EtcdRange(.key("a"))) == "{\"key\":\"YQ==\"}")
    #expect(
      try json(EtcdRange(.prefix("a"), revision: 5, limit: 7, isSerializable: true))
        == "{\"key\":\"YQ==\",\"limit\":\"7\",\"range_end\":\"Yg==\",\"revision\":\"5\",\"serializable\":true}"
    )
    #expect(
      try json(WatchCreation(keys: .key("a"), revision: Int64.max, wantsPrevious: true))
        == "{\"create_request\":{\"key\":\"YQ==\",\"prev_kv\":true,\"progress_notify\":true,"
        + "\"start_revision\":\"9223372036854775807\"}}")
  }

  @Test func textsThatAreNotNumbersAreRefused() {
    let text = Data("{\"header\":{\"revision\":\"x\"}}".utf8)
    #expect(throws: DecodingError.self) { try JSONDecoder().decode(Acknowledgement.self, from: text) }
  }
}
