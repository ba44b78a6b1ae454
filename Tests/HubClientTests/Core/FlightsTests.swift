// The requests on their way, against a dictionary.

import HubCore
import HubTransport
import TestSupport
import Testing

@testable import HubClient

@Suite("The requests on their way")
struct FlightsTests {
  private func flight(_ deadline: UInt64) -> Flight {
    Flight(request: .ping, call: nil, deadline: Deadline(nanoseconds: deadline))
  }

  @Test(
    "each is found, changed and removed by its number, in whatever order they are answered",
    arguments: [1, UInt32.max - 200])
  func model(first: UInt32) {
    var random = SeededGenerator(seed: UInt64(first))
    var flights = Flights()
    var model: [(id: UInt32, deadline: UInt64)] = []
    var next = first
    for step in 0..<4000 {
      switch Int.random(in: 0..<8, using: &random) {
      case 0...3:
        flights.append(flight(UInt64(step)), next)
        model.append((next, UInt64(step)))
        // Watches have numbers, too.
        next &+= UInt32.random(in: 1...3, using: &random)
      case 4, 5:
        // The oldest, as a rule.
        guard !model.isEmpty else { continue }
        let index = Bool.random(using: &random) ? 0 : Int.random(in: 0..<model.count, using: &random)
        let known = model.remove(at: index)
        #expect(flights.remove(known.id)?.deadline.nanoseconds == known.deadline)
        #expect(flights.remove(known.id) == nil && flights[known.id] == nil)
      case 6:
        guard let index = model.indices.randomElement(using: &random) else { continue }
        model[index].deadline += 1
        flights[model[index].id]?.deadline = Deadline(nanoseconds: model[index].deadline)
      default: #expect(flights[next] == nil && flights.remove(next &+ 5) == nil)
      }
      #expect(flights.count == model.count && flights.isEmpty == model.isEmpty)
    }
    #expect(flights.ids == model.map(\.id))
    for known in model { #expect(flights[known.id]?.deadline.nanoseconds == known.deadline) }
    flights.removeAll()
    #expect(flights.isEmpty && flights.ids.isEmpty)
  }

  @Test("one that is never answered does not keep the places of all that came after it")
  func straggler() {
    var flights = Flights()
    flights.append(flight(0), 1)
    for id in 2...100_000 {
      flights.append(flight(1), UInt32(id))
      #expect(flights.remove(UInt32(id)) != nil)
    }
    #expect(flights.ids == [1] && flights.places < 1000)
  }
}
