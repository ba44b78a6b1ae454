// `remove`: removes a store that was created at run time.

package struct RemoveCommand: OperationCommand {
  package let store: StoreKey
  package let flags: UInt8
  package let revision: Revision
  package let epoch: Epoch

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    flags = frame.flags
    store = StoreKey(reading: &reader)
    revision = flags & ConditionFlag.revision != 0 ? reader.integer() : 0
    epoch = flags & ConditionFlag.epoch != 0 ? reader.epoch() : Epoch(high: 0, low: 0)
    if reader.failed { return nil }
  }

  package func operation() throws(HubError) -> WriteOperation {
    .remove(
      try StoreReference(store),
      condition: WriteCondition(
        revision: flags & ConditionFlag.revision != 0 ? revision : nil,
        epoch: flags & ConditionFlag.epoch != 0 ? epoch : nil))
  }

  static func encode(
    _ store: StoreReference, _ condition: WriteCondition, _ id: UInt32, into out: inout OutputBuffer
  ) {
    let applicable = WriteCondition(revision: condition.revision, epoch: condition.epoch)
    out.frame(WriteKind.remove.rawValue, flags: applicable.flags, request: id) { out in
      out.append(store)
      out.append(applicable)
    }
  }
}
