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

  /// What the format is called where programs talk about it.
  var formatName: String { "\(self)-\(JournalFileHeader.format)" }
}

/// A name like `journal-0000000000000007`.
package struct JournalFileName: Hashable, Sendable, CustomStringConvertible {
  package var kind: JournalFileKind
  package var number: UInt64

  package init(_ kind: JournalFileKind, _ number: UInt64) {
    self.kind = kind
    self.number = number
  }

  /// A file of a higher number is not a hub's. Positions have room for 24 bits, and a hub counts up from what it finds.
  private static let numberLimit: UInt64 = 15 << 20

  /// Nil if it is not the name of such a file.
  package init?(_ text: String) {
    let parts = text.split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts.count == 2, parts[1].utf8.count == 16,
      let kind = JournalFileKind.allCases.first(where: { $0.description == parts[0] }),
      let number = UInt64(parts[1], radix: 16), number < JournalFileName.numberLimit
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
  package static let length = Layout.checksum.end
  /// The only format that a hub writes and reads.
  package static let format: UInt16 = 1

  private enum Layout {
    static var magic: Field<UInt64> { Field(at: 0) }
    static var version: Field<UInt16> { Field(behind: magic) }
    static var kind: Field<UInt8> { Field(behind: version) }
    /// Zeroes lie in between, and before the checksum.
    static var number: Field<UInt64> { Field(at: 16) }
    static var salt: Field<UInt64> { Field(behind: number) }
    static var time: Field<Int64> { Field(behind: salt) }
    static var length: Field<UInt64> { Field(behind: time) }
    static var checksum: Field<UInt32> { Field(at: 60) }
  }

  /// "statehub", little-endian.
  static let magic: UInt64 = 0x6275_6865_7461_7473

  package var kind: JournalFileKind
  package var number: UInt64
  /// Random. It goes into every checksum, so that no record of another file is mistaken for one of this file.
  package var salt: UInt64
  /// When the file was created, in nanoseconds since 1970.
  package var time: Int64
  /// The file's least length when it got its name.
  package var length: UInt64 = 0
}

extension JournalFileHeader {
  package init(reading file: ByteView, named name: JournalFileName) throws(JournalProblem) {
    try self.init(identifying: file, named: name)
    if file.count < length {
      throw JournalProblem(
        .damaged, name.description, at: file.count, "it ends here, and once had at least \(length) bytes")
    }
  }

  /// The header of a file that may be shorter than it was.
  package init(identifying file: ByteView, named name: JournalFileName) throws(JournalProblem) {
    func damaged(_ reason: String) -> JournalProblem { JournalProblem(.damaged, name.description, reason) }
    guard file.count >= JournalFileHeader.length else {
      throw damaged("it has \(file.count) bytes, fewer than its header")
    }
    guard file[Layout.magic] == JournalFileHeader.magic else {
      throw damaged("it does not begin like one of the hub's files")
    }
    // Only the offsets of the version and of the checksum are the same in all formats.
    guard JournalFileHeader.checksum(of: file) == file[Layout.checksum] else {
      throw damaged("the checksum of its header is wrong")
    }
    let version = file[Layout.version]
    guard version == JournalFileHeader.format else {
      throw JournalProblem(
        .newer, name.description, "its format is \(version), which this hub cannot read")
    }
    kind = name.kind
    number = name.number
    guard file[Layout.kind] == kind.rawValue, file[Layout.number] == number else {
      throw damaged("its header belongs to another file")
    }
    salt = file[Layout.salt]
    time = file[Layout.time]
    length = file[Layout.length]
  }

  package func encode(into out: inout OutputBuffer) {
    let start = out.count
    for _ in 0..<JournalFileHeader.length { out.append(UInt8(0)) }
    out.patch(JournalFileHeader.magic, Layout.magic, from: start)
    out.patch(JournalFileHeader.format, Layout.version, from: start)
    out.patch(kind.rawValue, Layout.kind, from: start)
    out.patch(number, Layout.number, from: start)
    out.patch(salt, Layout.salt, from: start)
    out.patch(time, Layout.time, from: start)
    out.patch(length, Layout.length, from: start)
    let checksum = JournalFileHeader.checksum(of: out.view.suffix(from: start))
    out.patch(checksum, Layout.checksum, from: start)
  }

  /// Of everything before it.
  private static func checksum(of header: ByteView) -> UInt32 {
    CRC32C.of(header.slice(0, Layout.checksum.offset))
  }
}
