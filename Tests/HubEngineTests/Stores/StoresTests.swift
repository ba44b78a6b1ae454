// What the stores do with bounded work: names with a prefix, and values that end.

import Testing

@testable import HubCore
@testable import HubEngine

@Suite("Stores")
struct StoresTests {
  private func stores(_ names: [String]) -> Stores {
    var stores = Stores(HubEngine.Options())
    for name in names {
      _ = Array(name.utf8).withByteView { stores.insert($0, schema: Schema(type: .integer), by: 1000) }
    }
    return stores
  }

  @Test("stores with a prefix are found in name order, unless there are more than asked for")
  func prefixes() {
    let stores = stores(["b.2", "a", "b.1", "c", "b.3"])
    func names(_ prefix: String, most count: Int) -> [String]? {
      stores.slots(withPrefix: Array(prefix.utf8), most: count)?.map { stores.name(of: $0).text }
    }
    #expect(names("b.", most: 2) == nil)
    #expect(names("b.", most: 3) == ["b.1", "b.2", "b.3"])
    #expect(names("b.", most: 4) == ["b.1", "b.2", "b.3"])
    #expect(names("d", most: 0) == [])
  }

  @Test("a value ends at its last deadline, if it still has one")
  func deadlines() {
    var stores = stores(["a", "b"])
    for slot in 0..<2 { stores.setLifetime(of: slot, deadline: 5, owner: nil) }
    stores.clearLifetime(of: 0)
    #expect(stores.nextEnded(by: 4) == nil && stores.nextEnded(by: 5) == 1)
    stores.setLifetime(of: 1, deadline: 7, owner: nil)
    stores.setLifetime(of: 0, deadline: 6, owner: nil)
    #expect(stores.nextEnded(by: 9) == 0 && stores.nextDeadline == 6)
  }
}
