// The program's entry: it runs the demonstration, or one of the subscriber processes that the demonstration starts.

import Dispatch
import HubSystem

@main
enum Demo {
  /// The demonstration ends after a second or two; what takes longer than this has gone wrong.
  static let patience = Duration.seconds(12)

  @MainActor
  static func main() async {
    let words = CurrentProcess.words
    if words.count == 2, words[0] == Subscriber.role {
      CurrentProcess.exit(await Subscriber(socket: words[1]).run())
    }
    Signal.brokenPipe.ignore()
    let playing = Task { try await Script().play() }
    let deadline = Task {
      try await Task.sleep(for: patience)
      playing.cancel()
    }
    let signals = [Signal.interrupt, .terminate].map { signal in
      signal.ignore()
      let source = DispatchSource.makeSignalSource(signal: signal.number, queue: .main)
      source.setEventHandler { playing.cancel() }
      source.activate()
      return source
    }
    defer { signals.forEach { $0.cancel() } }
    // Once it has ended, its processes and its directory are gone as well.
    let result = await playing.result
    deadline.cancel()
    if case .failure(let error) = result {
      Screen.complain("demo: \(error)")
      CurrentProcess.exit(1)
    }
  }
}
