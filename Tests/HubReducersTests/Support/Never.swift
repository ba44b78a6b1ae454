// Owns waiting for something that never comes, until the task is cancelled.

/// Returns when the task is cancelled.
@discardableResult
func never<Value>(_ type: Value.Type = Int.self) async -> Value? {
  let (stream, input) = AsyncStream<Void>.makeStream()
  for await _ in stream {}
  input.finish()
  return nil
}
