// What writers and watchers write down, one line each, at the moment when it happens: the history that is checked.

/// What a store is known to be at one version.
public struct Mark: Hashable, Sendable {
  public var id: UInt64
  public var revision: UInt64
  public var version: UInt64

  public init(id: UInt64, revision: UInt64, version: UInt64) {
    self.id = id
    self.revision = revision
    self.version = version
  }
}

/// A store's value as somebody was shown it.
public struct Sight: Hashable, Sendable {
  public var name: String
  public var mark: Mark
  /// Nil: a value that nobody wrote.
  public var cell: Cell?

  public init(_ name: String, _ mark: Mark, _ cell: Cell?) {
    self.name = name
    self.mark = mark
    self.cell = cell
  }
}

public enum Record: Hashable, Sendable {
  // Everybody.
  /// A hub has said welcome.
  case connected(epoch: String, revision: UInt64, pid: UInt32)
  /// The connection is gone.
  case lost
  // Writers.
  /// All stores of the writer's own, at one revision, before its first step on a connection.
  case observed([Sight])
  /// The step is about to be sent.
  case sent(Step)
  /// The step was answered: the revision, and what each of its writes made.
  case acknowledged(Int, revision: UInt64, [Mark])
  case refused(Int, reason: String)
  // Watchers.
  /// A watch was opened, without bookmark if `bookmark` is nil.
  case opened(pattern: String, bookmark: UInt64?)
  case resumed(UInt64)
  case forget(epoch: String, revision: UInt64)
  /// A value, by `change` without the store's name.
  case shown(Sight)
  case removed(name: String, Mark)
  case synced(UInt64)
}

extension Record {
  public var line: String {
    switch self {
    case .connected(let epoch, let revision, let pid): "connected \(epoch) \(revision) \(pid)"
    case .lost: "lost"
    case .observed(let sights): (["observed"] + sights.map(Record.text)).joined(separator: " ")
    case .sent(let step): "sent \(step.number) " + step.writes.map(\.description).joined(separator: " ")
    case .acknowledged(let number, let revision, let marks):
      (["acknowledged", "\(number)", "\(revision)"] + marks.map(Record.text)).joined(separator: " ")
    case .refused(let number, let reason):
      "refused \(number) " + reason.map { $0 == "\n" ? " " : String($0) }.joined()
    case .opened(let pattern, let bookmark): "opened \(pattern) \(bookmark.map { String($0) } ?? "-")"
    case .resumed(let revision): "resumed \(revision)"
    case .forget(let epoch, let revision): "forget \(epoch) \(revision)"
    case .shown(let sight): "shown \(Record.text(sight))"
    case .removed(let name, let mark): "removed \(name) \(Record.text(mark))"
    case .synced(let revision): "synced \(revision)"
    }
  }

  /// - Returns: nil if the line is no record.
  public init?(line: String) {
    let words = line.split(separator: " ").map(String.init)
    func number(_ index: Int) -> UInt64? { index < words.count ? UInt64(words[index]) : nil }
    switch words.first {
    case "connected":
      guard words.count == 4, let revision = number(2), let pid = UInt32(words[3]) else { return nil }
      self = .connected(epoch: words[1], revision: revision, pid: pid)
    case "lost": self = .lost
    case "observed":
      let sights = words.dropFirst().compactMap(Record.sight)
      guard sights.count == words.count - 1 else { return nil }
      self = .observed(sights)
    case "sent":
      let writes = words.dropFirst(2).compactMap(Write.init)
      guard let number = number(1), writes.count == words.count - 2 else { return nil }
      self = .sent(Step(Int(number), writes))
    case "acknowledged":
      let marks = words.dropFirst(3).compactMap(Record.mark)
      guard let step = number(1), let revision = number(2), marks.count == words.count - 3 else { return nil }
      self = .acknowledged(Int(step), revision: revision, marks)
    case "refused":
      guard let step = number(1) else { return nil }
      self = .refused(Int(step), reason: words.dropFirst(2).joined(separator: " "))
    case "opened":
      guard words.count == 3 else { return nil }
      self = .opened(pattern: words[1], bookmark: number(2))
    case "forget":
      guard let revision = number(2) else { return nil }
      self = .forget(epoch: words[1], revision: revision)
    case "resumed", "synced":
      guard let revision = number(1) else { return nil }
      self = words[0] == "synced" ? .synced(revision) : .resumed(revision)
    case "shown":
      guard words.count == 2, let sight = Record.sight(words[1]) else { return nil }
      self = .shown(sight)
    case "removed":
      guard words.count == 3, let mark = Record.mark(words[2]) else { return nil }
      self = .removed(name: words[1], mark)
    default: return nil
    }
  }

  private static func text(_ mark: Mark) -> String { "\(mark.id)/\(mark.revision)/\(mark.version)" }

  private static func text(_ sight: Sight) -> String {
    "\(sight.name)=\(text(sight.mark))=\(sight.cell?.description ?? "?")"
  }

  private static func mark(_ text: String) -> Mark? {
    let parts = text.split(separator: "/").compactMap { UInt64(String($0)) }
    return parts.count == 3 ? Mark(id: parts[0], revision: parts[1], version: parts[2]) : nil
  }

  private static func sight(_ text: String) -> Sight? {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    guard parts.count == 3, let mark = mark(String(parts[1])) else { return nil }
    return Sight(String(parts[0]), mark, Cell(String(parts[2])))
  }
}
