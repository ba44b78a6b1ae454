// Patterns over store names: `*` matches one component, `**` any number of them, including none.

/// A name or a glob, for `watch` and `list`. A name is a pattern that matches only itself.
public struct NamePattern: Hashable, Sendable, CustomStringConvertible {
  /// The pattern as text, valid and at most 255 bytes long.
  public let text: String
  package let components: [Component]
  /// It has a `**`.
  package let isDeep: Bool

  package enum Component: Hashable, Sendable {
    case literal([UInt8])
    case one
    case any
  }

  /// Matches every store.
  public static let everything = NamePattern(text: "**", components: [.any])
  /// Matches the stores that hold the states of providers.
  package static let providers = NamePattern(
    text: "statehub.providers.**",
    components: [.literal(Array("statehub".utf8)), .literal(Array("providers".utf8)), .any])

  /// - Throws: `HubError` with the code `invalidPattern` and a message that explains the problem.
  public init(_ text: String) throws(HubError) {
    func reject(_ reason: String) -> HubError { HubError(.invalidPattern, store: text, reason) }
    let bytes = Array(text.utf8)
    if bytes.isEmpty { throw reject("a pattern must have at least one character") }
    if bytes.count > StoreName.maximumLength {
      throw reject("a pattern can have at most \(StoreName.maximumLength) bytes; this one has \(bytes.count)")
    }
    var components: [Component] = []
    for part in bytes.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false) {
      if part.isEmpty { throw reject("a pattern cannot have an empty component: check the dots") }
      if part.elementsEqual("*".utf8) {
        components.append(.one)
      } else if part.elementsEqual("**".utf8) {
        // `**.**` matches what `**` matches; keeping one of them keeps matching fast.
        if components.last != .any { components.append(.any) }
      } else if part.allSatisfy(StoreName.isNameByte) {
        components.append(.literal(Array(part)))
      } else if part.contains(UInt8(ascii: "*")) {
        throw reject("* and ** stand for whole components, as in audio.* or **.level")
      } else {
        throw reject("a pattern consists of names, * and **")
      }
    }
    self.init(text: text, components: components)
  }

  /// The pattern that matches this name and no other.
  public init(_ name: StoreName) {
    let parts = name.text.utf8.split(separator: UInt8(ascii: "."))
    self.init(text: name.text, components: parts.map { .literal(Array($0)) })
  }

  package init(text: String, components: [Component]) {
    self.text = text
    self.components = components
    isDeep = components.contains(.any)
  }

  /// The name before its first `*` or `**`, with the dot that follows; empty if it begins with one.
  package var literalPrefix: [UInt8] {
    var prefix: [UInt8] = []
    for component in components {
      guard case .literal(let bytes) = component else { break }
      prefix += bytes
      prefix.append(UInt8(ascii: "."))
    }
    return prefix
  }

  public var description: String { text }

  /// Equal for all patterns with the same components; consecutive `**` count as one.
  package var canonicalText: String {
    let parts = components.map { component in
      switch component {
      case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
      case .one: "*"
      case .any: "**"
      }
    }
    return parts.joined(separator: ".")
  }

  /// Whether the pattern is a plain name.
  public var isLiteral: Bool {
    components.allSatisfy {
      if case .literal = $0 { true } else { false }
    }
  }

  /// Whether the pattern matches the name. The cost is at most proportional to the product of their numbers of
  /// components.
  public func matches(_ name: StoreName) -> Bool {
    matches(name.text)
  }

  /// - Parameter name: a valid one.
  package func matches(_ name: String) -> Bool { Array(name.utf8).withByteView { matches($0) } }

  /// Whether a valid name matches. Linear in the name for every pattern with at most one `**`; each further
  /// one costs a factor of at most the number of components.
  package func matches(_ name: ByteView) -> Bool {
    var component = 0
    var start = 0
    var retryComponent = -1
    var retryStart = 0
    while start <= name.count {
      if component < components.count {
        switch components[component] {
        case .any:
          retryComponent = component
          retryStart = start
          component += 1
          continue
        case .one:
          start = NamePattern.end(of: start, in: name) + 1
          component += 1
          continue
        case .literal(let bytes):
          let end = NamePattern.end(of: start, in: name)
          if start < name.count, bytes.withByteView({ $0.equals(name.slice(start, end - start)) }) {
            start = end + 1
            component += 1
            continue
          }
        }
      }
      // The rest does not match here: let the last `**` take one more component.
      guard retryComponent >= 0, retryStart < name.count else { return false }
      retryStart = NamePattern.end(of: retryStart, in: name) + 1
      start = retryStart
      component = retryComponent + 1
      if start > name.count { break }
    }
    while component < components.count, components[component] == .any { component += 1 }
    return component == components.count
  }

  private static func end(of start: Int, in name: ByteView) -> Int {
    var end = start
    while end < name.count, name[end] != UInt8(ascii: ".") { end += 1 }
    return end
  }
}

extension NamePattern {
  /// Whether there is a name that both match.
  package func meets(_ other: NamePattern) -> Bool {
    if isLiteral, other.isLiteral { return components == other.components }
    // reached[j]: whether the rest of this pattern can still match the rest of the other from j on.
    var reached = [Bool](repeating: false, count: other.components.count + 1)
    for index in stride(from: components.count, through: 0, by: -1) {
      var next = [Bool](repeating: false, count: reached.count)
      let mine = index < components.count ? components[index] : nil
      for place in stride(from: other.components.count, through: 0, by: -1) {
        let theirs = place < other.components.count ? other.components[place] : nil
        switch (mine, theirs) {
        case (nil, nil): next[place] = true
        case (.any?, .any?): next[place] = reached[place] || next[place + 1]
        case (.any?, let theirs): next[place] = reached[place] || theirs != nil && next[place + 1]
        case (let mine, .any?): next[place] = next[place + 1] || mine != nil && reached[place]
        case (let mine?, let theirs?):
          next[place] = reached[place + 1] && (mine == .one || theirs == .one || mine == theirs)
        case (nil, _?), (_?, nil): next[place] = false
        }
      }
      reached = next
    }
    return reached[0]
  }
}
