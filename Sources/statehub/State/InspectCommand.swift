// `statehub inspect DIR`: prints what a state directory holds, as text or JSON lines. What it means is HubServer's.

import HubServer

enum InspectCommand {
  static let usage = "usage: statehub inspect [--json] DIR"

  /// - Parameter words: behind `inspect`.
  /// - Returns: the exit status: 0 if a hub would start from it, 1 if not.
  static func run(_ words: [String]) -> Int32 {
    var words = words
    if words.contains("--help") || words.contains("-h") {
      Terminal.print(usage + "\n\n" + help)
      return 0
    }
    let json = words.contains("--json")
    words.removeAll { $0 == "--json" }
    guard words.count == 1, !words[0].hasPrefix("-"), !words[0].isEmpty else {
      HubServer.logFailure("\(usage); see statehub inspect --help")
      return 2
    }
    do throws(JournalProblem) {
      let listing = try StateListing(words[0])
      return json ? printJSON(listing) : printText(listing)
    } catch {
      HubServer.logFailure("\(error)")
      return 1
    }
  }

  private static let help = """
    Prints every file of a state directory with its records, and what a hub would make of it at its start: what is
    there, where the journal ends, and whether something is damaged. The directory is not changed, and a hub that
    is using it is not disturbed. docs/journal.md explains the words.

      --json     one JSON object in a line: files, frames and gaps in their order, and a summary last

    Exit status: 0 a hub would start from it, 1 it would not, or it cannot be read, 2 wrong usage.

    """

  private static func printText(_ listing: borrowing StateListing) -> Int32 {
    var text = InspectText()
    let summary = Inspection.run(listing.files) { text.add($0) }
    text.add(summary)
    text.flush()
    return status(of: summary)
  }

  private static func printJSON(_ listing: borrowing StateListing) -> Int32 {
    var json = InspectJSON()
    let summary = Inspection.run(listing.files) { json.add($0) }
    json.add(summary)
    json.flush()
    return status(of: summary)
  }

  private static func status(of summary: InspectionSummary) -> Int32 {
    if case .failure = summary.plan { 1 } else { 0 }
  }
}
