// Builds an engine from the files of a state directory, which continues where they end. A function of bytes.

package import HubCore
package import HubEngine

/// Why the epoch continues, or does not.
package enum EpochRule: Hashable, Sendable {
  case fresh
  /// Nothing that any client was shown can be lost.
  case kept
  /// Bytes at the journal's end were cut that a client may have been shown.
  case cut
  /// The machine rebooted, and the hub had not stopped cleanly.
  case powerLoss
  /// The directory is a copy, or was restored from one.
  case copied
  /// It may be: nothing outside it records how far it reached.
  case unnoted
  /// The machine was restarted since, possibly with a restored disk.
  case rebooted
  /// The disk had failed when the hub ended.
  case failed
  /// A person asked for a new epoch.
  case asked
  /// Nothing can be written, so used numbers would not be recorded.
  case unwritable

  /// - Parameters:
  ///   - boot: the machine's current boot.
  ///   - origin: that of the newest segment's file.
  ///   - noted: what was noted outside the directory.
  /// - Throws: `JournalProblem` if the machine has not restarted, and records are damaged that were written according to the note.
  package init(
    _ plan: RecoveryPlan, boot: BootID, origin: FileOrigin, noted: NotedReach = .unchecked
  ) throws(JournalProblem) {
    let isSameBoot = plan.isOfBoot(boot)
    let isCopy = plan.origin.inode != 0 && plan.origin != origin
    if plan.isFresh {
      self = .fresh
    } else if case .reach(let reach) = noted, isSameBoot, !isCopy {
      // The part that was cut was being written when the hub was killed: no client has seen any of it.
      if plan.reaches(reach) {
        self = .kept
      } else if let cut = plan.cut {
        throw JournalProblem(
          .damaged, cut.file, at: cut.offset,
          "there is no complete record, although the machine has not gone down since it was written")
      } else {
        self = .copied
      }
    } else if noted == .failed, isSameBoot, !isCopy {
      self = .failed
    } else if isCopy {
      self = .copied
    } else if plan.cut != nil {
      self = .cut
    } else if !isSameBoot {
      self = plan.endedWell ? .rebooted : .powerLoss
    } else {
      self = noted == .missing ? .unnoted : .kept
    }
  }

  package var keepsEpoch: Bool { self == .kept }

  /// An earlier state was put back. Revisions continue above all that the lost history can have used, so that conditions and fencing
  /// numbers that name one without its epoch also fail.
  fileprivate var revisionLeap: Revision { self == .copied || self == .asked ? 1 << 40 : 0 }
}

extension RecoveryPlan {
  /// Whether the files were last written to in this boot of the machine.
  package func isOfBoot(_ boot: BootID) -> Bool { boot != .unknown && boot == self.boot }

  /// An engine with the files' whole content.
  ///
  /// - Parameters:
  ///   - files: those that the plan was made from.
  ///   - rule: whether the epoch continues.
  ///   - boot: the machine's current boot.
  /// - Throws: `JournalProblem` about a frame that makes no sense where it is, although its checksum is right.
  package func engine(
    _ files: [JournalFileBytes], options: HubEngine.Options, rule: EpochRule, boot: BootID, now: Instant
  ) throws(JournalProblem) -> HubEngine {
    var engine = HubEngine(options: options, epoch: rule.keepsEpoch ? epoch : .random(), now: now)
    if isFresh {
      engine.finishRestoring(revision: 0, serial: 0, floor: 0, isSameBoot: true, now: now)
      return engine
    }
    if let snapshot { try replay(snapshot, files[snapshot.file].bytes, into: &engine) }
    for segment in segments { try replay(segment, files[segment.file].bytes, into: &engine) }
    // If clients have seen values that are missing here, no earlier bookmark is above the floor.
    let mustForget = rule.keepsEpoch && unwritten
    // The journal holds no revision above 2^63.
    let leap = revisionLimit < 1 << 62 ? rule.revisionLeap : 0
    let revision = mustForget ? revisionLimit + 1 : revisionLimit + leap
    engine.finishRestoring(
      revision: revision, serial: serialLimit, floor: !rule.keepsEpoch ? 0 : mustForget ? revision : floor,
      isSameBoot: isOfBoot(boot), now: now)
    return engine
  }

  private func replay(_ source: Source, _ file: ByteView, into engine: inout HubEngine) throws(JournalProblem)
  {
    guard let header = try? JournalFileHeader(reading: file, named: source.name) else { return }
    var scan = RecordScan(file, header, known: source.end)
    while scan.offset < source.end, let (offset, record) = scan.next() {
      let position = JournalPosition(segment: source.name.number, offset: offset)
      let overlaps = source.name.kind == .snapshot || position < overlap
      var frames = FrameCursor(record.frames)
      while let frame = frames.next() {
        do throws(HubError) {
          if frame.rawKind == PackedStores.kind, source.name.kind == .journal {
            throw HubError(.malformed, "only a snapshot has packed stores")
          }
          try engine.recover(frame, overlaps: overlaps)
        } catch {
          throw JournalProblem(.damaged, source.name.description, at: offset, error.message)
        }
      }
    }
  }
}
