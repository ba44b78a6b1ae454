// Owns what libFuzzer checks of the journal's files: no bytes crash what reads them, and what is saved of them are whole records.

import HubCore
import HubEngine

@testable import HubServer

/// The first byte chooses names, repairs checksums, which would let nothing through, and leaves out the pages of marks, which are
/// longer than all the rest; the rest is one file, or two.
@c(LLVMFuzzerTestOneInput)
public func fuzzJournal(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  guard let start, count > 1 else { return 0 }
  var bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let choice = start[0]
  if choice & 0x10 != 0 { insertPages(&bytes) }
  if choice & 1 != 0 { mend(&bytes, choice & 4 != 0 ? .snapshot : .journal) }
  let half = choice & 2 != 0 ? bytes.count / 2 & ~7 : bytes.count
  let names = [
    JournalFileName(choice & 4 != 0 ? .snapshot : .journal, 7).description,
    JournalFileName(.journal, 7 + UInt64(choice & 8)).description,
  ]
  bytes.withByteView { view in
    var files = [JournalFileBytes(name: names[0], bytes: view.slice(0, half))]
    if half < view.count, names[0] != names[1] {
      files.append(JournalFileBytes(name: names[1], bytes: view.suffix(from: half)))
    }
    check(files)
  }
  return 0
}

private func check(_ files: [JournalFileBytes]) {
  if Inspection.needsMuchMemory(files) { return }
  do throws(JournalProblem) {
    let plan = try RecoveryPlan(files)
    precondition(plan.durable <= plan.end, "what was on the disk is not cut")
    var options = HubEngine.Options()
    options.journals = true
    options.changeLogBytes = 4096
    let rule = try EpochRule(plan, boot: plan.boot, origin: plan.origin)
    let engine = try plan.engine(
      files, options: options, rule: rule, boot: .unknown, now: Instant(wall: 1, boot: 1))
    precondition(
      Salvage(files, now: Instant(wall: 1, boot: 1)).records >= plan.records,
      "a repair saves whatever a start reads")
    _ = engine.storeCount
  } catch {
    return
  }
}

extension Inspection {
  /// Whether a store has so high a slot that the table of those before it takes gigabytes, as the format allows.
  fileprivate static func needsMuchMemory(_ files: [JournalFileBytes]) -> Bool {
    var highest: UInt64 = 0
    visit(files) {
      if case .frame(let frame, _) = $0, let store = frame.store {
        highest = max(highest, store.raw & 0xFF_FFFF)
      }
    }
    return highest >= 1 << 17
  }
}

/// Puts empty pages between the header and what would be the first record.
private func insertPages(_ bytes: inout [UInt8]) {
  guard bytes.count > 64 else { return }
  bytes.insert(contentsOf: repeatElement(0, count: JournalFileHeader.recordsStart - 64), at: 64)
}

/// Gives the header the format, and the kind and number that its name says, and it and the records behind it the checksums that they should have.
private func mend(_ bytes: inout [UInt8], _ kind: JournalFileKind) {
  guard bytes.count >= 64 else { return }
  func put(_ value: UInt32, at offset: Int) {
    for index in 0..<4 { bytes[offset + index] = UInt8(truncatingIfNeeded: value >> UInt32(8 * index)) }
  }
  (bytes[8], bytes[9], bytes[10]) = (UInt8(JournalFileHeader.format), 0, kind.rawValue)
  for index in 16..<24 { bytes[index] = index == 16 ? 7 : 0 }
  put(bytes.withByteView { CRC32C.of($0.slice(0, 60)) }, at: 60)
  let salt = bytes.withByteView { $0.load(UInt64.self, at: 24) }
  var offset = JournalFileHeader.recordsStart
  while offset + JournalRecord.headerLength < bytes.count {
    let length = Int(bytes.withByteView { $0.load(UInt32.self, at: offset) })
    guard length > 0, length <= bytes.count - offset - JournalRecord.headerLength else { return }
    let checksum = bytes.withByteView {
      JournalRecord.checksum(
        of: $0.slice(offset, JournalRecord.headerLength + length), salt: salt, offset: offset)
    }
    put(checksum, at: offset + 4)
    offset += JournalRecord.encodedLength(length)
  }
}
