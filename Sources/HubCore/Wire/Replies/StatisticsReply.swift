// `statistics`: the answer to `stats`.

/// One of the hub's counters. docs/statectl.md explains each of them.
public struct Statistic: Hashable, Sendable {
  /// The counter's name; a name that ends in `_ns` or `_ms` is a time.
  public var name: String
  /// The count, or a time in the unit that the name ends with.
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
