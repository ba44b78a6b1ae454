// What writers do: single writes and transactions, and what they make of a writer's stores. It sends nothing.

public import HubCore

/// One write to one store.
public enum Write: Hashable, Sendable, LosslessStringConvertible {
  case set(String, Cell)
  /// With the cell as the initial value.
  case create(String, Durability, Cell)
  case remove(String)
  /// One more in a counter that all writers share.
  case count(String)

  public var name: String {
    switch self {
    case .set(let name, _), .create(let name, _, _), .remove(let name), .count(let name): name
    }
  }

  public var operation: WriteOperation {
    // Names come from `Plan`, which makes none that are invalid.
    let store = try! StoreName(name)
    switch self {
    case .set(_, let cell): return .set(.name(store), cell.value)
    case .create(_, let durability, let cell):
      return .create(store, Schema(type: cell.value.type, initial: cell.value, durability: durability))
    case .remove: return .remove(.name(store))
    case .count: return .add(.name(store), .integer(1))
    }
  }

  public init?(_ description: String) {
    let parts = description.split(separator: ",").map(String.init)
    switch (parts.first, parts.count) {
    case ("set", 3):
      guard let cell = Cell(parts[2]) else { return nil }
      self = .set(parts[1], cell)
    case ("create", 4):
      guard let durability = Durability(name: parts[2]), let cell = Cell(parts[3]) else { return nil }
      self = .create(parts[1], durability, cell)
    case ("remove", 2): self = .remove(parts[1])
    case ("count", 2): self = .count(parts[1])
    default: return nil
    }
  }

  public var description: String {
    switch self {
    case .set(let name, let cell): "set,\(name),\(cell)"
    case .create(let name, let durability, let cell): "create,\(name),\(durability),\(cell)"
    case .remove(let name): "remove,\(name)"
    case .count(let name): "count,\(name)"
    }
  }
}

/// What a writer sends as one request: a write, or a transaction of several.
public struct Step: Hashable, Sendable {
  public var number: Int
  public var writes: [Write]

  public init(_ number: Int, _ writes: [Write]) {
    self.number = number
    self.writes = writes
  }

  public var request: Request {
    writes.count == 1 ? .write(writes[0].operation) : .transaction(writes.map(\.operation))
  }

  /// What the writer's own stores hold behind this step.
  public func applied(to stores: [String: Cell], of writer: Int) -> [String: Cell] {
    var stores = stores
    for write in writes where Places.writer(of: write.name) == writer {
      switch write {
      case .set(let name, let cell), .create(let name, _, let cell): stores[name] = cell
      case .remove(let name): stores[name] = nil
      case .count: break
      }
    }
    return stores
  }
}

/// The stores of the durability tests.
public enum Places {
  /// A number that all writers count up.
  public static let counter = "shared.count"
  /// Two stores that only transactions write, always both.
  public static let pair = ["shared.pair.left", "shared.pair.right"]
  public static let storesPerWriter = 8

  /// A store of the writer's own that is never removed, so that no two states of it are alike.
  public static func tally(_ writer: Int) -> String { "w\(writer).tally" }

  public static func own(_ writer: Int, _ index: Int) -> String {
    "w\(writer).\(durability(at: index))-\(index)"
  }

  /// Half of a writer's stores come into being by `set`, with the hub's default; the others name their durability.
  public static func durability(at index: Int) -> String {
    switch index % 4 {
    case 1: "synced"
    case 2: "volatile"
    case 3: "relaxed"
    default: "default"
    }
  }

  /// Who alone writes the store; nil for the shared ones.
  public static func writer(of name: String) -> Int? {
    guard name.utf8.first == UInt8(ascii: "w") else { return nil }
    return Int(name.dropFirst().prefix { $0 != "." })
  }

  public static func isVolatile(_ name: String) -> Bool { name.contains(".volatile-") }
}
