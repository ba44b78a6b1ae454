// The filter of a session's watches in an image, with the state that it depends on.

import HubCore

extension ImageWriter {
  /// - Parameter startsOver: everything will be sent again.
  mutating func write(_ filter: SessionFilter, of feed: borrowing Feed, startsOver: Bool) {
    let written = feed.written
    frame(ImageKind.filter.rawValue) { out in
      filter.filter.encode(into: &out)
      out.append(filter.restsUntil)
      if let deadlines = filter.deadlines {
        out.append(UInt8(deadlines.resumes ? 1 : 0))
        out.append(UInt32(deadlines.stores.count))
        for (store, deadline) in deadlines.stores.sorted(by: { $0.key < $1.key }) {
          out.append(store)
          out.append(deadline.start)
          out.append(deadline.told.rawValue | (deadline.isNews ? ImageFlag.isNews : 0))
          out.append(written[store]?.time ?? 0)
        }
      }
      for (store, sent) in startsOver ? [] : filter.sent.sorted(by: { $0.key < $1.key }) {
        out.append(store)
        sent.write(to: &out)
      }
    }
  }
}

extension EngineBuilder {
  mutating func takeFilter(_ reader: inout ByteReader) throws(ImageError) {
    guard let session = sessions.last?.session, engine.feed.filters[session] == nil,
      let filter = WatchFilter(reading: &reader)
    else { throw EngineBuilder.damaged }
    engine.feed.filters[session] = SessionFilter(filter, restsUntil: reader.integer())
    if filter.deadline > 0 { try takeDeadlines(of: session, &reader) }
    while reader.remaining > 0 {
      let store = reader.integer(UInt64.self)
      guard let sent = SentValue(reading: &reader) else { throw EngineBuilder.damaged }
      engine.feed.filters[session]?.note(sent, of: store)
    }
    engine.feed.chargeFilter(of: session, &engine.stores)
  }

  private mutating func takeDeadlines(
    of session: SessionID, _ reader: inout ByteReader
  ) throws(ImageError) {
    engine.feed.filters[session]?.deadlines?.resumes = reader.integer(UInt8.self) != 0
    for _ in 0..<reader.integer(UInt32.self) {
      let (store, start, flags) = (
        reader.integer(UInt64.self), reader.integer(UInt64.self), reader.integer(UInt8.self)
      )
      let time = reader.integer(UInt64.self)
      guard !reader.failed, let told = StoreDeadline.Told(rawValue: flags & ~ImageFlag.isNews),
        engine.feed.filters[session]?.deadlines?[store] == nil
      else { throw EngineBuilder.damaged }
      engine.feed.written[store, default: WrittenStore()].time = time
      let deadline = StoreDeadline(start: start, told: told, isNews: flags & ImageFlag.isNews != 0)
      engine.feed.put(store, deadline, of: session)
    }
  }
}

extension SentValue {
  fileprivate func write(to out: inout OutputBuffer) {
    let met = met.map { $0 ? ImageFlag.compared | ImageFlag.met : ImageFlag.compared } ?? 0
    out.append(met | (number == nil ? 0 : ImageFlag.number))
    if let number { out.append(number) }
  }

  /// Nil if the bytes are not what `write` has written.
  fileprivate init?(reading reader: inout ByteReader) {
    let flags = reader.integer(UInt8.self)
    self.init(number: nil, met: flags & ImageFlag.compared != 0 ? flags & ImageFlag.met != 0 : nil)
    if flags & ImageFlag.number == 0 { return }
    guard let value = ValueView(reading: &reader), value.type.isNumber else { return nil }
    number = value.value
  }
}
