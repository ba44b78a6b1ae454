// A write as a change of etcd: the keys that it sets or deletes, and the stores as they were when the hub evaluated it.

internal import EtcdGateway
internal import FoundationEssentials
internal import HubClient

struct WritePlan {
  /// A store before the write.
  struct Base {
    let name: String
    let key: Data
    let revision: Revision
  }

  enum Effect: Equatable {
    case put(Data)
    case delete
  }

  private(set) var bases: [Base] = []
  /// The effect on each key: the last operation counts.
  private(set) var effects: [String: Effect] = [:]
  /// The lease that each value gets or keeps.
  private(set) var lifetimes: [String: Lifetime] = [:]
  /// The types that new stores get.
  private(set) var types: [String: ValueType] = [:]

  enum Lifetime: Equatable {
    /// The key's present lease.
    case kept
    /// The lease of this machine's bridge.
    case machine
    case seconds(Int64)
  }

  var names: Set<String> { Set(effects.keys) }
  var hasLifetimes: Bool { !lifetimes.isEmpty }
  var isEphemeral: Bool { lifetimes.values.contains(.machine) }
  var onlyRemoves: Bool { effects.values.allSatisfy { $0 == .delete } }

  init(
    _ operations: [ProvidedWrite.Operation], _ mapping: NameMapping, _ values: ValueMapping
  ) throws(Refusal) {
    for operation in operations {
      let name = operation.name.text
      guard let key = mapping.key(of: name) else {
        throw Refusal("no key of etcd has this name: names of keys are written in one way only")
      }
      if effects[name] == nil {
        bases.append(Base(name: name, key: key, revision: operation.revision))
      }
      lifetimes[name] = WritePlan.lifetime(of: operation)
      switch (operation.kind, operation.value) {
      case (.create, _):
        throw Refusal(
          "etcd keeps values and no rules for them: set the store, or declare it in the hub's configuration")
      case (_, let value?):
        do throws(ValueMapping.Mismatch) {
          effects[name] = .put(try values.bytes(value))
        } catch {
          throw Refusal(error.reason, code: .typeMismatch)
        }
        types[name] = value.type
      case (_, nil): effects[name] = .delete
      }
    }
  }

  private static func lifetime(of operation: ProvidedWrite.Operation) -> Lifetime? {
    if let ttl = operation.ttl { return .seconds(Int64(clamping: ttl / 1000) + 1) }
    if operation.isEphemeral { return .machine }
    switch operation.kind {
    case .add, .toggle: return .kept
    case .set, .reset, .remove, .create: return nil
    }
  }
}

/// A write whose change may be under way to etcd.
final class PendingWrite {
  let write: ProvidedWrite
  let plan: WritePlan
  /// Whether its change sets the ticket. A full etcd only takes removals, which have none.
  let hasTicket: Bool
  /// The revision of a change without a ticket; 0: it was not made, or its answer was lost; nil: etcd has not answered yet.
  var revision: Int64?
  /// Set by the follower, which decides in the order of etcd's revisions.
  var end: End?

  enum End {
    /// It was accepted, or the hub has refused the values itself.
    case decided
    /// Whether etcd has carried it out will not be found out.
    case unknown
  }

  init(_ write: ProvidedWrite, _ plan: WritePlan, hasTicket: Bool) {
    (self.write, self.plan, self.hasTicket) = (write, plan, hasTicket)
  }
}
