// What a provider published last, for the next connection.

internal import Synchronization

final class LatestValue<Value: Sendable>: Sendable {
  private let state: Mutex<Value>

  init(_ value: Value) { state = Mutex(value) }

  var value: Value { state.withLock { $0 } }

  func set(_ value: Value) { state.withLock { $0 = value } }
}
