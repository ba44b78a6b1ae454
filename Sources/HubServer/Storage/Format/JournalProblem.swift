// Why a state directory is not read: what is wrong, in which file, at which byte, and what can be done.

/// Why a hub cannot recover a state directory. Nothing was touched.
package struct JournalProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: String, Sendable {
    /// Bytes that were on the disk have changed.
    case damaged
    /// It is of another format: a newer hub wrote it.
    case newer
    /// The disk does not let it be read.
    case unreadable
    /// Its owner or mode lets no hub use it.
    case refused
  }

  package var kind: Kind
  /// The file's name in the directory.
  package var file: String
  package var offset: Int
  package var reason: String

  package init(_ kind: Kind, _ file: String, at offset: Int = 0, _ reason: String) {
    self.kind = kind
    self.file = file
    self.offset = offset
    self.reason = reason
  }

  /// The disk has lost part of the file.
  static func unread(_ file: String, at offset: Int) -> JournalProblem {
    JournalProblem(.damaged, file, at: offset, "the disk cannot read it")
  }

  package var description: String {
    switch kind {
    case .damaged:
      "\(file) is damaged at offset \(offset): \(reason). Nothing was changed. Restore the directory from a copy, or "
        + "use statehub repair to save what can be read"
    case .newer: "\(file): \(reason): start the newer hub"
    case .unreadable, .refused: "\(file): \(reason)"
    }
  }
}
