// Values of claimed stores whose time is up: the provider decides about their end, too, whenever it is there again.

import HubCore

extension HubEngine {
  /// Keeps the end of a claimed store's value for its provider.
  ///
  /// - Returns: false if the store has none, or one that knows no lifetimes, or if the provider itself has set the value: then
  ///   it ends as any other.
  mutating func leaveEnd(of slot: Int, now: Instant) -> Bool {
    guard let place = claims.place(of: stores.name(of: slot), &work), claims.all[place].offer.takesLifetimes,
      stores[slot].owner < 0 || stores[slot].owner != claims.all[place].session?.raw
    else { return false }
    claims.lastTicket += 1
    var ticket = Ticket(
      number: claims.lastTicket, session: nil, request: 0,
      setter: Peer(pid: options.pid, uid: options.uid, gid: options.gid), client: "", frame: [],
      deadline: .max, operations: [stores.ending(of: slot)], evaluated: 0, isTransaction: false)
    ticket.evaluated = history.revision
    // It is due once.
    ledger.undo.willChange(slot, in: &stores)
    stores.clearLifetime(of: slot)
    ledger.tellLifetime(of: slot, &stores, now: now)
    claims.all[place].waiting.append(ticket)
    claims.mayForward = true
    return true
  }

  /// What the end of the value means by now.
  ///
  /// - Returns: false if there is nothing to end: the store is gone, or was set again.
  mutating func renewEnd(_ ticket: inout Ticket) -> Bool {
    guard let before = ticket.operations.first, let slot = stores.find(before.name.text),
      stores[slot].version == before.version
    else { return false }
    ticket.operations = [stores.ending(of: slot)]
    return true
  }

  /// Nobody stands behind the store any more: its value ends.
  mutating func endValues(of ticket: Ticket, now: Instant) {
    var ticket = ticket
    guard renewEnd(&ticket), let store = ticket.store, let slot = stores.find(store) else { return }
    endValue(of: slot, now: now)
  }
}

extension Stores {
  fileprivate func ending(of slot: Int) -> ForwardedOperation {
    let (record, initial) = (self[slot], schema(of: slot).initial)
    return ForwardedOperation(
      initial == nil ? .remove : .reset, StoreName(checked: name(of: slot)), revision: record.revision,
      version: record.version, value: initial)
  }
}
