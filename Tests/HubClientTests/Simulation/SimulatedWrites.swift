// Random requests on few stores, so that they meet.

import HubCore
import TestSupport

@testable import HubClient

enum SimulatedWrites {
  static let patterns = ["a", "a.b", "a.*", "**", "*", "b.**", "**.c", "flag", "absent", "text", "a.c"]
  /// Numbers from here on are tokens: each is used once.
  static let firstToken: Int64 = 1_000_000

  static func operation(
    _ random: inout SeededGenerator, lifetimes: Bool, token: Int64? = nil
  ) -> WriteOperation {
    let name = try! StoreName(SimulatedHub.names.randomElement(using: &random)!)
    let store = StoreReference.name(name)
    let value = value(for: name.text, token, &random)
    switch Int.random(in: 0..<20, using: &random) {
    case 0..<9:
      var lifetime = Lifetime.permanent
      if lifetimes, Int.random(in: 0..<3, using: &random) == 0 {
        lifetime.ttl = .random(in: 1...2000, using: &random)
      }
      return .set(store, value, lifetime: lifetime, force: Int.random(in: 0..<10, using: &random) == 0)
    case 9..<11: return .add(store, .integer(token ?? .random(in: -5...5, using: &random)))
    case 11: return .toggle(store)
    case 12: return .reset(store)
    case 13..<16: return .remove(store)
    case 16: return .create(name, Schema(type: value.type), ifAbsent: .random(using: &random))
    case 17: return .set(store, value, condition: WriteCondition(absent: true))
    case 18:
      return .set(store, value, condition: WriteCondition(value: self.value(for: name.text, nil, &random)))
    default:
      return .set(store, value, condition: WriteCondition(revision: .random(in: 0...60, using: &random)))
    }
  }

  static func transaction(
    _ random: inout SeededGenerator, lifetimes: Bool, token: () -> Int64?
  ) -> [WriteOperation] {
    (0..<Int.random(in: 1...4, using: &random)).map { _ in
      operation(&random, lifetimes: lifetimes, token: token())
    }
  }

  static func key(_ random: inout SeededGenerator) -> WatchKey {
    WatchKey(
      (0...Int.random(in: 0...4, using: &random) / 4).map { _ in
        try! NamePattern(patterns.randomElement(using: &random)!)
      })
  }

  private static func value(for name: String, _ token: Int64?, _ random: inout SeededGenerator) -> Value {
    switch name {
    case "flag": .boolean(.random(using: &random))
    case "text": .string(String(repeating: "x", count: .random(in: 0...80, using: &random)))
    default: .integer(token ?? .random(in: -3...3, using: &random))
    }
  }
}
