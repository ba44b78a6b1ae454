// Writes that the hub has acknowledged but this process's own streams do not show yet. It has no timers.

internal import HubCore
internal import HubTransport

/// The hub answers a writer before it notifies watchers. The reply is held back until the watches of this process that
/// cover the store have caught up with it, so that a program that reads its streams after a `set` sees what it set.
struct HeldWrites {
  fileprivate struct Wait {
    let subscription: Subscription
    let store: StoreID
    let revision: Revision
  }

  private struct Held {
    let call: Call
    let answer: Answer
    let deadline: Deadline
    var waits: [Wait]
  }

  private var held: [Held] = []

  var isEmpty: Bool { held.isEmpty }

  /// The earliest deadline.
  var deadline: Deadline { held.isEmpty ? .never : held.map(\.deadline).min() ?? .never }

  /// Starts to hold a reply; `await` then adds the watches it waits for.
  struct Draft {
    fileprivate var waits: [Wait] = []
    var isEmpty: Bool { waits.isEmpty }

    mutating func await(_ subscription: Subscription, _ store: StoreID, _ revision: Revision) {
      waits.append(Wait(subscription: subscription, store: store, revision: revision))
    }
  }

  mutating func hold(_ call: Call, _ answer: Answer, until deadline: Deadline, _ draft: Draft) {
    held.append(Held(call: call, answer: answer, deadline: deadline, waits: draft.waits))
  }

  /// A watch has shown a change of that store. A later change of another store proves nothing: the hub sends a store's
  /// newest change in place of a superseded one.
  mutating func see(
    _ subscription: Subscription, _ store: StoreID, _ revision: Revision, _ effects: inout Effects
  ) {
    release(&effects) { $0.subscription === subscription && store == $0.store && revision >= $0.revision }
  }

  /// Every open watch has reached `revision`.
  mutating func sync(_ revision: Revision, _ effects: inout Effects) {
    release(&effects) { $0.revision <= revision && $0.subscription.isOpen }
  }

  /// A watch has ended, or starts over.
  mutating func drop(_ subscription: Subscription, _ effects: inout Effects) {
    release(&effects) { $0.subscription === subscription }
  }

  /// Releases all of them: the revisions are void.
  mutating func releaseAll(_ effects: inout Effects) { release(&effects) { _ in true } }

  /// Its caller no longer waits.
  mutating func release(_ call: Call, _ effects: inout Effects) {
    held.removeAll {
      guard $0.call === call else { return false }
      effects.finish(call, .success($0.answer))
      return true
    }
  }

  /// The write succeeded: late streams do not make it fail.
  mutating func expire(_ now: Deadline, _ effects: inout Effects) {
    guard !held.isEmpty, deadline <= now else { return }
    held.removeAll {
      guard $0.deadline <= now else { return false }
      effects.finish($0.call, .success($0.answer))
      return true
    }
  }

  private mutating func release(_ effects: inout Effects, _ isOver: (Wait) -> Bool) {
    if held.isEmpty { return }
    for index in held.indices { held[index].waits.removeAll(where: isOver) }
    held.removeAll {
      guard $0.waits.isEmpty else { return false }
      effects.finish($0.call, .success($0.answer))
      return true
    }
  }
}
