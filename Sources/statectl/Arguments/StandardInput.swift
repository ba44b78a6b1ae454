// Standard input or a file, whole: a value, the lines of a transaction, a dump.

internal import HubCore
internal import HubSystem

enum StandardInput {
  /// More than any hub accepts in a frame.
  static let limit = 256 << 20

  /// - Throws: `tooLarge` beyond the limit, `system` if it cannot be read.
  static func read(limit: Int = limit, _ progress: Progress? = nil) throws(Failure) -> [UInt8] {
    // A user who types it sees the progress.
    let progress = StandardStream.input.isTerminal ? nil : progress
    return try read(StandardStream.input.raw, "standard input", limit: limit, progress)
  }

  /// The content of a file, which may be a pipe.
  static func read(path: String) throws(Failure) -> [UInt8] {
    let file = try SystemError.attempt(Descriptor(opening: path)) {
      Failure.system("cannot open \(path)", $0)
    }
    return try read(file.raw, path, limit: limit)
  }

  private static func read(
    _ file: Int32, _ name: String, limit: Int, _ progress: Progress? = nil
  ) throws(Failure) -> [UInt8] {
    var input = OutputBuffer(capacity: 1 << 16)
    progress?.begin("MiB read")
    while true {
      progress?.reach(input.count >> 20)
      switch input.read(from: file) {
      case .bytes: break
      case .ended: return input.array
      // The parent process may have made the descriptor non-blocking.
      case .wouldBlock: Poll.wait(for: .reading, on: file)
      case .failed(let problem): throw .system("cannot read \(name)", problem)
      }
      if input.count > limit {
        throw .hub(HubError(.tooLarge, "\(name) is longer than \(limit >> 20) MiB"))
      }
    }
  }
}

extension OutputBuffer {
  /// Reads once, at most as much as a pipe usually holds.
  mutating func read(from descriptor: Int32) -> Transfer {
    var result = Transfer.ended
    fill(room: 1 << 16) { room in
      result = Descriptor.read(descriptor, into: room)
      return result.count ?? 0
    }
    return result
  }
}
