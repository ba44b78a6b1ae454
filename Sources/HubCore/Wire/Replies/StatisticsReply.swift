// `statistics`: the answer to `stats`.

public struct Statistic: Hashable, Sendable {
  public var name: String
  public var value: UInt64

  package init(name: String, value: UInt64) {
    self.name = name
    self.value = value
  }

  /// The prefixes of the names of limits, and of their uses.
  package static let limit = "limit:"
  package static let use = "use:"
}

extension Statistic {
  static func encode(_ figures: [Statistic], into out: inout OutputBuffer, request: UInt32) {
    out.frame(ReplyKind.statistics.rawValue, request: request) { out in
      out.append(UInt16(figures.count))
      for figure in figures {
        out.append(short: figure.name)
        out.append(figure.value)
      }
    }
  }

  static func statistics(reading reader: inout ByteReader) -> Reply? {
    var figures: [Statistic] = []
    for _ in 0..<Int(reader.integer(UInt16.self)) {
      let name = reader.shortBytes().text
      figures.append(Statistic(name: name, value: reader.integer()))
      if reader.failed { return nil }
    }
    return .statistics(figures)
  }
}
