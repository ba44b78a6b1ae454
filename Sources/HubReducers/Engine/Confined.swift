// Carries an object of one actor through concurrent code back to that actor.

/// A reference to an object that only `isolation` may touch.
///
/// `@unchecked Sendable`: the reference is private, and the only way to the object, ``perform(_:)``, first
/// hops onto the object's isolation.
struct Confined<Object: AnyObject>: @unchecked Sendable {
  private let object: Object
  private let isolation: any Actor

  init(_ object: Object, to isolation: any Actor) {
    self.object = object
    self.isolation = isolation
  }

  /// Runs `body` on the object's isolation.
  func perform<R: Sendable>(_ body: sending (Object) -> R) async -> R {
    await enter(isolation, body)
  }

  private func enter<R: Sendable>(_: isolated any Actor, _ body: sending (Object) -> R) async -> R {
    body(object)
  }
}
