// The template of `watch --format`: text with the event's members in braces.

internal import HubCore

struct LineTemplate: Sendable {
  enum Field: String, CaseIterable, Sendable {
    case name, value, previous, revision, bookmark, kind, skipped, time, overdue
  }

  private enum Part: Sendable {
    case text(String)
    case field(Field)
  }

  private var parts: [Part] = []

  /// `\n`, `\t` and `\\` are as in C; `{{` and `}}` are braces.
  ///
  /// - Throws: `usage` for an unmatched brace, and for an unknown field.
  init(_ template: String) throws(Failure) {
    var text = ""
    var rest = template[...]
    while let character = rest.popFirst() {
      switch character {
      case "{" where rest.first == "{", "}" where rest.first == "}": text.append(rest.removeFirst())
      case "{":
        guard let end = rest.firstIndex(of: "}") else {
          throw .usage("--format: a { without }", hint: "write {{ for a brace")
        }
        if !text.isEmpty { parts.append(.text(text)) }
        text = ""
        parts.append(.field(try LineTemplate.field(String(rest[..<end]))))
        rest = rest[rest.index(after: end)...]
      case "}": throw .usage("--format: a } without {", hint: "write }} for a brace")
      case "\\":
        switch rest.popFirst() {
        case "n": text.append("\n")
        case "t": text.append("\t")
        case "\\": text.append("\\")
        default: throw .usage("--format supports only the escapes \\n, \\t and \\\\")
        }
      default: text.append(character)
      }
    }
    if !text.isEmpty { parts.append(.text(text)) }
  }

  private static func field(_ name: String) throws(Failure) -> Field {
    if let field = Field(rawValue: name) { return field }
    let names = Field.allCases.map(\.rawValue)
    let nearest = Suggestion.nearest(name, in: names).map { "did you mean {\($0)}?" }
    throw .usage("--format has no {\(name)}", hint: nearest ?? "it has \(names.joined(separator: ", "))")
  }

  /// Whether a line shows the event's kind, so that removals have lines as well.
  var tellsKind: Bool { parts.contains { if case .field(.kind) = $0 { true } else { false } } }

  func line(_ event: StoreEvent, previous: Value?) -> String {
    parts.map { part in
      switch part {
      case .text(let text): text
      case .field(.name): ValueText.visible(event.name)
      case .field(.value): event.value.map(ValueText.line) ?? ""
      case .field(.previous): previous.map(ValueText.line) ?? ""
      case .field(.revision): String(event.revision)
      case .field(.bookmark): RevisionWord.text(event.revision, of: event.epoch)
      case .field(.kind): "\(event.kind)"
      case .field(.skipped): event.skipped.map { String($0) } ?? "?"
      case .field(.time): event.time == 0 ? "?" : TimeText.rfc3339(event.time)
      case .field(.overdue): event.isOverdue ? "overdue" : ""
      }
    }.joined()
  }
}
