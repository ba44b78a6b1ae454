// Whose bookmarks are good when the access rules have changed: while the hub ran, and while it did not.

import HubCore
import HubEngine
import TestSupport
import Testing

@Suite struct AccessBookmarkTests {
  private static let closed = AccessRules(defaultAccess: .closed)
  private static let user = Peer(pid: 1, uid: 1000, gid: 1000)
  private static let root = Peer(pid: 1, uid: 0, gid: 0)

  /// A hub with two stores of root's, which somebody watches until he loses his connection.
  private struct Story: ~Copyable {
    var hub: EngineHarness
    var view = ClientView()
    let peer: Peer

    init(_ rules: AccessRules, _ peer: Peer) {
      self.peer = peer
      hub = EngineHarness(journals: true) { options in
        options.access = rules
        options.defaultDurability = .relaxed
      }
      write("a", 1)
      write("b", 1)
      if !rules.isOpen && peer.uid != 0 { view.mayRead = { _ in false } }
      let watcher = hub.connect(view, as: peer)
      hub.request(.watch([.everything]), watcher)
      hub.turn()
      view = hub.disconnect(watcher)
      write("a", 2)
    }

    mutating func write(_ name: String, _ value: Int64) {
      let writer = hub.connect(as: AccessBookmarkTests.root)
      hub.write(.set(.name(try! StoreName(name)), .integer(value)), writer)
      hub.turn()
      _ = hub.disconnect(writer)
    }

    /// The hub ends and starts.
    mutating func restart(_ end: HubEnd, _ rules: AccessRules? = nil) {
      _ = hub.restart(end, downtime: 1_000, access: rules)
    }

    /// The watcher comes back with the bookmark.
    mutating func comesBack(resumes: Bool, at location: SourceLocation = #_sourceLocation) {
      view.mayRead = { _ in true }
      view.watches = [:]
      view.isSynced = false
      view.isResuming = true
      view.epoch = hub.engine.epoch
      let forgets = view.forgets
      let bookmark = Bookmark(epoch: hub.engine.epoch, revision: view.bookmark)
      let watcher = hub.connect(view, as: peer)
      hub.request(.watch([.everything], bookmark: bookmark), watcher)
      hub.turn()
      view = hub.disconnect(watcher)
      #expect(view.problems.isEmpty, sourceLocation: location)
      #expect((view.forgets == forgets) == resumes, sourceLocation: location)
    }
  }

  @Test("who may read everything now, and could not at his bookmark, starts over")
  func opened() {
    var story = Story(Self.closed, Self.user)
    story.hub.setAccess(AccessRules())
    story.write("b", 2)
    story.comesBack(resumes: false)
    #expect(story.view.known.values.map(\.name).sorted() == ["a", "b"])
    story.write("b", 3)
    story.comesBack(resumes: true)
  }

  @Test("root is above all rules: his bookmarks stay good")
  func root() {
    var story = Story(Self.closed, Self.root)
    story.hub.setAccess(AccessRules())
    story.comesBack(resumes: true)
    story.restart(.kill, Self.closed)
    story.restart(.kill, AccessRules())
    story.comesBack(resumes: true)
  }

  @Test(
    "the journal knows that not everybody could read everything", arguments: [HubEnd.stop, .kill],
    [true, false])
  func openedByRestart(end: HubEnd, compacts: Bool) {
    var story = Story(Self.closed, Self.user)
    if compacts { story.hub.compact() }
    story.restart(end, AccessRules())
    story.write("b", 2)
    story.comesBack(resumes: false)
    #expect(story.view.known.values.map(\.name).sorted() == ["a", "b"])
    story.write("a", 3)
    story.comesBack(resumes: true)
    // Since then everybody could.
    if compacts { story.hub.compact() }
    story.restart(end)
    story.comesBack(resumes: true)
  }

  @Test("what was opened while a hub ran is known to the next", arguments: [HubEnd.stop, .kill])
  func openedBefore(end: HubEnd) {
    var story = Story(Self.closed, Self.user)
    story.hub.setAccess(AccessRules())
    story.write("a", 3)
    story.restart(end)
    story.comesBack(resumes: false)
  }

  @Test("rules that came and went while he was away count", arguments: [HubEnd.stop, .kill])
  func closedBetween(end: HubEnd) {
    var story = Story(AccessRules(), Self.user)
    story.hub.setAccess(Self.closed)
    story.restart(end)
    story.restart(end, AccessRules())
    story.comesBack(resumes: false)
  }

  @Test("without rules a restart is not noticed", arguments: [HubEnd.stop, .kill])
  func open(end: HubEnd) {
    var story = Story(AccessRules(), Self.user)
    story.restart(end)
    story.comesBack(resumes: true)
    story.hub.handOver()
    story.restart(end)
    story.comesBack(resumes: true)
  }

  @Test("an image keeps since when everybody may read everything")
  func image() {
    var story = Story(Self.closed, Self.user)
    story.hub.setAccess(AccessRules())
    story.write("a", 3)
    story.hub.handOver()
    story.comesBack(resumes: false)
    story.hub.handOver()
    story.comesBack(resumes: true)
  }
}
