// A strict reader of the OpenMetrics text format (the ABNF of its specification, without exemplars, timestamps and
// histograms, which the hub does not use): what is not allowed is a problem with its line.

struct OpenMetricsText {
  /// By a sample's name with its labels, as they are written.
  private(set) var samples: [String: String] = [:]
  /// By the family's name.
  private(set) var types: [String: String] = [:]
  private(set) var units: [String: String] = [:]
  private(set) var problems: [String] = []

  init(_ text: String) {
    guard text.hasSuffix("\n# EOF\n") else {
      problems = ["the text does not end with a line # EOF"]
      return
    }
    var family = ""
    var finished: Set<String> = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast(2).map(String.init) {
      if let match = line.wholeMatch(of: /# (TYPE|UNIT) ([a-zA-Z_:][a-zA-Z0-9_:]*) ([a-z]+)/) {
        let name = String(match.2)
        if name != family {
          if !finished.insert(name).inserted { problems.append("\(line): the family comes twice") }
          family = name
        }
        if samples.keys.contains(where: { $0 == name || $0.hasPrefix("\(name){") || $0 == "\(name)_total" }) {
          problems.append("\(line): metadata behind samples")
        }
        let isType = match.1 == "TYPE"
        let old =
          isType
          ? types.updateValue(String(match.3), forKey: name)
          : units.updateValue(String(match.3), forKey: name)
        if old != nil { problems.append("\(line): said twice") }
        if isType, !["counter", "gauge"].contains(match.3) { problems.append("\(line): unknown type") }
        if !isType, !name.hasSuffix("_\(match.3)") { problems.append("\(line): the name lacks the unit") }
      } else if let match = line.wholeMatch(
        of:
          /([a-zA-Z_:][a-zA-Z0-9_:]*)(\{[a-zA-Z_][a-zA-Z0-9_]*="(?:[^"\\]|\\["\\n])*"\})? ([0-9]+(?:\.[0-9]+)?)/
      ) {
        let name = String(match.1)
        let expected = types[family] == "counter" ? "\(family)_total" : family
        if name != expected { problems.append("\(line): it does not belong to \(family)") }
        let key = name + (match.2 ?? "")
        if samples.updateValue(String(match.3), forKey: key) != nil { problems.append("\(line): said twice") }
      } else {
        problems.append("\(line): no line of the format")
      }
    }
    for name in types.keys where !samples.keys.contains(where: { $0.hasPrefix(name) }) {
      problems.append("\(name) has no sample")
    }
  }
}
