// Owns the description of what a reducer wants done after it changed the state.
// It is a value: it runs nothing, and the engine is its only interpreter.

/// What should happen because of an action: nothing, further actions, asynchronous work, or a cancellation.
///
/// Names and meaning follow The Composable Architecture. An effect made of several is a small tree; making
/// `.none` or combining it with anything allocates nothing.
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
    /// What a state asks for; without an argument only the place of a subscription among others that are alike.
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

  /// Sends one more action, after the ones that are queued already and before anything asynchronous.
  public static func send(_ action: Action) -> Self { Self(node: .send(action)) }
}

extension Effect: Sendable where Action: Sendable {}
extension Effect.Node: Sendable where Action: Sendable {}
extension Effect.Run: Sendable {}

/// Short synchronous work that sends nothing, done in order once the new state is published.
struct SynchronousWork: Sendable {
  /// It may take long, so a store does it elsewhere.
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
