// Tests the collections that the library brings: grouping, identified arrays, current values.

import HubReducers
import Testing

@Suite struct CollectionTests {
  private struct Item: Identifiable, Equatable {
    var id: Int
    var name = ""
  }

  @Test("grouping cuts where neighbours do not match, and loses nothing")
  func group() {
    #expect([1, 1, 2, 3, 3, 1].group(by: ==) == [[1, 1], [2], [3, 3], [1]])
    #expect([Int]().group(by: ==) == [])
    var random = SystemRandomNumberGenerator()
    for _ in 0..<100 {
      let numbers = (0..<Int.random(in: 0...20, using: &random)).map { _ in
        Int.random(in: 0...2, using: &random)
      }
      let groups = numbers.group { $0 <= $1 }
      #expect(groups.flatMap { $0 } == numbers)
      #expect(groups.allSatisfy { !$0.isEmpty && $0 == $0.sorted() })
    }
  }

  @Test("grouping nests: groups of groups")
  func nestedGroups() {
    let dates = [(2024, 1), (2024, 1), (2024, 2), (2025, 2)]
    let years = dates.group { $0 == $1 }.group { $0[0].0 == $1[0].0 }
    #expect(years.map { $0.map(\.count) } == [[2, 1], [1]])
  }

  @Test("an identified array agrees with a plain one, whatever is done to it")
  func identifiedArray() {
    var random = SystemRandomNumberGenerator()
    for _ in 0..<50 {
      var array: IdentifiedArrayOf<Item> = []
      var model: [Item] = []
      for _ in 0..<40 {
        let id = Int.random(in: 0...9, using: &random)
        let isThere = model.contains { $0.id == id }
        switch Int.random(in: 0...5, using: &random) {
        case 0:
          #expect(array.append(Item(id: id)) == !isThere)
          if !isThere { model.append(Item(id: id)) }
        case 1:
          let position = Int.random(in: 0...model.count, using: &random)
          #expect(array.insert(Item(id: id), at: position) == !isThere)
          if !isThere { model.insert(Item(id: id), at: position) }
        case 2:
          #expect((array.remove(id: id) != nil) == isThere)
          model.removeAll { $0.id == id }
        case 3:
          array.removeAll { $0.id > 7 }
          model.removeAll { $0.id > 7 }
        case 4:
          array[id: id]?.name += "x"
          if let index = model.firstIndex(where: { $0.id == id }) { model[index].name += "x" }
        default:
          array[id: id] = Item(id: id, name: "new")
          if let index = model.firstIndex(where: { $0.id == id }) {
            model[index].name = "new"
          } else {
            model.append(Item(id: id, name: "new"))
          }
        }
        #expect(Array(array) == model)
        #expect(Array(array.ids) == model.map(\.id))
        #expect(model.allSatisfy { array[id: $0.id] == $0 })
        #expect(model.indices.allSatisfy { array.index(id: model[$0].id) == $0 })
      }
    }
  }

  @Test("a reader of a current value begins with it, then gets the newest")
  func currentValue() async {
    let number = CurrentValue(1)
    var first = number.values.makeAsyncIterator()
    #expect(await first.next() == 1)
    number.set(2)
    number.set(3)
    var late = number.values.makeAsyncIterator()
    #expect(await late.next() == 3)
    #expect(await first.next() == 3)
    number.finish()
    #expect(await first.next() == nil)
  }

  @Test("every reader gets the last value, however fast they come")
  func manyReaders() async {
    let number = CurrentValue(0)
    let sums = await withTaskGroup(of: (Int, Bool).self) { group in
      for _ in 0..<8 {
        group.addTask {
          var last = -1
          var isSorted = true
          for await value in number.values {
            isSorted = isSorted && value > last
            last = value
            if value == 1000 { break }
          }
          return (last, isSorted)
        }
      }
      for value in 1...1000 { number.set(value) }
      return await group.reduce(into: []) { $0.append($1) }
    }
    #expect(sums.allSatisfy { $0.0 == 1000 && $0.1 })
  }

  @Test("cancelling a waiting reader ends its stream and nobody else's")
  func cancelReader() async {
    let number = CurrentValue(0)
    let reader = Task {
      var seen: [Int] = []
      for await value in number.values { seen.append(value) }
      return seen
    }
    reader.cancel()
    _ = await reader.value
    var other = number.values.makeAsyncIterator()
    #expect(await other.next() == 0)
  }
}
