// A span for each action of a reducer.

public import HubReducers
public import Instrumentation
import Tracing

extension Reducer {
  /// Makes a span for each action, with the program's tracer. Its name is that of the action's case: `list.form.addTapped`.
  ///
  ///     var body: some ReducerOf<Self> {
  ///       CombineReducers { … }.traced()
  ///     }
  ///
  /// The span is the time in which the action is handled. What is sent inside of another span, such as a request's, is a part of
  /// that span. Effects run later: they have the action's span as ``HubReducers/DependencyValues/instrumentationContext``.
  /// Cost: the name is found by reflection, in about a microsecond for each nested case.
  @warn_unqualified_access
  public func traced() -> _TracedReducer<Self> { _TracedReducer(base: self) }
}

/// The reducer behind `traced`.
public struct _TracedReducer<Base: Reducer>: Reducer {
  let base: Base

  public func reduce(into state: inout Base.State, action: Base.Action) -> Effect<Base.Action> {
    InstrumentationSystem.tracer.withAnySpan(caseName(action)) { span in
      withDependencies {
        $0.instrumentationContext = span.context
      } operation: {
        base.reduce(into: &state, action: action)
      }
    }
  }

  public func supervise(_ state: Base.State) -> Effect<Base.Action> { base.supervise(state) }

  public static var supervision: Supervision { Base.supervision }

  public func prepared() -> PreparedReducer<Base.State, Base.Action> {
    let base = base.prepared()
    return PreparedReducer(
      _TracedReducer<PreparedReducer<Base.State, Base.Action>>(base: base), base.supervision)
  }
}

extension DependencyValues {
  /// The context of the span of the action that is handled, or that has started the effect:
  ///
  ///     @Dependency(\.instrumentationContext) var context
  ///
  ///     return .run { send in
  ///       try await withSpan("fetch", context: context) { _ in … }
  ///     }
  public var instrumentationContext: InstrumentationContext {
    get { self[ContextKey.self] }
    set { self[ContextKey.self] = newValue }
  }
}

private enum ContextKey: DependencyKey {
  static var liveValue: InstrumentationContext { .topLevel }
  static var testValue: InstrumentationContext { .topLevel }
}

/// The names of an action's case and of the cases in its payload, without other payloads, which may be secret.
private func caseName(_ action: Any) -> String {
  let mirror = Mirror(reflecting: action)
  guard mirror.displayStyle == .enum else { return "" }
  guard let (name, payload) = mirror.children.first, let label = name else { return "\(action)" }
  // The element of a list or a stack: its id would make a name of its own for each.
  let nested = Mirror(reflecting: payload)
  let element = nested.displayStyle == .tuple ? nested.children.first { $0.label == "action" } : nil
  let rest = caseName(element?.value ?? payload)
  return rest.isEmpty ? label : "\(label).\(rest)"
}
