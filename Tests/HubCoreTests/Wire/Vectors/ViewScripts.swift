// The scripts of docs/vectors/views.json for one connection. Those for several are in `+Resuming`.

import HubCore

enum ViewScripts {
  static let all =
    snapshots + changes + overlaps + catchingUp + resuming + starting + edges + DeadlineScripts.all

  private static let snapshots = [
    ViewScript("nothing matches", "synced comes also if there is nothing to show") {
      $0.open("A", "a.*", at: 10)
      $0.synced(10)
    },
    ViewScript(
      "first snapshot", "the stores that match, as initial; nothing is skipped, whatever their versions"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 9, v: 7, 50)
      $0.synced(10)
    },
    ViewScript(
      "a change during the first snapshot", "changes of shown stores come meanwhile, here as current"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.x", 1, 12, v: 4, 42)
      $0.synced(12)
    },
    ViewScript(
      "a removal during the first snapshot", "a store of that name that comes behind it is news, not initial"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.removed("a.x", 1, 11, v: 3)
      $0.created("a.x", 3, 12, 0)
      $0.synced(12)
    },
    ViewScript("a removal before the store was shown", "is no news, and counts for nothing") {
      $0.open("A", "a.*", at: 10)
      $0.removed("a.x", 1, 11, v: 3, more: true)
      $0.current("a.x", 3, 12, v: 1, 0)
      $0.synced(12)
    },
    ViewScript("schemas", "a watch that asks for schemas is shown its stores by created") {
      $0.welcome(10)
      $0.watching("A", "a.*", at: 10, schemas: true)
      $0.created("a.x", 1, 4, v: 2, 40, schema: Schema(type: .integer, maximum: 50), transient: true)
      $0.synced(10)
      $0.change(1, 11, v: 3, 41)
    },
  ]

  private static let changes = [
    ViewScript("changes", "each with the number alone; skipped counts by versions") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.change(1, 11, v: 3, 41)
      $0.change(1, 14, v: 6, 44)
    },
    ViewScript(
      "a creation", "behind the first synced it is news; no synced need follow a batch about one store"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.synced(10)
      $0.created("a.x", 1, 11, 1)
      $0.change(1, 12, v: 2, 2)
    },
    ViewScript("a removal", "counts the changes before it, not itself") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.synced(10)
      $0.removed("a.x", 1, 11, v: 3)
      $0.removed("a.y", 2, 15, v: 6)
      $0.synced(15)
    },
    ViewScript("a name that is used again", "the new store has another number, and versions of its own") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 9, 40)
      $0.synced(10)
      $0.removed("a.x", 1, 11, v: 10)
      $0.created("a.x", 16_777_217, 12, 1)
      $0.change(16_777_217, 13, v: 2, 2)
    },
    ViewScript("another type", "a value may be of another type than before") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 1, 40)
      $0.synced(10)
      $0.created("a.x", 1, 11, v: 2, .double(40), schema: Schema(type: .double))
      $0.change(1, 12, v: 3, .double(40.5))
    },
    ViewScript(
      "a new schema", "created about a known store is a change; with its known version it is a repetition"
    ) {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 1, 40)
      $0.synced(10)
      $0.created("a.x", 1, 11, v: 2, 40, schema: Schema(type: .integer, maximum: 50))
      $0.created("a.x", 1, 11, v: 2, 40, schema: Schema(type: .integer, maximum: 50))
    },
    ViewScript("a transaction", "its parts have one revision; synced closes it") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 1, 40)
      $0.current("a.y", 2, 5, v: 1, 50)
      $0.synced(10)
      $0.change(1, 11, v: 2, 41, grouped: true, more: true)
      $0.change(2, 11, v: 2, 51, grouped: true, more: true)
      $0.removed("a.y", 2, 11, v: 3, grouped: true)
      $0.synced(11)
    },
    ViewScript("a transaction that writes a store twice", "both are changes, of one revision") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 1, 40)
      $0.synced(10)
      $0.change(1, 11, v: 2, 41, grouped: true, more: true)
      $0.change(1, 11, v: 3, 42, grouped: true)
      $0.synced(11)
    },
  ]

  private static let overlaps = [
    ViewScript("repeated events", "a version that is not above the known one is no news") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.change(1, 11, v: 3, 41)
      $0.change(1, 11, v: 3, 41)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.change(1, 12, v: 4, 42)
    },
    ViewScript("two watches", "an event is for the watches whose patterns match the name; synced is for all")
    {
      $0.welcome(10)
      $0.watching("A", "a.*", at: 10)
      $0.watching("B", "b.*", "*.y", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("b.x", 2, 5, v: 2, 50)
      $0.current("a.y", 3, 6, v: 1, 60)
      $0.synced(10)
      $0.change(1, 11, v: 3, 41)
      $0.change(2, 12, v: 4, 51)
      $0.change(3, 13, v: 2, 61)
      $0.synced(13)
    },
    ViewScript("a watch beside another", "what one watch knows already is initial to the other") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.watching("B", "**.x", at: 11)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("b.x", 2, 8, v: 1, 50)
      $0.current("a.x", 1, 11, v: 3, 41)
      $0.synced(11)
    },
    ViewScript("a store of no watch", "a change of a number whose name was never told is passed over") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.change(77, 11, v: 3, 41)
      $0.change(1, 12, v: 3, 42)
    },
    ViewScript("a watch that has ended", "is shown nothing more") {
      $0.open("A", "a.*", at: 10)
      $0.watching("B", "b.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("b.x", 2, 5, v: 2, 50)
      $0.synced(10)
      $0.change(2, 11, v: 3, 51)
      $0.unwatched("B")
      $0.change(2, 12, v: 4, 52)
      $0.change(1, 13, v: 3, 41)
    },
    ViewScript("unknown events", "kinds of a later version are passed over") {
      $0.open("A", "a.x", at: 10)
      $0.unknown(0x5A, [1, 2, 3])
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.unknown(0x7F, [])
      $0.synced(10)
    },
    ViewScript("ended", "the hub says why; the view stays as it was") {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.ended(.shuttingDown)
      $0.lost()
    },
  ]

  private static let catchingUp = [
    ViewScript("conflation", "who did not read gets the newest value of each store that has changed") {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.current("a.y", 2, 5, v: 2, 50)
      $0.current("a.z", 3, 6, v: 2, 60)
      $0.synced(10)
      $0.removed("a.z", 3, 20, v: 4, more: true)
      $0.current("a.x", 1, 31, v: 12, 45)
      $0.current("a.new", 4, 33, v: 3, 70)
      $0.synced(33)
    },
    ViewScript(
      "came and went unseen",
      "the removal of a store that was never shown is shown: all its changes were skipped"
    ) {
      $0.open("A", "a.*", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.removed("a.x", 1, 11, v: 3, more: true)
      $0.removed("a.x", 2, 15, v: 4, more: true)
      $0.current("a.x", 3, 17, v: 2, 41)
      $0.synced(17)
    },
    ViewScript("came and went, and stayed away", "its removal has counted its changes, whatever comes after")
    {
      $0.open("A", "a.*", at: 10)
      $0.synced(10)
      $0.removed("a.x", 2, 15, v: 4, more: true)
      $0.synced(15)
      $0.created("a.x", 3, 17, 41)
    },
    ViewScript(
      "an end that was not told",
      "another number under the name: the store before has gone, and it is unknown what was skipped"
    ) {
      $0.open("A", "a.x", at: 10)
      $0.current("a.x", 1, 4, v: 2, 40)
      $0.synced(10)
      $0.current("a.x", 2, 12, v: 5, 41)
      $0.synced(12)
    },
  ]
}
