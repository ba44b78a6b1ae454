// Sessions in the order of their deadlines.

import TestSupport
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Sessions in the order of their deadlines", .blocking)
struct SessionDeadlinesTests {
  @Test("the session that is due first comes first, whatever was inserted and removed before")
  func order() throws {
    var random = SeededGenerator(seed: 1)
    var list = try SessionDeadlines(descriptors: 64)
    var model: [Int32: UInt64] = [:]
    for _ in 0..<20_000 {
      let descriptor = Int32.random(in: 1..<64, using: &random)
      if let deadline = model[descriptor] {
        #expect(list.deadline(of: descriptor) == deadline)
        list.remove(descriptor)
        model[descriptor] = nil
      } else {
        list.remove(descriptor)
        let deadline = UInt64.random(in: 1...100, using: &random)
        list.insert(descriptor, deadline: deadline)
        model[descriptor] = deadline
      }
      let (count, first) = (list.count, list.first)
      #expect(count == model.count)
      #expect(first?.deadline == model.values.min())
      if let first { #expect(model[first.descriptor] == first.deadline) }
    }
    var last: UInt64 = 0
    while let first = list.first {
      #expect(first.deadline >= last)
      last = first.deadline
      list.remove(first.descriptor)
      model[first.descriptor] = nil
    }
    #expect(model.isEmpty)
  }
}
