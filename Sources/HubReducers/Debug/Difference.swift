// Owns the rendering of the difference of two values, line by line, for failures and logs.

/// The lines in which two values' dumps differ, each with its neighbours; `nil` if their dumps are the same.
///
/// Lines of the first value only begin with `-`, of the second only with `+`. Cost: quadratic in the number of
/// differing lines; only for reports.
package func difference<Value>(_ old: Value, _ new: Value) -> String? {
  let lines = merged(dumpLines(old), dumpLines(new))
  guard lines.contains(where: { $0.mark != .both }) else { return nil }
  let near = lines.indices.map { index in
    lines[max(0, index - 2)...min(lines.count - 1, index + 2)].contains { $0.mark != .both }
  }
  return zip(lines, near).group { $0.1 == $1.1 }
    .map { hunk in
      hunk[0].1 ? hunk.map { "\($0.0.mark.rawValue) \($0.0.text)" }.joined(separator: "\n") : "  ..."
    }
    .joined(separator: "\n")
}

private struct DiffLine {
  enum Mark: String {
    case both = " "
    case old = "-"
    case new = "+"
  }

  var mark: Mark
  var text: Substring
}

private func dumpLines(_ value: some Any) -> [Substring] {
  var text = ""
  dump(value, to: &text)
  return text.split(separator: "\n")
}

private func merged(_ old: [Substring], _ new: [Substring]) -> [DiffLine] {
  let changes = new.difference(from: old)
  let removed = Set(changes.removals.map(\.offset))
  let inserted = Set(changes.insertions.map(\.offset))
  var lines: [DiffLine] = []
  var (oldIndex, newIndex) = (0, 0)
  while oldIndex < old.count || newIndex < new.count {
    if removed.contains(oldIndex) {
      lines.append(DiffLine(mark: .old, text: old[oldIndex]))
      oldIndex += 1
    } else if inserted.contains(newIndex) {
      lines.append(DiffLine(mark: .new, text: new[newIndex]))
      newIndex += 1
    } else {
      lines.append(DiffLine(mark: .both, text: new[newIndex]))
      oldIndex += 1
      newIndex += 1
    }
  }
  return lines
}

extension CollectionDifference.Change {
  fileprivate var offset: Int {
    switch self {
    case .insert(let offset, _, _), .remove(let offset, _, _): offset
    }
  }
}
