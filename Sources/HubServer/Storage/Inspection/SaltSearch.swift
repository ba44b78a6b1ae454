// The salt of a file whose header has lost it, recovered from the records themselves. A function of bytes.
//
// A record's checksum begins with the sum of the salt and the record's offset. A CRC can be computed backwards: from the
// checksum and the record's bytes to its state after that sum. This state is a linear function of the sum's bits, so two
// records give the sum's low bits, which carries make differ, and all other bits up to what makes no difference to any
// checksum.

import HubCore

enum SaltSearch {
  /// The salt that makes records of the file whole; nil if there are too few to tell.
  static func salt(of file: ByteView) -> UInt64? {
    let candidates = Candidate.all(in: file)
    func fits(_ salt: UInt64) -> Bool {
      candidates.contains { JournalRecord(in: file, at: $0.offset, salt: salt) != nil }
    }
    // The header's fault may be elsewhere, or one bit.
    for offset in [0, JournalFileHeader.spareOffset] where file.count >= offset + JournalFileHeader.length {
      let named = file.load(UInt64.self, at: offset + JournalFileHeader.saltOffset)
      if fits(named) { return named }
      for bit in 0..<64 where fits(named ^ 1 << bit) { return named ^ 1 << bit }
    }
    return solve(candidates, length: file.count)
  }

  /// Bytes shaped like a record, as long as its checksum is not known.
  private struct Candidate {
    let offset: Int
    let end: Int
    /// The checksum's state after the salt.
    let state: UInt32

    private static let regions = 8
    private static let mostInRegion = 64

    /// A sample from all over the file.
    static func all(in file: ByteView) -> [Candidate] {
      var found: [Candidate] = []
      for region in 0..<regions {
        let begin = file.count / regions * region & ~(JournalRecord.alignment - 1)
        let end = region + 1 < regions ? file.count / regions * (region + 1) : file.count
        var offset = max(begin, JournalFileHeader.length, (found.last?.end ?? 0))
        let most = found.count + mostInRegion
        while offset + JournalRecord.headerLength < end, found.count < most {
          guard let length = length(in: file, at: offset) else {
            offset += JournalRecord.alignment
            continue
          }
          let record = file.slice(offset, JournalRecord.headerLength + length)
          var state = ~record[JournalRecord.checksum]
          state = CRC32C.before(state, JournalRecord.covered(record))
          state = CRC32C.before(state, UInt64(length))
          let end = offset + JournalRecord.encodedLength(length)
          found.append(Candidate(offset: offset, end: end, state: state))
          offset = end
        }
      }
      return found
    }

    /// The length of a possible record's frames: each frame ends where the next begins, and the last at the record's end.
    private static func length(in file: ByteView, at offset: Int) -> Int? {
      let length = JournalRecord.length(in: file, at: offset)
      let start = offset + JournalRecord.headerLength
      guard length >= Frame.headerLength, length <= file.count - start else { return nil }
      var frames = FrameCursor(file.slice(start, length))
      while let frame = frames.next() {
        guard frame.mayBeInJournal else { return nil }
      }
      return frames.isAtEnd ? length : nil
    }
  }

  /// How many records must agree. Each gives 32 bits, so three never agree by chance.
  private static let agreeing = 3
  private static let mostAnchors = 16
  /// A few more than offsets have, so that hardly any record is affected by a carry; but not so many that it takes minutes.
  private static let bits = 20...31

  private static func solve(_ candidates: [Candidate], length: Int) -> UInt64? {
    let width = Int.bitWidth - length.leadingZeroBitCount
    guard candidates.count >= agreeing, width <= bits.upperBound else { return nil }
    return solve(candidates, min(max(width + 3, bits.lowerBound), bits.upperBound))
  }

  private static func solve(_ candidates: [Candidate], _ width: Int) -> UInt64? {
    let sums = SumStates()
    var best: (low: UInt64, first: Candidate, fitting: Int)?
    for anchor in 0...min(candidates.count - agreeing, mostAnchors) {
      let first = candidates[anchor]
      each(candidates[anchor..<anchor + agreeing], width, sums) { low in
        let fitting = fitting(low, first, candidates, width, sums)
        if fitting > best?.fitting ?? 0 { best = (low, first, fitting) }
        return fitting < candidates.count
      }
      // All low bits that fit these three were tried, and the best of them kept.
      if best != nil { break }
    }
    return best.flatMap { whole($0.low, $0.first, candidates, width, sums) }
  }

