// The scripts of docs/vectors/views.json for watches with a deadline.

import HubCore

enum DeadlineScripts {
  static let all = [
    ViewScript(
      "a silence", "a store is overdue with the version that was shown, and in time when it is written"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .ended)
      $0.synced(10)
    },
    ViewScript("a silence that a change ends", "the change counts as ever; another silence may have begun") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(10)
      $0.current("a.x", 1, 12, v: 4, 41, .ended)
      $0.synced(12)
      $0.current("a.x", 1, 15, v: 7, 44, .begun)
      $0.synced(15)
      $0.change(1, 16, v: 8, 45)
    },
    ViewScript("repeated marks", "what is known of a silence is no news, nor is one of an older version") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .ended)
      $0.current("a.x", 1, 3, v: 1, 39, .begun)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
    },
    ViewScript("a silence on two connections", "a store stays overdue over a lost connection") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(10)
      $0.lost()
      $0.open("A", "a.*", at: 10)
      $0.resumed(10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.current("a.y", 2, 5, v: 2, 50, .ended)
      $0.current("a.x", 1, 4, v: 2, 40, .ended)
      $0.synced(10)
    },
    ViewScript("a silence before forget", "a store that is overdue is shown as that again") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(10)
      $0.forget(12)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(12)
      $0.current("a.x", 1, 4, v: 2, 40, .ended)
      $0.synced(12)
    },
    ViewScript("another watch of a store that is overdue", "it is shown as that from the beginning") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(10)
      $0.watching("B", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40, .begun)
      $0.synced(10)
      $0.removed("a.x", 1, 11, v: 3)
    },
  ]
}
