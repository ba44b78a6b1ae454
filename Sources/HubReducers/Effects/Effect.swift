// Owns effects: descriptions of work after a change of the state. They are values, interpreted only by the engine.

/// The consequence of an action: nothing, further actions, asynchronous work, or a cancellation.
///
/// Names and meaning follow The Composable Architecture. An effect made of several is a small tree. Making `.none`, or
/// combining it with anything, allocates nothing.
public struct Effect<Action> {
  indirect enum Node {
    case none
    case send(Action)
    case run(Run)
    case perform(SynchronousWork)
    case merge([Node])
    case concatenate([Node])
    case cancellable(EffectID, EffectOverlap, Node)
    case cancel(EffectID)
    case scoped(ScopeStep, Node)
    case keepScopes(ScopeGroup, alive: Set<EffectID>)
    case subscribe(SubscriptionID, EffectOverlap, Node)
    case unsubscribe(SubscriptionID)
    /// A subscription required by the state; without an argument, it is identified only by its position among similar
    /// ones.
    case supervised(SubscriptionID, argument: EffectID?, Node)
    case expectsSupervision(SubscriptionID, argument: EffectID, IssueSite)
  }

  /// Asynchronous work with the dependencies it was made with.
  struct Run {
    var name: String?
    var priority: TaskPriority?
    var site: IssueSite
    /// The actions of the reducer that made it.
    var maker: Any.Type
    var dependencies: DependencyValues
    var operation: @Sendable @concurrent (Send<Action>) async -> Void
  }

  var node: Node

  var isNone: Bool {
    if case .none = node { true } else { false }
  }

  init(node: Node) { self.node = node }

  /// Nothing to do.
  public static var none: Self { Self(node: .none) }

  /// Sends another action, after those already queued and before anything asynchronous.
  public static func send(_ action: Action) -> Self { Self(node: .send(action)) }
}

extension Effect: Sendable where Action: Sendable {}
extension Effect.Node: Sendable where Action: Sendable {}
extension Effect.Run: Sendable {}

/// Short synchronous work that sends nothing, done in order once the new state is published.
struct SynchronousWork: Sendable {
  /// It may take long, so a store runs it elsewhere.
  var isSlow: Bool
  var dependencies: DependencyValues
  var operation: @Sendable () -> Void
}

/// What happens to an effect that starts while another with its id is in flight in the same scope.
enum EffectOverlap {
  case both
  case cancelOld
  case dropNew
}

/// The effects of a reducer's actions.
public typealias EffectOf<R: Reducer> = Effect<R.Action>
