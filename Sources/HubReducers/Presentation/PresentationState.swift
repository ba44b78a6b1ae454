// Owns the property wrapper of the state of a presented child.

/// An optional child's state whose projected value, `\.$child`, is what the presenting `ifLet` takes.
///
/// ```swift
/// struct State: Equatable {
///   @Presents var child: Child.State?
/// }
/// ```
/// A plain optional property does the same; this type is for code that uses `\.$child`, and for recursive states.
/// Names
/// and meaning follow The Composable Architecture.
@propertyWrapper
public struct PresentationState<State> {
  /// None or one: an array, because a state may be recursive.
  private var content: [State]

  /// Makes the state of a presented child; `nil` if no child is presented.
  public init(wrappedValue: State?) { content = wrappedValue.map { [$0] } ?? [] }

  /// The child's state; `nil` while it is not presented.
  public var wrappedValue: State? {
    get { content.first }
    set {
      guard let newValue else { return content.removeAll() }
      if content.isEmpty { content.append(newValue) } else { content[0] = newValue }
    }
  }

  /// The property itself, for `ifLet`.
  public var projectedValue: Self {
    get { self }
    set { self = newValue }
  }

  /// The payload of the presented state's case, or `nil` if no state is presented or it is in another case. Setting it
  /// presents the case with the new payload, or nothing for `nil`. While another case is presented, setting it is reported as an issue and changes
  /// nothing.
  public subscript<Value>(case keyPath: CaseKeyPath<State, Value>) -> Value? {
    get { wrappedValue.flatMap { AnyCasePath(keyPath).extract(from: $0) } }
    set { wrappedValue.setCase(AnyCasePath(keyPath), to: newValue) }
  }
}

/// `@Presents var child: Child.State?`: a name for ``PresentationState`` that reads well in a state.
public typealias Presents<State> = PresentationState<State>

extension PresentationState: Sendable where State: Sendable {}
extension PresentationState: Equatable where State: Equatable {}
extension PresentationState: Hashable where State: Hashable {}

extension PresentationState: Decodable where State: Decodable {
  /// Decodes an optional child.
  public init(from decoder: any Decoder) throws { self.init(wrappedValue: try State?(from: decoder)) }
}

extension PresentationState: Encodable where State: Encodable {
  /// Encodes the optional child.
  public func encode(to encoder: any Encoder) throws { try wrappedValue.encode(to: encoder) }
}

extension PresentationState: CustomReflectable {
  public var customMirror: Mirror { Mirror(reflecting: wrappedValue as Any) }
}

extension Optional {
  /// Sets the payload of the value's case, or removes the value. If the value is in another case, this is reported and
  /// changes nothing.
  mutating func setCase<Payload>(_ path: AnyCasePath<Wrapped, Payload>, to payload: Payload?) {
    if let value = self, path.extract(from: value) == nil {
      return reportIssueOfCaller(
        "\(caseName(of: value)) was changed as if it were in another case; it stays as it is")
    }
    self = payload.map(path.embed)
  }
}

/// The name of the case that an enum's value is in. Cost: it is found by reflection, in about a microsecond.
func caseName(of value: some Any) -> String {
  Mirror(reflecting: value).children.first?.label ?? String(describing: value)
}
