// Owns the dependency by which a presented feature asks to be dismissed, without knowing who presents it.

/// Dismisses the feature whose effect calls it.
///
/// ```swift
/// @Dependency(\.dismiss) var dismiss
///
/// case .closeTapped:
///   return .run { _ in await dismiss() }
/// ```
/// The parent receives `.dismiss` in its `PresentationAction`, or `.popFrom(id:)` in its ``StackAction``. That ends
/// the feature's effects, so nothing after the call is sent. Of nested presentations, the innermost is dismissed. Call
/// it in the effect's own task: calling it elsewhere, or in a feature that is not presented, is reported as an issue.
public struct DismissEffect: Sendable {
  private enum Target {
    case nothing
    /// The presenter of the feature that calls it.
    case presentation
    case custom(@Sendable () async -> Void)
  }

  private let target: Target

  private init(_ target: Target) { self.target = target }

  /// Makes a custom dismissal, to present a feature from outside or to observe the dismissal in a test.
  public init(_ dismiss: @escaping @Sendable () async -> Void) { target = .custom(dismiss) }

  static let unavailable = DismissEffect(.nothing)
  static let presentation = DismissEffect(.presentation)

  /// Dismisses the feature, and returns once its parent has handled the dismissal.
  public func callAsFunction(
    fileID: StaticString = #fileID, filePath: StaticString = #filePath, line: UInt = #line,
    column: UInt = #column
  ) async {
    switch (target, Dismissal.current) {
    case (.custom(let dismiss), _): await dismiss()
    case (.presentation, let dismissal?): await dismissal.perform()
    case (.presentation, nil), (.nothing, _):
      reportIssue(
        """
        A feature asked to be dismissed, but nothing presents it here. Call dismiss() in an effect of a feature that runs \
        in an ifLet with PresentationAction or in a forEach on a stack.
        """, fileID: fileID, filePath: filePath, line: line, column: column)
    }
  }

  fileprivate var isAvailable: Bool {
    if case .nothing = target { false } else { true }
  }
}

/// How the running effect dismisses its child.
struct Dismissal: Sendable {
  @TaskLocal static var current: Dismissal?

  let perform: @Sendable @concurrent () async -> Void
}

extension DependencyValues {
  /// Dismisses the feature whose effect calls it.
  public var dismiss: DismissEffect {
    get { self[DismissKey.self] }
    set { self[DismissKey.self] = newValue }
  }

  /// Whether the calling feature is presented, and so can be dismissed.
  public var isPresented: Bool { dismiss.isAvailable }
}

private enum DismissKey: DependencyKey {
  static var liveValue: DismissEffect { .unavailable }
  static var testValue: DismissEffect { .unavailable }
}
