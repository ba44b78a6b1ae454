// `statehub repair DIR`: repairs a damaged state directory and says what was given up. How is HubServer's.

import HubCore
import HubServer
import HubSystem

enum RepairCommand {
  static let usage = "usage: statehub repair DIR"

  /// - Parameter words: after `repair`.
  /// - Returns: the exit status: 0 if a hub starts from the directory now.
  static func run(_ words: [String]) -> Int32 {
    if words.contains("--help") || words.contains("-h") {
      return Output.write(usage + "\n\n" + help)
    }
    guard words.count == 1, !words[0].hasPrefix("-"), !words[0].isEmpty else {
      HubServer.logFailure("\(usage); see statehub repair --help")
      return 2
    }
    var progress = Progress()
    defer { progress.clear() }
    do throws(RepairFailure) {
      let outcome = try Repair.run(words[0]) { show($0, in: &progress) }
      progress.clear()
      return switch outcome {
      case .nothingWrong: Output.write("Nothing is damaged: a hub starts from \(words[0]).\n")
      case .repaired(let done): Output.write(text(done))
      }
    } catch {
      progress.clear()
      HubServer.logFailure("\(error)")
      return 1
    }
  }

  private static func show(_ step: Repair.Step, in progress: inout Progress) {
    switch step {
    case .checking: progress.begin("looking what is wrong")
    case .searching(let bytes): progress.begin("saving what can be read", total: bytes)
    case .searched(let bytes): progress.advance(bytes)
    case .writing: progress.begin("writing what was saved")
    }
  }

  private static let help = """
    Makes a damaged state directory usable: a new snapshot gets everything that can still be read, across what
    cannot, and what was given up is printed. The files as they were stay in a directory beside it. Stores may come
    back with an older value, or after they were removed; so a new epoch begins, and clients start over.

    A transaction is saved as a whole or not at all. On a terminal it tells how far it is, if it takes longer than a
    second.

    No hub may be using the directory. Restore a backup instead, if there is one (statectl load).

    Exit status: 0 a hub starts from the directory, 1 it could not be repaired, 2 wrong usage.

    """

  private static func text(_ done: Repair.Done) -> String {
    var text = "\(done.problem.file) was damaged at offset \(done.problem.offset): \(done.problem.reason).\n"
    text += "Saved: \(quantity(done.stores, "store")). Given up:\n"
    for loss in done.losses { text += "  \(loss)\n" }
    if done.orphans > 0 { text += "  \(done.orphans) changes of stores that are described nowhere else\n" }
    if done.abandoned > 0 { text += "  \(done.abandoned) changes of the transactions that those belong to\n" }
    if done.losses.isEmpty, done.orphans == 0 { text += "  nothing\n" }
    return text + "The files as they were are in \(done.originals). A new epoch begins.\n"
  }
}
