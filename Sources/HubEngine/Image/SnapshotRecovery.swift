// Recovers the stores that a snapshot holds packed, which is most of what a start reads. The rest is `JournalRecovery`.

import HubCore

extension HubEngine {
  /// Takes the stores of a frame. They are staged: the next frame of another kind makes them findable.
  ///
  /// - Throws: `malformed` with what is wrong with the frame; the engine is then useless.
  mutating func recoverStores(_ frame: FrameView) throws(HubError) {
    var reader = PackedStoresReader(frame)
    while try reader.next() {
      let facts = reader.facts
      let slot = facts.id.slot
      guard EventLayout.canContinue(facts.revision, version: facts.version) else {
        throw HubError.malformed(frame)
      }
      guard stores.stage(facts.id, name: reader.name, type: reader.value.type, schema: reader.schema) else {
        throw HubError(.malformed, "store \(facts.id) is out of order")
      }
      stores.setValue(reader.value.bytes, of: slot)
      stores[slot].revision = facts.revision
      stores[slot].version = facts.version
      stores[slot].time = facts.time
      stores[slot].uid = facts.uid
      stores[slot].creator = facts.creator
      stores[slot].isStored = true
      if let lifetime = reader.lifetime, lifetime.isSet { stores.keep(lifetime, of: facts.id) }
      var effort = Effort(.max)
      feed.patterns.admit(slot, stores: &stores, &effort)
    }
  }

  /// Makes the staged stores findable. Of two with the same name one was removed while the snapshot was written.
  mutating func settleStores() {
    var effort = Effort(.max)
    for slot in stores.linkStaged() {
      feed.patterns.dismiss(slot, stores: &stores, &effort)
      stores.free(slot)
    }
  }
}
