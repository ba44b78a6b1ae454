// `create`: creates a store with a schema, or gives one another schema.

package struct CreateCommand: OperationCommand {
  package let name: ByteView
  package let schema: Schema
  package let ifAbsent: Bool

  package init?(_ frame: FrameView) {
    var reader = ByteReader(frame.payload)
    name = reader.shortBytes()
    guard let schema = reader.schema() else { return nil }
    self.schema = schema
    ifAbsent = frame.flags & ConditionFlag.absent != 0
  }

  package func operation() throws(HubError) -> WriteOperation {
    .create(try StoreName(name.text), schema, ifAbsent: ifAbsent)
  }

  static func encode(
    _ name: StoreName, _ schema: Schema, ifAbsent: Bool, _ id: UInt32, into out: inout OutputBuffer
  ) {
    out.frame(WriteKind.create.rawValue, flags: ifAbsent ? ConditionFlag.absent : 0, request: id) { out in
      out.append(short: name.text)
      out.append(schema)
    }
  }
}
