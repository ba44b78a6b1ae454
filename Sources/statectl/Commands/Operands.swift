// Operands as what they stand for: names of stores, patterns, and values that come from standard input.

internal import Glibc
internal import HubCore
internal import HubTransport

extension CommandLineWords {
  /// Which hub is meant.
  ///
  /// - Throws: `usage` if no socket can be there.
  func place() throws(Failure) -> SocketPath {
    let path = namedPlace.resolved
    if let problem = SocketPath.problem(with: path) {
      throw .usage(problem, hint: "see --socket and STATEHUB_SOCKET")
    }
    return .explicit(path)
  }

  private var namedPlace: SocketPath {
    if let path = text(.socket) { return .explicit(path) }
    if has(.user) { return .user }
    return has(.system) ? .system : .automatic
  }

  /// - Throws: `invalidName`.
  func storeName(_ index: Int = 0) throws(Failure) -> StoreName {
    let text = operands[index].text
    do throws(HubError) {
      return try StoreName(text)
    } catch {
      var error = error
      if text.contains("*") { error.message += "; list and watch take patterns" }
      throw .hub(error)
    }
  }

  func storeNames() throws(Failure) -> [StoreName] {
    var names: [StoreName] = []
    for index in operands.indices { names.append(try storeName(index)) }
    return names
  }

  /// - Throws: `invalidPattern`.
  func pattern(_ index: Int) throws(Failure) -> NamePattern {
    let text = operands[index].text
    return try attempt { () throws(HubError) in try NamePattern(text) }
  }
}

/// Standard input, whole.
enum StandardInput {
  /// More than any hub takes in a frame.
  static let limit = 256 << 20

  /// - Throws: `tooLarge` beyond the limit, `system` if it cannot be read.
  static func read(limit: Int = limit, _ progress: Progress? = nil) throws(Failure) -> [UInt8] {
    var input = OutputBuffer(capacity: 1 << 16)
    // Who types it sees how far it is.
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
