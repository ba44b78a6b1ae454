// The content of one frame of a journal or snapshot, for users and programs that inspect a state directory.

package import HubCore
import HubEngine

/// One frame, with the name of its store, which changes do not contain.
package struct FrameNote: Sendable {
  /// As in docs/internals/journal.md.
  package var kind: String
  package var revision: Revision?
  package var store: StoreID?
  package var name: String?
  package var version: UInt64?
  package var uid: UInt32?
  package var time: Int64?
  package var value: Value?
  /// Its other fields, each with its name.
  package var details: [(name: String, text: String)] = []

  package init(kind: String) { self.kind = kind }

  /// The content of a frame; packed stores are listed separately.
  ///
  /// - Parameter names: of the stores so far; the frame's own is added, or removed.
  static func each(of frame: FrameView, names: inout [StoreID: String], _ body: (FrameNote) -> Void) {
    guard frame.rawKind == PackedStores.kind else { return body(FrameNote(frame, names: &names)) }
    PackedStores.each(in: frame) { store in
      body(FrameNote(store, names: &names))
      guard let lifetime = store.lifetime else { return }
      body(FrameNote(.lifetime(store.state.id, revision: store.state.revision, lifetime), names))
    }
  }

  private init(_ frame: FrameView, names: inout [StoreID: String]) {
    if let journal = JournalFrame(frame) {
      self.init(journal, names)
    } else if let store = KeptStore(frame) {
      self.init(store, names: &names)
    } else if let event = try? HubEvent(decoding: frame) {
      self.init(event, names: &names)
    } else {
      self.init(kind: "0x\(String(frame.rawKind, radix: 16))")
      details = [("bytes", "\(frame.bytes.count), which this hub does not understand")]
    }
  }

  private init(_ store: KeptStore, names: inout [StoreID: String]) {
    names[store.state.id] = store.name
    self.init("created", store.state, store.name)
    details.append(("type", store.schema.type.description))
    if let durability = store.schema.durability { details.append(("durability", durability.description)) }
    if let creator = store.creator { details.append(("creator", String(creator))) }
  }

  private init(_ event: HubEvent, names: inout [StoreID: String]) {
    switch event {
    case .change(let state, _, _):
      self.init("change", state, names[state.id])
    case .removed(let name, let removal, _, _):
      names[removal.id] = nil
      self.init(kind: "removed")
      (revision, store, self.name, version) = (removal.revision, removal.id, name, removal.version)
      (uid, time) = (removal.uid, removal.time)
    default: self.init(kind: "an event that is never written to disk")
    }
  }

  private init(_ kind: String, _ state: StoreState, _ name: String?) {
    self.init(kind: kind)
    (revision, store, self.name, version) = (state.revision, state.id, name, state.version)
    (uid, time, value) = (state.uid, state.time, state.value)
  }

  private init(_ frame: JournalFrame, _ names: [StoreID: String]) {
    self.init(kind: "\(frame.kind)")
    switch frame {
    case .head(let head):
      details = [
        ("previous", head.previous.description), ("epoch", head.epoch.description),
        ("revisionLimit", String(head.revisionLimit)), ("serialLimit", String(head.serialLimit)),
        ("floor", String(head.floor)), ("starts", head.beginsLife ? "a hub" : "a segment"),
      ]
      if head.unwritten { details.append(("unwritten", "yes")) }
    case .reserved(let revision, let serial):
      details = [("revisionLimit", String(revision)), ("serialLimit", String(serial))]
    case .ended(let revision, let serial, let settled):
      self.revision = revision
      details = [("serial", String(serial))]
      if settled { details.append(("settled", "yes")) }
    case .lifetime(let id, let revision, let lifetime):
      (store, self.revision, name) = (id, revision, names[id])
      if lifetime.deadline != 0 {
        details.append(("left", "\(lifetime.remaining / 1_000_000)ms"))
        details.append(("at", MomentText.rfc3339(lifetime.written)))
      }
      if lifetime.isEphemeral { details.append(("ends", "with its connection")) }
      if !lifetime.isSet { details.append(("ends", "never")) }
    case .removals(let floor): details = [("floor", String(floor))]
    case .unwritten: break
    case .unstored(let id, let revision, let version):
      (store, self.revision, self.version, name) = (id, revision, version, names[id])
    case .snapshot(let epoch, let revision, let serial, let floor):
      self.revision = revision
      details = [("epoch", epoch.description), ("serial", String(serial)), ("floor", String(floor))]
    case .complete(let through, let stores):
      details = [("through", through.description), ("stores", String(stores))]
    case .claim(let offer, let owner):
      (name, uid) = (offer.name.text, owner)
      details = [("stores", offer.patterns.map(\.text).joined(separator: " "))]
    case .unclaimed(let claim): name = claim.text
    case .access(let openFrom):
      details = [("open", openFrom == .max ? "no" : "from revision \(openFrom) on")]
    }
  }
}
