// Expired values of claimed stores: the provider decides on the expiry as well, once it is connected again.

import HubCore

extension HubEngine {
  /// Keeps the end of a claimed store's value for its provider.
  ///
  /// - Returns: false if the store has none, or one without lifetimes, or if the provider itself has set the value:
  ///   then it ends as any other.
  mutating func leaveEnd(of slot: Int, now: Instant) -> Bool {
    guard let place = claims.place(of: stores.name(of: slot), &work), claims.all[place].offer.takesLifetimes,
      stores[slot].owner < 0 || stores[slot].owner != claims.all[place].session?.raw
    else { return false }
    claims.lastTicket += 1
    let ticket = Ticket(
      number: claims.lastTicket, session: nil, request: 0,
      writer: Peer(pid: options.pid, uid: options.uid, gid: options.gid), payer: stores[slot].uid,
      client: "", frame: [], deadline: .max, operations: [stores.ending(of: slot)],
      evaluated: history.revision, isTransaction: false)
    // It is due once.
    ledger.undo.willChange(slot, in: &stores)
    stores.clearLifetime(of: slot)
    ledger.tellLifetime(of: slot, &stores, now: now)
    stores.accounts.add(ticket.charge)
    claims.all[place].add(ticket)
    claims.mayForward = true
    return true
  }

  /// What the end of the value now means.
  ///
  /// - Returns: false if there is nothing to end: the store is gone, or was set again.
  mutating func renewEnd(_ ticket: inout Ticket) -> Bool {
    stores.accounts.refund(ticket.charge)
    guard let slot = slot(of: ticket) else { return false }
    ticket.operations = [stores.ending(of: slot)]
    stores.accounts.add(ticket.charge)
    return true
  }

  /// The store whose value's time is up; nil: it is gone, or was set again.
  private func slot(of ticket: Ticket) -> Int? {
    guard let end = ticket.operations.first, let slot = stores.find(end.name.text),
      stores[slot].version == end.version
    else { return nil }
    return slot
  }

  /// Ends values whose provider is permanently gone, until this much work is done.
  mutating func endOrphans(until enough: Int, now: Instant) {
    while work < enough, let ticket = claims.orphans.popFirst() {
      work &+= Cost.write
      stores.accounts.refund(ticket.charge)
      if let slot = slot(of: ticket) { endValue(of: slot, now: now) }
    }
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
