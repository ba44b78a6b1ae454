// The jobs of docs/cookbook.md, each with a hub of its own: transcripts are run as they stand, and what takes several
// programs at a time is played by CookbookPlays.

import TestSupport
import Testing

@Suite("The cookbook", .blocking)
struct CookbookTests {
  @Test("has 22 jobs, each with something that is run, and no play is left over")
  func all() {
    #expect(CookbookJob.titles.count == 22)
    #expect(Set(CookbookJob.titles).count == CookbookJob.titles.count)
    for title in CookbookJob.titles {
      let blocks = CookbookJob.blocks(of: title)
      #expect(blocks.contains { $0.language != "json5" }, "nothing of \"\(title)\" is run")
      for block in blocks where block.language == "console" {
        #expect(block.lines.first?.hasPrefix("$ ") == true, "line \(block.line) has no prompt")
      }
    }
    #expect(Set(CookbookPlays.all.keys).isSubset(of: CookbookJob.titles))
  }

  @Test("does what it says, every block of it", arguments: CookbookJob.titles)
  func job(title: String) throws {
    let job = try CookbookJob(title)
    try job.runTranscripts()
    try CookbookPlays.all[title]?(job)
    #expect(job.untried.isEmpty, "nobody runs line \(job.untried.map(\.line))")
  }
}
