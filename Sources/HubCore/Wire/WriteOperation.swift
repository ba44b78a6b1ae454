// Every write: its number, what a client gives, and the file in `Requests` with the rest.

/// The requests that change one store; transactions consist of them.
public enum WriteKind: UInt8, Sendable, CaseIterable {
  case set = 0x04
  case add = 0x05
  case toggle = 0x06
  case reset = 0x07
  case remove = 0x08
  case create = 0x09

  /// How the hub reads it.
  var command: any OperationCommand.Type {
    switch self {
    case .set: SetCommand.self
    case .add: AddCommand.self
    case .toggle: ToggleCommand.self
    case .reset: ResetCommand.self
    case .remove: RemoveCommand.self
    case .create: CreateCommand.self
    }
  }
}

/// A change of one store; a transaction has several.
public enum WriteOperation: Hashable, Sendable {
  /// The maximum number of operations in a transaction. It is executed in one piece, so this limits how long others
  /// wait.
  package static let mostInTransaction = 4096

  /// With `force`, the same value counts as a change too.
  case set(
    StoreReference, Value, condition: WriteCondition = .none, lifetime: Lifetime = .permanent,
    force: Bool = false)
  /// Adds an integer to an integer store, or any number to a double store. With `clamp` it stops at the bound instead
  /// of failing.
  case add(StoreReference, Value, clamp: Bool = false)
  case toggle(StoreReference)
  case reset(StoreReference)
  /// Only `revision` and `epoch` of the condition apply.
  case remove(StoreReference, condition: WriteCondition = .none)
  /// Creates the store, or gives it a new schema, which its value must fit. With `ifAbsent` it fails if the store
  /// exists.
  case create(StoreName, Schema, ifAbsent: Bool = false)

  package var kind: WriteKind {
    switch self {
    case .set: .set
    case .add: .add
    case .toggle: .toggle
    case .reset: .reset
    case .remove: .remove
    case .create: .create
    }
  }

  package var store: StoreReference {
    switch self {
    case .set(let store, _, _, _, _), .add(let store, _, _), .toggle(let store), .reset(let store),
      .remove(let store, _):
      store
    case .create(let name, _, _): .name(name)
    }
  }

  /// The condition it depends on.
  package var condition: WriteCondition {
    switch self {
    case .set(_, _, let condition, _, _), .remove(_, let condition): condition
    case .add, .toggle, .reset, .create: .none
    }
  }

  /// What it does to the store's lifetime, if it succeeds.
  package var lifetimeEffect: LifetimeEffect {
    switch self {
    case .set(_, _, _, let lifetime, _): .begins(lifetime)
    case .reset, .remove: .ends
    case .add, .toggle, .create: .goesOn
    }
  }

  package enum LifetimeEffect: Sendable {
    case begins(Lifetime)
    case ends
    case goesOn
  }

  /// Appends the operation's frame. Inside a transaction `id` is 0.
  package func encode(into out: inout OutputBuffer, id: UInt32) {
    switch self {
    case .set(let store, let value, let condition, let lifetime, let force):
      SetCommand.encode(store, value, condition, lifetime, force: force, id, into: &out)
    case .add(let store, let delta, let clamp): AddCommand.encode(store, delta, clamp: clamp, id, into: &out)
    case .toggle(let store): out.frame(WriteKind.toggle.rawValue, request: id) { $0.append(store) }
    case .reset(let store): out.frame(WriteKind.reset.rawValue, request: id) { $0.append(store) }
    case .remove(let store, let condition): RemoveCommand.encode(store, condition, id, into: &out)
    case .create(let name, let schema, let ifAbsent):
      CreateCommand.encode(name, schema, ifAbsent: ifAbsent, id, into: &out)
    }
  }

  package init(decoding frame: FrameView) throws(HubError) {
    guard let kind = WriteKind(rawValue: frame.rawKind) else {
      throw HubError(.unknownKind, "kind \(frame.rawKind) is not a write")
    }
    guard let command = kind.command.init(frame) else { throw .malformed(frame) }
    self = try command.operation()
  }
}
