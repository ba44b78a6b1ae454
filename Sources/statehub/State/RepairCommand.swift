// `statehub repair DIR`: repairs a damaged state directory and reports the losses. HubServer does the work.

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
    guard let directory = StateDirectoryWord.only(words) else {
      HubServer.logFailure("\(usage); see statehub repair --help")
      return 2
    }
    var progress = Progress()
    defer { progress.clear() }
    do throws(RepairFailure) {
      let outcome = try Repair.run(directory) { show($0, in: &progress) }
      progress.clear()
      return switch outcome {
      case .nothingWrong: Output.write("Nothing is damaged: a hub starts from \(directory).\n")
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
    case .checking: progress.begin("checking the files")
    case .searching(let bytes): progress.begin("salvaging records", total: bytes)
    case .searched(let bytes): progress.advance(bytes)
    case .writing: progress.begin("writing the result")
    }
  }

  private static let help = """
    Makes a damaged state directory usable: writes everything that is still readable into a new snapshot, and prints
    what was lost. The original files are kept in a directory beside it. Stores may reappear with an older value, or
    after their removal, so a new epoch begins, and clients start over.

    A transaction is salvaged completely or not at all. On a terminal the command shows its progress if it takes longer
    than a second.

    No hub may be using the directory. If you have a backup, restore it instead (statectl load).

    Exit status: 0 a hub starts from the directory, 1 it could not be repaired, 2 wrong usage.

    """

  private static func text(_ done: Repair.Done) -> String {
    var text = "\(done.problem.file) was damaged at offset \(done.problem.offset): \(done.problem.reason).\n"
    text += "Salvaged: \(quantity(done.stores, "store")). Lost:\n"
    for loss in done.losses { text += "  \(loss)\n" }
    if done.orphans > 0 { text += "  \(done.orphans) changes to stores whose definition is lost\n" }
    if done.abandoned > 0 { text += "  \(done.abandoned) other changes in the same transactions\n" }
    if done.losses.isEmpty, done.orphans == 0 { text += "  nothing\n" }
    return text + "The original files are in \(done.originals). A new epoch begins.\n"
  }
}