  /// Every value of the salt's bits below `width`, without the lowest three, with which these records agree. Records that
  /// lie close together agree with many. Continues while `body` returns true.
  private static func each(
    _ candidates: ArraySlice<Candidate>, _ width: Int, _ sums: SumStates, _ body: (UInt64) -> Bool
  ) {
    let mask = UInt64(1) << width - 1
    let first = candidates.first!
    let others = candidates.dropFirst().map { (UInt64($0.offset), $0.state ^ first.state) }
    let offset = UInt64(first.offset)
    // Offsets are multiples of eight.
    for low in stride(from: 0, through: mask, by: 8) {
      let own = sums[(low + offset) & mask]
      if others.allSatisfy({ sums[(low + $0.0) & mask] ^ own == $0.1 }), !body(low) { return }
    }
  }

  /// How many records agree: those with a carry out of these bits with one another, and the others with the first one.
  private static func fitting(
    _ low: UInt64, _ first: Candidate, _ candidates: [Candidate], _ width: Int, _ sums: SumStates
  ) -> Int {
    let mask = UInt64(1) << width - 1
    func rest(_ candidate: Candidate) -> UInt32 {
      candidate.state ^ sums[(low + UInt64(candidate.offset)) & mask]
    }
    func isCarried(_ candidate: Candidate) -> Bool { low + UInt64(candidate.offset) > mask }
    let (own, side) = (rest(first), isCarried(first))
    var fitting = 0
    var other: UInt32?
    for candidate in candidates {
      let rest = rest(candidate)
      if isCarried(candidate) == side {
        if rest == own { fitting += 1 }
      } else if let other {
        if rest == other { fitting += 1 }
      } else {
        // The only one of its kind agrees with anything.
        other = rest
        fitting += 1
      }
    }
    return fitting
  }

  /// A salt with these low bits. Of those that fit the first record, the one that fits most of the others.
  private static func whole(
    _ low: UInt64, _ first: Candidate, _ candidates: [Candidate], _ width: Int, _ sums: SumStates
  ) -> UInt64? {
    let mask = UInt64(1) << width - 1
    let free = Array(0..<3) + Array(width..<64)
    let carry: UInt64 = low + UInt64(first.offset) > mask ? 1 << width : 0
    let rest = first.state ^ sums[(low + UInt64(first.offset)) & mask]
    guard let (some, same) = Elimination.solve(free.map { (UInt64(1) << $0, sums.linear(1 << $0)) }, rest)
    else { return nil }
    var best: (salt: UInt64, fitting: Int)?
    for choice in 0..<UInt64(1) << min(same.count, 16) {
      var high = some
      for index in same.indices where choice >> index & 1 == 1 { high ^= same[index] }
      let salt = (high | low) &- carry
      let fitting = candidates.count { sums[salt &+ UInt64($0.offset)] == $0.state }
      if fitting > best?.fitting ?? 0 { best = (salt, fitting) }
      if fitting == candidates.count { break }
    }
    return best?.salt
  }
}

extension JournalFileHeader {
  /// The salt's offset in a header.
  fileprivate static let saltOffset = 24
}

/// The state of a checksum after eight bytes, by tables.
private struct SumStates {
  private let tables: [[UInt32]]
  private let constant: UInt32

  init() {
    func state(_ word: UInt64) -> UInt32 {
      var checksum = CRC32C()
      checksum.append(word)
      return ~checksum.value
    }
    let constant = state(0)
    self.constant = constant
    tables = (0..<8).map { byte in
      (0..<256).map { state(UInt64($0) << UInt64(byte * 8)) ^ constant }
    }
  }

  subscript(word: UInt64) -> UInt32 { linear(word) ^ constant }

  func linear(_ word: UInt64) -> UInt32 {
    var state: UInt32 = 0
    var rest = word
    var byte = 0
    while rest != 0 {
      state ^= tables[byte][Int(rest & 0xFF)]
      rest >>= 8
      byte += 1
    }
    return state
  }
}

/// Linear systems over bits.
private enum Elimination {
  /// - Parameter columns: for each unknown, its bit of the answer, and its contribution to the sum.
  /// - Returns: one answer whose sum is `sum`, and those whose sum is zero; nil if there is none.
  static func solve(_ columns: [(UInt64, UInt32)], _ sum: UInt32) -> (UInt64, [UInt64])? {
    var rows: [(UInt64, UInt32)] = []
    var nothing: [UInt64] = []
    for column in columns {
      var (bits, value) = column
      for row in rows where value ^ row.1 < value { (bits, value) = (bits ^ row.0, value ^ row.1) }
      if value == 0 {
        nothing.append(bits)
      } else {
        rows.append((bits, value))
        rows.sort { $0.1 > $1.1 }
      }
    }
    var (answer, rest) = (UInt64(0), sum)
    for row in rows where rest ^ row.1 < rest { (answer, rest) = (answer ^ row.0, rest ^ row.1) }
    return rest == 0 ? (answer, nothing) : nil
  }
}
