// Scripts of several connections: resuming, and starting over with forget.

import HubCore

extension ViewScripts {
  /// A watch of `a.*` that is at synced(10) and knows a.x, number 1, at revision 4 and version 2.
  private static func begin(_ script: inout ViewScript) {
    script.open("A", "a.*", at: 10)
    script.current("a.x", 1, 4, v: 2, 40)
    script.synced(10)
  }

  static let resuming = [
    ViewScript("resuming, nothing happened", "the values stay, and synced says so") {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 10)
      $0.resumed(10)
      $0.synced(10)
    },
    ViewScript("resuming", "what happened meanwhile is news, and numbers go on being valid") {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 14)
      $0.resumed(10)
      $0.current("a.x", 1, 12, v: 4, 42)
      $0.removed("a.gone", 9, 13, v: 1, more: true)
      $0.current("a.new", 5, 14, v: 1, 50)
      $0.synced(14)
      $0.change(1, 15, v: 5, 43)
    },
    ViewScript(
      "events behind the bookmark", "what was seen behind the last synced comes again, and is no news"
    ) {
      begin(&$0)
      $0.change(1, 12, v: 3, 41)
      $0.created("a.y", 2, 13, 50)
      $0.change(1, 14, v: 4, 42)
      $0.lost()
      $0.open("A", "a.*", at: 16)
      $0.resumed(13)
      $0.current("a.x", 1, 14, v: 4, 42)
      $0.current("a.y", 2, 16, v: 2, 51)
      $0.synced(16)
    },
    ViewScript("a removal comes again", "it was shown: neither it nor an older value of the store is news") {
      begin(&$0)
      $0.removed("a.x", 1, 12, v: 3)
      $0.lost()
      $0.open("A", "a.*", at: 12)
      $0.resumed(11)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.removed("a.x", 1, 12, v: 3, more: true)
      $0.synced(12)
    },
    ViewScript("an unseen removal comes again", "it is shown once") {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 15)
      $0.resumed(10)
      $0.removed("a.x", 1, 11, v: 3, more: true)
      $0.removed("a.x", 2, 13, v: 2, more: true)
      $0.lost()
      $0.open("A", "a.*", at: 15)
      $0.resumed(10)
      $0.removed("a.x", 1, 11, v: 3, more: true)
      $0.removed("a.x", 2, 13, v: 2, more: true)
      $0.current("a.x", 3, 15, v: 2, 41)
      $0.synced(15)
    },
    ViewScript(
      "synced behind what was seen",
      "right after resuming the view may be ahead: this synced promises nothing, the next does"
    ) {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 20)
      $0.resumed(10)
      $0.current("a.x", 1, 20, v: 5, 45)
      $0.lost()
      $0.open("A", "a.*", at: 21)
      $0.resumed(10)
      $0.synced(15)
      $0.current("a.x", 1, 20, v: 5, 45)
      $0.synced(21)
    },
    ViewScript(
      "a bookmark between two synced",
      "an event of revision r moves it to r - 1; the loss moves that of a quiet watch, too"
    ) {
      $0.welcome(10)
      $0.watching("A", "a.*", at: 10)
      $0.watching("B", "b.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.change(1, 13, v: 3, 41)
      $0.change(1, 15, v: 4, 42)
      $0.lost()
      $0.welcome(15)
      $0.watching("A", "a.*", at: 15)
      $0.resumed(14)
      $0.watching("B", "b.*", at: 15)
      $0.resumed(14)
      $0.synced(15)
    },
    ViewScript("two bookmarks", "resumed is for the watch whose watching it follows") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.lost()
      $0.open("B", "b.*", at: 12)
      $0.synced(12)
      $0.watching("A", "a.*", at: 12)
      $0.resumed(10)
      $0.current("a.x", 1, 11, v: 3, 41)
      $0.synced(12)
    },
    ViewScript(
      "a watch that was not confirmed", "takes nothing from its connection: its bookmark stays where it was"
    ) {
      begin(&$0)
      $0.lost()
      $0.open("B", "b.*", at: 30)
      $0.current("b.x", 2, 20, v: 1, 50)
      $0.synced(30)
      $0.change(2, 32, v: 2, 51)
      $0.lost()
      $0.open("A", "a.*", at: 32)
      $0.resumed(10)
      $0.current("a.x", 1, 25, v: 3, 41)
      $0.synced(32)
    },
    ViewScript(
      "older than the bookmark",
      "a store that is new to the view and older than its bookmark has gone meanwhile"
    ) {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 12)
      $0.resumed(10)
      $0.current("a.old", 8, 7, v: 1, 70)
      $0.current("a.old", 9, 10, v: 1, 70)
      $0.removed("a.old", 8, 12, v: 2, more: true)
      $0.synced(12)
    },
  ]

  static let starting = [
    ViewScript(
      "older versions behind forget", "what had been shown before the forget is not counted as skipped again"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 9, v: 4, 40)
      $0.synced(10)
      $0.forget(20)
      $0.current("a.x", 1, 3, v: 1, 39)
      $0.current("a.x", 1, 9, v: 4, 40)
      $0.current("a.x", 1, 19, v: 7, 45)
      $0.synced(20)
    },
    ViewScript("a gap over forget", "is counted from the highest version that was shown") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 9, v: 4, 40)
      $0.synced(10)
      $0.forget(20)
      $0.current("a.x", 1, 3, v: 1, 39)
      $0.current("a.x", 1, 19, v: 6, 45)
      $0.synced(20)
    },
    ViewScript(
      "an old number in another epoch", "means nothing: no name, no event, no progress"
    ) {
      begin(&$0)
      $0.lost()
      $0.welcome(3, ViewScript.otherEpoch)
      $0.watching("A", "a.*", at: 3)
      $0.forget(3, ViewScript.otherEpoch)
      $0.synced(3)
      $0.change(1, 9, v: 7, 47)
    },
    ViewScript(
      "forget in the same epoch",
      "all values go; versions that were shown are kept for counting only; what is not shown again has gone"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.current("a.z", 3, 6, v: 2, 60)
      $0.synced(10)
      $0.forget(20)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.current("a.x", 1, 18, v: 6, 44)
      $0.current("a.new", 4, 19, v: 3, 70)
      $0.synced(20)
      $0.change(1, 21, v: 7, 45)
    },
    ViewScript("a bookmark that is too old", "forget instead of resumed") {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 5000)
      $0.forget(5000)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(5000)
    },
    ViewScript(
      "another epoch", "numbers and versions mean nothing any more, and it is unknown what was skipped"
    ) {
      begin(&$0)
      $0.lost()
      $0.welcome(3, ViewScript.otherEpoch)
      $0.watching("A", "a.*", at: 3)
      $0.forget(3, ViewScript.otherEpoch)
      $0.current("a.y", 1, 2, v: 1, 50)
      $0.current("a.x", 2, 3, v: 2, 40)
      $0.synced(3)
      $0.change(2, 4, v: 3, 41)
    },
    ViewScript("forget for all watches", "also for the one that had resumed") {
      $0.welcome(10)
      $0.watching("A", "a.*", at: 10)
      $0.watching("B", "b.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("b.x", 2, 5, v: 2, 50)
      $0.synced(10)
      $0.lost()
      $0.welcome(12)
      $0.watching("A", "a.*", at: 12)
      $0.resumed(10)
      $0.watching("B", "b.*", at: 12)
      $0.forget(12)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("b.x", 2, 11, v: 3, 51)
      $0.synced(12)
    },
    ViewScript("forget before anything was shown", "is no news to the program") {
      $0.open("A", "a.*", at: 10)
      $0.forget(11)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(11)
    },
    ViewScript("forget twice", "the versions of before the first one still count") {
      begin(&$0)
      $0.forget(20)
      $0.current("a.y", 2, 19, v: 3, 50)
      $0.forget(30)
      $0.current("a.x", 1, 25, v: 9, 44)
      $0.current("a.y", 2, 28, v: 5, 51)
      $0.synced(30)
    },
    ViewScript(
      "lost before the first synced", "there is no bookmark: what was shown is shown again, as after forget"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.lost()
      $0.open("A", "a.*", at: 12)
      $0.current("a.x", 1, 11, v: 3, 41)
      $0.synced(12)
    },
    ViewScript(
      "lost before anything was shown", "the next connection begins like the first, also in another epoch"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.removed("a.x", 1, 30, v: 2, more: true)
      $0.lost()
      $0.welcome(2, ViewScript.otherEpoch)
      $0.watching("A", "a.*", at: 2)
      $0.current("a.x", 1, 1, v: 1, 40)
      $0.synced(2)
    },
  ]

  static let edges = [
    ViewScript("a removal that is not above the known version", "is a repetition") {
      begin(&$0)
      $0.removed("a.x", 1, 11, v: 2)
    },
    ViewScript("a removal at the bookmark", "was received before: it does not count") {
      begin(&$0)
      $0.lost()
      $0.open("A", "a.*", at: 12)
      $0.resumed(10)
      $0.removed("a.y", 9, 10, v: 4, more: true)
      $0.current("a.y", 10, 12, v: 1, 50)
      $0.synced(12)
    },
    ViewScript("synced again", "without events in between it is no news, but moves the bookmark") {
      begin(&$0)
      $0.synced(12)
      $0.synced(12)
    },
    ViewScript(
      "a watch opened later on",
      "the older watch stays synced; changes that it knows come again for the new one"
    ) {
      begin(&$0)
      $0.change(1, 11, v: 3, 41)
      $0.watching("B", "a.x", at: 11)
      $0.current("a.x", 1, 11, v: 3, 41)
      $0.synced(11)
      $0.change(1, 12, v: 4, 42)
    },
    ViewScript(
      "the end of a lifetime",
      "is a change like any other, and so is the removal of a store without initial value"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 1, 50)
      $0.synced(10)
      $0.change(1, 11, v: 3, 0)
      $0.removed("a.y", 2, 12, v: 2)
      $0.synced(12)
    },
    ViewScript(
      "a hub that was stopped in good order",
      "its volatile stores were removed as changes: the bookmark goes on"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.kept", 1, 4, v: 2, 40)
      $0.current("a.volatile", 2, 5, v: 3, 50)
      $0.synced(10)
      $0.ended(.shuttingDown)
      $0.lost()
      $0.open("A", "a.*", at: 11)
      $0.resumed(10)
      $0.removed("a.volatile", 2, 11, v: 4, more: true)
      $0.synced(11)
    },
    ViewScript(
      "a hub that was killed",
      "and had shown volatile values: forget in the same epoch; volatile stores have new numbers"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.kept", 1, 4, v: 2, 40)
      $0.current("a.volatile", 2, 5, v: 3, 50)
      $0.synced(10)
      $0.lost()
      $0.open("A", "a.*", at: 5000)
      $0.forget(5000)
      $0.current("a.kept", 1, 4, v: 2, 40)
      $0.current("a.volatile", 33_554_434, 5000, v: 1, 0)
      $0.synced(5000)
    },
  ]
}
