// A store as described by a journal's frames: the state that clients see, and the state that only the hub keeps.

package import HubCore

/// The content of a journal's `created` frame, or of a packed store.
package struct KeptStore: Hashable, Sendable {
  package var name: String
  package var schema: Schema
  package var state: StoreState
  /// The user that it belongs to; nil: the hub itself.
  package var creator: UInt32?
  /// How its value ends by itself, if that is known and it does.
  package var lifetime: KeptLifetime?

  package init(name: String, schema: Schema, state: StoreState, creator: UInt32?, lifetime: KeptLifetime?) {
    self.name = name
    self.schema = schema
    self.state = state
    self.creator = creator == StoreRecord.byHub ? nil : creator
    self.lifetime = lifetime.flatMap { $0.isSet ? $0 : nil }
  }

  /// - Returns: nil if the frame is not a `created` frame.
  package init?(_ frame: FrameView) {
    guard frame.kind == .event(.created) else { return nil }
    var reader = ByteReader(frame.payload)
    let event = HubEvent(.created, flags: frame.flags, reading: &reader)
    guard case .created(let name, let schema, let state, _, _, _)? = event, !reader.failed else { return nil }
    let creator: UInt32? = reader.remaining == 0 ? nil : reader.integer()
    if reader.failed { return nil }
    self.init(name: name, schema: schema, state: state, creator: creator, lifetime: nil)
  }

  /// Appends the frames that describe it.
  package func encode(into out: inout OutputBuffer) {
    out.frame(EventKind.created.rawValue) { out in
      out.appendCreation(name, schema, state)
      if let creator { out.append(creator) }
    }
    if let lifetime { JournalFrame.lifetime(state.id, revision: state.revision, lifetime).encode(into: &out) }
  }
}
