// The adapter of the Swift client for Tools/conformance: it reads instructions and reports what the client does. The
// contract is in Clients/README.md.

import FoundationEssentials
import HubClient
import HubCore

// Off the main thread, which must stay free while a line is awaited.
try await Task.detached { try drive() }.value

/// Carries out each instruction, up to the end of the input.
nonisolated func drive() throws {
  var hub: Hub?
  var filter: FilterField?
  var watches: [String: Task<Void, Never>] = [:]

  while let line = readLine() {
    let content = Data(line.utf8)
    let instruction = try JSONDecoder().decode(Instruction.self, from: content)
    switch instruction.do {
    case "open":
      hub?.close()
      hub = Hub(
        .explicit(instruction.path ?? ""), name: instruction.name,
        timeout: .milliseconds(Int((instruction.timeout ?? 5) * 1000)))
      filter = instruction.filter
    case "request":
      guard let hub else { break }
      let write = try? JSONDecoder().decode(WriteField.self, from: content)
      // Begun before the next line is read, so that requests go out in the order of the instructions.
      Task.immediateDetached { await perform(instruction, write, on: hub) }
    case "watch":
      guard let hub, let label = instruction.watch else { break }
      watches[label] = follow(label, instruction, filter, on: hub)
    case "unwatch": watches.removeValue(forKey: instruction.watch ?? "")?.cancel()
    case "close": hub?.close()
    default: break
    }
  }
  hub?.close()
}
