// How long `watch` and `wait` run: indefinitely, for a given time, or for one check of the current state.

internal import HubCore
internal import HubTransport

struct Patience {
  let deadline: Deadline
  /// It ends once the current state is known. The deadline is for the hub's reply.
  let looksOnce: Bool

  /// - Throws: `usage` if `--timeout` is not a time.
  init(_ words: CommandLineWords) throws(Failure) {
    let limit = try words.duration(.timeout, orNone: true)
    looksOnce = limit == .zero
    deadline = looksOnce ? .after(HubConnection.defaultPatience) : limit.map { .after($0) } ?? .never
  }
}
