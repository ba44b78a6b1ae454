// Standard input, whole: a value, the lines of a transaction, a dump.

internal import Glibc
internal import HubCore

enum StandardInput {
  /// More than any hub takes in a frame.
  static let limit = 256 << 20

  /// - Throws: `tooLarge` beyond the limit, `system` if it cannot be read.
  static func read(limit: Int = limit, _ progress: Progress? = nil) throws(Failure) -> [UInt8] {
    var input = OutputBuffer(capacity: 1 << 16)
    // A user who types it sees the progress.
    let progress = isatty(STDIN_FILENO) == 1 ? nil : progress
    progress?.begin("MiB read")
    while true {
      progress?.reach(input.count >> 20)
      var count = 0
      input.fill(room: 1 << 16) { room in
        count = Glibc.read(STDIN_FILENO, room.baseAddress, room.count)
        return max(0, count)
      }
      if count == 0 { return input.array }
      if count < 0, errno != EINTR { throw .system("cannot read standard input", errno) }
      if input.count > limit {
        throw .hub(HubError(.tooLarge, "standard input is longer than \(limit >> 20) MiB"))
      }
    }
  }
}
