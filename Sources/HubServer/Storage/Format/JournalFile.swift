// The names of a state directory's files, and the header that each begins with.

package import HubCore

/// The two kinds of files that hold the hub's state.
package enum JournalFileKind: UInt8, Sendable, CaseIterable, CustomStringConvertible {
  /// A segment of the journal.
  case journal = 1
  /// The state as it was when the segment of the same number began, or a little later.
  case snapshot = 2

  package var description: String {
    switch self {
    case .journal: "journal"
    case .snapshot: "snapshot"
    }
  }
}

/// A name like `journal-0000000000000007`.
package struct JournalFileName: Hashable, Sendable, CustomStringConvertible {
  package var kind: JournalFileKind
  package var number: UInt64

  package init(_ kind: JournalFileKind, _ number: UInt64) {
    self.kind = kind
    self.number = number
  }

  /// Nil if it is not the name of such a file.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 16,
      let kind = JournalFileKind.allCases.first(where: { $0.description == parts[0] }),
      let number = UInt64(parts[1], radix: 16)
    else { return nil }
    self.init(kind, number)
    // The hub never uses upper-case digits or a sign.
    if description != text { return nil }
  }

  package var description: String {
    let digits = String(number, radix: 16)
    return "\(kind)-\(String(repeating: "0", count: 16 - digits.count))\(digits)"
  }

  /// Its name until it is complete.
  package var temporary: String { description + ".new" }

  static func isTemporary(_ text: String) -> Bool {
    text.hasSuffix(".new") && JournalFileName(String(text.dropLast(4))) != nil
  }
}

/// The first 64 bytes of a file: what it is, and the salt that makes its records its own.
package struct JournalFileHeader: Hashable, Sendable {
  package static let length = 64
  /// "statehub", little-endian.
  static let magic: UInt64 = 0x6275_6865_7461_7473
  /// The format that this hub writes. It also reads all earlier ones.
  package static let formatVersion: UInt16 = 2

  package var format = formatVersion
  package var kind: JournalFileKind
  package var number: UInt64
  /// Random. It goes into every checksum, so that no record of another file is mistaken for one of this file.
  package var salt: UInt64
  /// When the file was created, in nanoseconds since 1970.
  package var time: Int64
  /// The file's least length when it got its name.
  package var length: UInt64

  package init(kind: JournalFileKind, number: UInt64, salt: UInt64, time: Int64, length: UInt64 = 0) {
    self.kind = kind
    self.number = number
    self.salt = salt
    self.time = time
    self.length = length
  }

  /// Why a file cannot be read.
  package enum Problem: Error, Hashable, Sendable {
    case tooShort
    case noMagic
    /// Written by a newer hub.
    case version(UInt16)
    case checksum
    /// The header has another kind or number than the file's name.
    case misnamed
    /// The file is shorter than it once was.
    case truncated(UInt64)
  }

  package init(reading file: ByteView, named name: JournalFileName) throws(Problem) {
    try self.init(identifying: file, named: name)
    guard file.count >= length else { throw .truncated(length) }
  }

  /// The header of a file that may be shorter than it was.
  package init(identifying file: ByteView, named name: JournalFileName) throws(Problem) {
    guard file.count >= JournalFileHeader.length else { throw .tooShort }
    var reader = ByteReader(file.slice(0, JournalFileHeader.length))
    guard reader.integer(UInt64.self) == JournalFileHeader.magic else { throw .noMagic }
    let version = reader.integer(UInt16.self)
    // Only the offsets of the version and of the checksum are the same in all formats.
    guard CRC32C.of(file.slice(0, 60)) == file.load(UInt32.self, at: 60) else { throw .checksum }
    guard version >= 1, version <= JournalFileHeader.formatVersion else { throw .version(version) }
    format = version
    let kind = reader.integer(UInt8.self)
    _ = reader.bytes(5)
    number = reader.integer()
    salt = reader.integer()
    time = reader.integer()
    length = reader.integer()
    guard kind == name.kind.rawValue, number == name.number else { throw .misnamed }
    self.kind = name.kind
  }

  package func encode(into out: inout OutputBuffer) {
    let start = out.count
    out.append(JournalFileHeader.magic)
    out.append(format)
    out.append(kind.rawValue)
    for _ in 0..<5 { out.append(UInt8(0)) }
    out.append(number)
    out.append(salt)
    out.append(time)
    out.append(length)
    for _ in 0..<3 { out.append(UInt32(0)) }
    out.append(CRC32C.of(out.view.slice(start, 60)))
  }
}
