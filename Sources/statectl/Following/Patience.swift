// How long `watch` and `wait` go on: for ever, for a time, or for one look at what there is.

internal import HubCore
internal import HubTransport

struct Patience {
  let deadline: Deadline
  /// It ends once the state of now is known. The deadline is for the hub's answer.
  let looksOnce: Bool

  /// - Throws: `usage` if `--timeout` is no time.
  init(_ words: CommandLineWords) throws(Failure) {
    let limit = try words.duration(.timeout, orNone: true)
    looksOnce = limit == .zero
    deadline = looksOnce ? .after(HubConnection.defaultPatience) : limit.map { .after($0) } ?? .never
  }
}
