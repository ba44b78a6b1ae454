// `statehub inspect DIR`: prints the content of a state directory, as text or JSON lines. HubServer interprets
// it.

import HubServer
import HubSystem

enum InspectCommand {
  static let usage = "usage: statehub inspect [--json] [--summary] DIR"

  /// - Parameter words: after `inspect`.
  /// - Returns: the exit status: 0 if a hub would start from it, 1 if not.
  static func run(_ words: [String]) -> Int32 {
    var words = words
    if words.contains("--help") || words.contains("-h") {
      return Output.write(usage + "\n\n" + help)
    }
    let isJSON = take("--json", from: &words)
    let isSummary = take("--summary", from: &words)
    guard let directory = StateDirectoryWord.only(words) else {
      HubServer.logFailure("\(usage); see statehub inspect --help")
      return 2
    }
    do throws(JournalProblem) {
      let listing = try StateListing(directory)
      var text: any InspectWriter = isJSON ? InspectJSON() : InspectText()
      return print(listing, onlySummary: isSummary, with: &text)
    } catch {
      HubServer.logFailure("\(error)")
      return 1
    }
  }

  private static func take(_ option: String, from words: inout [String]) -> Bool {
    defer { words.removeAll { $0 == option } }
    return words.contains(option)
  }

  private static let help = """
    Prints every file of a state directory with its records, then a summary of what a hub would load from it:
    the content, the end of the journal, and any damage. It neither changes the directory nor disturbs a hub
    that uses it.
    docs/durability.md explains the terms.

      --json     print one JSON object per line: files, frames and gaps in order, then the summary
      --summary  print only the summary

    On a terminal it shows its progress if it takes longer than a second.

    Exit status: 0 a hub would start from it, 1 a hub would not start or the directory cannot be read, 2 wrong
    usage.

    """

  private static func print(
    _ listing: borrowing StateListing, onlySummary: Bool, with writer: inout any InspectWriter
  ) -> Int32 {
    var progress = Progress()
    if !onlySummary {
      // On a terminal the output itself shows the progress.
      let isVisible = StandardStream.output.isTerminal
      if !isVisible { progress.begin("printing the files", total: listing.length) }
      writer.begin(user: listing.user)
      Inspection.visit(listing.files, progress: { if !isVisible { progress.advance($0) } }) { writer.add($0) }
      writer.flush()
    }
    progress.begin("checking what a start would do")
    let summary = listing.summary
    progress.clear()
    writer.add(summary, isFirst: onlySummary)
    writer.flush()
    if case .failure = summary.plan { return writer.output.exitStatus(1) }
    return writer.output.exitStatus()
  }
}

/// What an inspection is written with.
protocol InspectWriter {
  /// - Parameter user: the process that uses the directory.
  mutating func begin(user: Int32?)
  mutating func add(_ item: InspectionItem)
  /// - Parameter isFirst: nothing comes before it.
  mutating func add(_ summary: InspectionSummary, isFirst: Bool)
  mutating func flush()
  /// What was written, and whether it could be.
  var output: Output { get }
}
