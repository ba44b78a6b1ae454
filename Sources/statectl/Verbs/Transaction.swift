// `statectl txn`: several writes as one. Two round trips: the types of the stores, then the transaction.

internal import HubCore

extension VerbSpec {
  static let txn = VerbSpec(
    "txn", "< OPERATIONS", 0...0,
    options: Options([.showRevision]),
    summary: "execute several writes atomically",
    details: """
      Each line of standard input is one operation, written as on the command line: set, add, toggle, reset,
      create or remove with their options. Words are separated by spaces and may be quoted; # starts a comment.
      Either all operations are executed, at one revision, or none; watchers see them all at once.
      """,
    examples: ["txn <<< $'add stock.apples -1\\nadd stock.sold 1'"],
    action: .ask(command))
}

/// Standard input holds one operation per line.
///
/// - Throws: the error of a line, with its number.
private func command(_ words: CommandLineWords) throws(Failure) -> HubCommand {
  var batch = WriteBatch(words)
  let script = try StandardInput.read()
  let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
  for (index, line) in lines.enumerated() {
    do throws(Failure) {
      let arguments = try ScriptWords.split(line)
      if !arguments.isEmpty { batch.append(try write(arguments), line: index + 1) }
    } catch {
      throw .inLine(index + 1, error)
    }
  }
  return batch.run
}

private func write(_ arguments: [Argument]) throws(Failure) -> StoreWrite {
  let words = try ArgumentParser.parse(arguments, inTransaction: true)
  for option in Option.global.union(Options([.showRevision, .yes])) where words.has(option) {
    throw .usage("--\(option.name) belongs on the command line, not in a transaction")
  }
  // The parser accepts no other verbs in a transaction, and requires one unless there is --help.
  guard case .write(let write, _)? = words.verb?.action else { throw .usage("a verb is missing") }
  return try write(words)
}
