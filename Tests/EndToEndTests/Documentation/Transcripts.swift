// Transcripts of the pages, run for real: what the commands print is what the page shows, but for what differs from run
// to run.

import TestSupport
import Testing

enum Transcript {
  /// What differs from run to run.
  static func masked(_ text: String) -> String {
    text
      .replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}([ T])[0-9:]{8}(\.[0-9]{9})?/, with: "TIME")
      .replacing(/pid [0-9]+/, with: "pid N").replacing(/[0-9.]+ ms/, with: "N ms")
      .replacing(/by .*[0-9]\)?/, with: "by USER").replacing(/"uid":[0-9]+/, with: "UID")
      .replacing(/[0-9a-f]{32}/, with: "EPOCH")
      // The columns of user and process are as wide as what they hold.
      .replacing(/[ ][^ ]+ \([0-9]+\) +[0-9]+ +/, with: " USER  N  ")
      .replacing(/USER +PID +CLIENT/, with: "USER  PID  CLIENT")
  }

  /// Runs the commands one after another, in the bench's directory.
  static func run(_ steps: [PageBlock.Step], on bench: Bench) throws {
    for step in steps {
      let result = try bench.control.shell("exec 2>&1; cd '\(bench.directory.path)'\n" + step.command)
      #expect(masked(result.output) == masked(step.output), "\(step.command)")
    }
    withExtendedLifetime(bench) {}
  }
}
