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
    action: .ask(TransactionCommand.init))
}

struct TransactionCommand: HubCommand {
  private var batch = WriteBatch()
  private let words: CommandLineWords

  /// Standard input holds one operation per line.
  ///
  /// - Throws: the error of a line, with its number.
  init(_ words: CommandLineWords) throws(Failure) {
    self.words = words
    let script = try StandardInput.read()
    let lines = script.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated() {
      do throws(Failure) {
        let arguments = try ScriptWords.split(line)
        if !arguments.isEmpty { batch.append(try TransactionCommand.write(arguments), line: index + 1) }
      } catch {
        throw .inLine(index + 1, error)
      }
    }
  }

  private static func write(_ arguments: [Argument]) throws(Failure) -> any StoreWrite {
    let words = try ArgumentParser.parse(arguments, inTransaction: true)
    for option in Option.global.union(Options([.showRevision, .yes])) where words.has(option) {
      throw .usage("--\(option.name) belongs on the command line, not in a transaction")
    }
    // The parser accepts no other verbs in a transaction, and requires one unless there is --help.
    switch words.verb?.action {
    case .write(let write), .writes(let write, _): return try write(words)
    default: throw .usage("a verb is missing")
    }
  }

  func run(_ client: inout Client, _ output: inout Output) throws(Failure) {
    if batch.steps.isEmpty { return }
    let (revision, results) = try batch.commit(&client)
    try batch.show(revision, results, words, to: &output)
  }
}
