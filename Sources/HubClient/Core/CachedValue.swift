// The newest value of a store, as a word that any thread can read without a lock. Only numbers and booleans fit.

internal import HubCore
internal import Synchronization

/// Written under the core's lock, so by one thread at a time; read by any number of them, without waiting for each other or
/// for the writer.
///
/// The writer makes `turn` odd, writes, and makes it even again. A reader that finds it even and unchanged after its
/// reads has seen one complete value. Each word is stored with `releasing` and read with `acquiring`: a thread that
/// reads a word of a write also sees that write's odd `turn`.
@usableFromInline
final class CachedValue: Sendable {
  @usableFromInline
  enum Form: UInt8 {
    /// No stream is open, or the store does not exist.
    case absent
    case integer
    case double
    case boolean
    /// Only the core has it: it does not fit here.
    case elsewhere
  }

  private let turn = Atomic<UInt64>(0)
  private let form = Atomic<UInt8>(Form.absent.rawValue)
  private let word = Atomic<UInt64>(0)

  /// After this many consecutive writes a reader asks the core instead.
  private static let attempts = 4

  /// What a reader sees.
  @usableFromInline
  enum Glance {
    case absent
    case value(HubValue)
    /// Ask the core.
    case elsewhere
  }

  @usableFromInline
  func glance() -> Glance {
    for _ in 0..<CachedValue.attempts {
      let turn = turn.load(ordering: .acquiring)
      let form = form.load(ordering: .acquiring)
      let word = word.load(ordering: .acquiring)
      guard turn & 1 == 0, self.turn.load(ordering: .relaxed) == turn else { continue }
      switch Form(rawValue: form) {
      case .absent: return .absent
      case .integer: return .value(.integer(Int64(bitPattern: word)))
      case .double: return .value(.double(Double(bitPattern: word)))
      case .boolean: return .value(.boolean(word != 0))
      case .elsewhere, nil: return .elsewhere
      }
    }
    return .elsewhere
  }

  /// Sets the value; called by the core, under its lock.
  ///
  /// - Parameter value: nil if the store is missing or no stream is open.
  func show(_ value: HubValue?) {
    let (form, word): (Form, UInt64) =
      switch value {
      case nil: (.absent, 0)
      case .integer(let integer): (.integer, UInt64(bitPattern: integer))
      case .double(let double): (.double, double.bitPattern)
      case .boolean(let boolean): (.boolean, boolean ? 1 : 0)
      case .string, .data, .json: (.elsewhere, 0)
      }
    let start = turn.load(ordering: .relaxed)
    turn.store(start + 1, ordering: .relaxed)
    self.form.store(form.rawValue, ordering: .releasing)
    self.word.store(word, ordering: .releasing)
    turn.store(start + 2, ordering: .releasing)
  }
}

/// The words that the program's handles read, by store, for as long as such a handle exists.
struct CachedValues {
  private var cells: [String: (cell: CachedValue, users: Int)] = [:]

  subscript(name: String) -> CachedValue? { cells.isEmpty ? nil : cells[name]?.cell }

  /// Another handle reads it.
  mutating func enter(_ name: String) -> CachedValue {
    let cell = cells[name]?.cell ?? CachedValue()
    cells[name, default: (cell, 0)].users += 1
    return cell
  }

  /// Removes a handle that is gone.
  mutating func leave(_ name: String) {
    guard let users = cells[name]?.users else { return }
    if users > 1 { cells[name]?.users = users - 1 } else { cells[name] = nil }
  }
}
