// The meaning of operands and options: names of stores, patterns, the hub's path.

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
      if text.contains("*") { error.message += "; get, list, remove and watch take globs" }
      throw .hub(error)
    }
  }

  func storeNames() throws(Failure) -> [StoreName] {
    var names: [StoreName] = []
    for index in operands.indices { names.append(try storeName(index)) }
    return names
  }

  /// - Throws: `invalidPattern`.
  func patterns() throws(Failure) -> [NamePattern] {
    var patterns: [NamePattern] = []
    for index in operands.indices { patterns.append(try pattern(index)) }
    return patterns
  }

  /// The only pattern, or everything.
  ///
  /// - Throws: `invalidPattern`.
  func pattern() throws(Failure) -> NamePattern { operands.isEmpty ? .everything : try pattern(0) }

  /// Whether an operand is not a name, but a glob.
  var hasGlob: Bool { operands.contains { $0.bytes.contains(UInt8(ascii: "*")) } }

  /// - Throws: `invalidPattern`.
  func pattern(_ index: Int) throws(Failure) -> NamePattern {
    let text = operands[index].text
    return try attempt { () throws(HubError) in try NamePattern(text) }
  }
}
