// The invariants of connections between two turns, for the tests.

import HubCore

extension Connections {
  /// Which invariants are broken, and how.
  func brokenInvariants() -> [String] {
    var problems: [String] = []
    var (bytes, sessions, extras, leavers, buffers) = (0, 0, 0, 0, 0)
    // No session has descriptor 0.
    for descriptor in (0..<limit).dropFirst() {
      let session = slots[descriptor]
      func expect(_ holds: Bool, _ what: String) {
        if !holds { problems.append("session \(descriptor), which is \(session.life), \(what)") }
      }
      bytes += session.ownBytes
      if session.life.isSession { sessions += 1 }
      if session.isExtra { extras += 1 }
      if session.hasLargeBuffer { buffers += 1 }
      if session.life == .leaving { leavers += 1 }
      let hasEnded = if case .ended = session.life { 1 } else { 0 }
      expect(ended.filter { $0 == descriptor }.count == hasEnded, "is in the list of ended sessions")
      expect(session.life.flow != nil || session.heldBytes == 0, "keeps bytes")
      expect(session.life.flow == .blocked || session.unsent == 0, "has output, but is not blocked")
      expect((session.life == .leaving) == (leaving.deadline(of: descriptor) > 0), "has a deadline to leave")
      expect(!session.attention.isListed || ready.all.contains(descriptor), "is ready but not in the list")
      expect(greetings.deadline(of: descriptor) == 0 || session.life.isSession, "has a deadline for hello")
    }
    if bytes != budget.used { problems.append("\(bytes) bytes are kept, but \(budget.used) are counted") }
    if sessions != admission.count || extras != admission.extras {
      problems.append("there are \(sessions) sessions, \(extras) extra, but not \(admission)")
    }
    if buffers != sendBuffers.count {
      problems.append("\(buffers) have a large send buffer, but \(sendBuffers.count) are counted")
    }
    if leavers != leaving.count { problems.append("\(leavers) leave, but \(leaving.count) have deadlines") }
    return problems
  }
}
