// One client of the harness: what it has not read yet, what it knows, and what every client was shown.

import HubCore
import HubEngine

/// The model's history, shared by the model and all the views that check themselves against it.
final class Past {
  var states: [UInt64: [String: ShownStore]] = [0: [:]]
}

/// Every version of every store that any client was shown: none may mean two things in one epoch.
final class ShownVersions {
  private struct Key: Hashable {
    var epoch: Epoch
    var id: StoreID
    var version: UInt64
  }
  private var shown: [Key: (revision: Revision, value: Value?)] = [:]

  /// - Returns: what is wrong.
  func note(_ event: HubEvent, _ epoch: Epoch) -> String? {
    switch event {
    case .change(let state, _, _), .created(_, _, let state, _, _, _), .current(_, let state):
      note(epoch, state.id, state.version, state.revision, state.value)
    // Nothing has changed when a right is withdrawn.
    case .removed(_, let removal, _, _) where !removal.isWithdrawn:
      note(epoch, removal.id, removal.version, removal.revision, nil)
    default: nil
    }
  }

  private func note(
    _ epoch: Epoch, _ id: StoreID, _ version: UInt64, _ revision: Revision, _ value: Value?
  ) -> String? {
    let key = Key(epoch: epoch, id: id, version: version)
    if let before = shown[key], before.revision != revision || before.value != value {
      return
        "store \(id) version \(version) was given out twice: \(before), \(revision), \(value, default: "none")"
    }
    shown[key] = (revision, value)
    return nil
  }
}

/// One client: what it has not read yet, and what it knows.
struct HarnessClient {
  let session: SessionID
  var view = ClientView()
  var assembler = FrameAssembler.Box()
  /// Bytes that the hub could not send and keeps, as the server does.
  var unsent: [UInt8] = []
  /// What was held of a long frame: it comes before `unsent`.
  var rest: FrameRest?
  /// Its connection takes nothing at present.
  var waits: Bool { rest != nil || !unsent.isEmpty }
  /// How many bytes the connection takes until the client reads next.
  var room = Int.max
  var replies: [Reply] = []
  var nextRequest: UInt32 = 1
  /// The request whose reply comes next.
  var nextReply: UInt32 = 1
  /// Its user's supplementary groups.
  var groups: [UInt32] = []
}

extension FrameAssembler {
  /// Lets an assembler live in a copyable client.
  final class Box {
    var assembler = FrameAssembler(maximumLength: .max)
  }
}

extension HarnessClient {
  mutating func read(_ bytes: [UInt8], _ ledger: ShownVersions, _ epoch: Epoch, _ problems: inout [String]) {
    bytes.withByteView { assembler.assembler.append($0) }
    var frames: [[UInt8]] = []
    let broken = assembler.assembler.drain {
      frames.append($0.bytes.array)
      return true
    }
    if let broken { problems.append("the stream broke: \(broken)") }
    for frame in frames {
      frame.withByteView { bytes in
        let frame = FrameView(bytes: bytes)
        do {
          if frame.kind?.isEvent == true {
            let event = try HubEvent(decoding: frame)
            if let problem = ledger.note(event, epoch) { problems.append(problem) }
            view.read(event)
          } else {
            let reply = try Reply(decoding: frame)
            if frame.request != nextReply {
              problems.append("request \(nextReply) is answered as \(frame.request)")
            }
            nextReply += 1
            view.didReceive(reply, frame.request)
            replies.append(reply)
          }
        } catch {
          problems.append("an unreadable frame: \(error)")
        }
      }
    }
  }
}
