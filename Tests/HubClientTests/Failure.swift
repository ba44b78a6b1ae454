// How tests ask for an error: as a value, to look at its code and its store.

import HubClient
import Testing

/// The `HubError` that `body` throws; nil if it succeeds. Any other error is an issue.
func failure<T>(_ body: () async throws -> T) async -> HubError? {
  do {
    _ = try await body()
    return nil
  } catch let error as HubError {
    return error
  } catch {
    Issue.record(error)
    return nil
  }
}
