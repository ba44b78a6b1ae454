// Owns waiting in a test for what other tasks bring about.

/// Waits until something is so, at most for four minutes. It asks again and again, with a pause that lets others work.
///
/// A pause counts for a hundredth of a second at most, however long it takes. Where other tests hold all threads a pause of
/// a millisecond may take minutes, and then what is waited for has had no thread either.
public func eventually(
  isolation: isolated (any Actor)? = #isolation, _ what: String, atMost patience: Duration = .seconds(240),
  _ isSo: () async throws -> Bool
) async throws {
  var waited = Duration.zero
  while try await !isSo() {
    guard waited < patience else { throw TestFailure("not within \(patience): \(what)") }
    let start = ContinuousClock.now
    try await Task.sleep(for: .milliseconds(1))
    waited += min(start.duration(to: .now), .milliseconds(10))
  }
}
