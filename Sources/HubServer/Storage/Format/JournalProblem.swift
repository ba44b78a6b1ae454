// Why a state directory is not read: what is wrong, in which file, at which byte, and what can be done.

/// Why a hub cannot recover a state directory. Nothing was touched.
package struct JournalProblem: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// Bytes that were on the disk have changed.
    case damaged
    /// It is of another format: a newer hub wrote it.
    case newer(UInt16)
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
    case .newer(let version):
      "\(file) is of format \(version), which this hub does not read: start the newer hub"
    case .unreadable, .refused: "\(file): \(reason)"
    }
  }
}

extension JournalFileHeader.Problem: CustomStringConvertible {
  package var description: String {
    switch self {
    case .tooShort: "it is shorter than its header"
    case .noMagic: "it does not begin like one of the hub's files"
    case .version(let version): "it is of format \(version), which this hub does not read"
    case .checksum: "the checksum of its header is wrong"
    case .misnamed: "its header belongs to another file"
    case .truncated(let length): "it is shorter than the \(length) bytes that it once had"
    }
  }
}
