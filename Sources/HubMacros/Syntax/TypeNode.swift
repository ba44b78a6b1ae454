// Owns the shape of a type as written: enough to copy it and to see what a closure takes and returns.

struct TypeNode: Sendable {
  indirect enum Shape: Sendable {
    case function(FunctionNode)
    /// `T?`, `T!`.
    case optional
    /// Parentheses around one type without a label mean that type.
    case parenthesized(TypeNode)
    case tuple(count: Int)
    /// A path of names, and the generic arguments after the last one: `Swift.Optional`, `[Int]`.
    case named(String, [TypeNode])
    /// An array, a dictionary, a composition, a number.
    case other
  }

  /// The tokens of the whole type.
  var range: Range<Int>
  /// What precedes it: `inout`, `repeat`, `any`, `@Sendable`, `@autoclosure` ...
  var prefixes: [String]
  var shape: Shape

  /// The type without parentheses around it.
  private var bare: TypeNode { if case .parenthesized(let type) = shape { type.bare } else { self } }

  /// The function type that this is, with or without parentheses around it.
  var function: FunctionNode? { if case .function(let function) = bare.shape { function } else { nil } }

  /// What precedes the function type.
  var functionPrefixes: [String] {
    if case .parenthesized(let type) = shape { return prefixes + type.functionPrefixes }
    return prefixes
  }

  var isVoid: Bool {
    switch bare.shape {
    case .tuple(count: 0), .named("Void", _), .named("Swift.Void", _): true
    default: false
    }
  }

  var isOptional: Bool {
    switch bare.shape {
    case .optional, .named("Optional", _), .named("Swift.Optional", _): true
    default: false
    }
  }
}

struct FunctionNode: Sendable {
  enum Failure: Sendable {
    case never
    case any
    /// `throws(E)`: only an `E` can be thrown.
    case typed
  }

  var parameters: [TupleElementNode]
  /// The tokens between the parameters and the arrow.
  var effects: Range<Int>
  var isAsync: Bool
  var failure: Failure
  var result: TypeNode
}

/// One element between the parentheses of a tuple type, a function type or an enum case.
struct TupleElementNode: Sendable {
  /// The first name, if there is any: `_` counts.
  var name: String?
  /// The second one, as in `_ id: Int`.
  var secondName: String?
  var type: TypeNode
  var isVariadic: Bool
  var offset: Int
  /// The tokens of the default value.
  var defaultValue: Range<Int>?
}
