// The state of each claim, as a store of the hub: readers of provided values can watch whether they are live, in the
// same order as the values.

import HubCore

extension HubEngine {
  /// Changes the state, with all consequences.
  mutating func move(claim place: Int, to state: ClaimState, now: Instant) {
    claims.all[place].move(to: state, at: now.wall)
    publish(claim: place, now: now)
    if !claims.all[place].isLive { turnAway(from: place) }
  }

  /// Writes and reads that were not forwarded yet can no longer be.
  private mutating func turnAway(from place: Int) {
    let refused = claims.all[place].takeWaiting { _ in true }
    work &+= Cost.request &* refused.count
    for ticket in refused { answer(ticket, claims.all[place].error(ticket.store)) }
  }

  /// Puts the claim's state into its store, if it has changed.
  mutating func publish(claim place: Int, now: Instant) {
    let value = claims.all[place].value
    let name = Array((ClaimStatus.prefix + claims.all[place].offer.name.text).utf8)
    name.withByteView { name in
      if let slot = stores.find(name) {
        if stores.value(of: slot).value == value { return }
        ledger.undo.willChange(slot, in: &stores)
        value.bytes.withByteView { stores.setValue($0, of: slot) }
        announceChange(of: slot, by: nil, now: now)
      } else {
        var schema = Schema(type: .json, durability: .volatile)
        schema.description = "the provider \(claims.all[place].offer.name)"
        // This is the hub's own store: only a full table could refuse it, and then the claim's state is not published.
        let slot = value.bytes.withByteView { try? insert(name, schema, $0, by: nil) }
        if let slot { announceCreation(of: slot, by: nil, now: now) }
      }
    }
  }

  /// The claim has ended, and so has its store.
  mutating func withdrawStore(of name: StoreName, now: Instant) {
    guard let slot = stores.find(ClaimStatus.prefix + name.text) else { return }
    _ = removeStore(slot, by: nil, now: now)
  }
}

extension Claim {
  /// Its public state.
  var value: Value {
    var json = JSONWriter()
    json.beginObject()
    json.key("state")
    json.string(state.word)
    if !state.reason.isEmpty {
      json.key("reason")
      json.string(state.reason)
    }
    if let staleSince {
      json.key("staleSince")
      json.integer(staleSince / 1_000_000)
    }
    json.key("stores")
    json.beginArray()
    for pattern in offer.patterns { json.string(pattern.text) }
    json.endArray()
    if !offer.description.isEmpty {
      json.key("description")
      json.string(offer.description)
    }
    if isWatched {
      json.key("watched")
      json.boolean(true)
    }
    if interval > 0 {
      json.key("interval")
      json.integer(Int64(interval))
    }
    json.endObject()
    return .json(String(decoding: json.bytes, as: UTF8.self))
  }
}
