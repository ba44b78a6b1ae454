// The bytes that are kept for a session.

import HubCore
import Testing

@testable import HubEngine
@testable import HubServer

@Suite("Held bytes")
struct PendingBytesTests {
  private func frames(_ lengths: [Int]) -> [UInt8] {
    var out = OutputBuffer()
    for (index, length) in lengths.enumerated() {
      out.append(UInt32(length))
      out.append([UInt8](repeating: UInt8(index), count: 8 + length))
    }
    return out.array
  }

  @Test("bytes come out as they went in, whatever the steps, and the memory goes with the last of them")
  func queue() {
    var generator = SystemRandomNumberGenerator()
    var budget = MemoryBudget(limit: 1 << 20)
    for _ in 0..<200 {
      var held = PendingBytes()
      let all = frames((0..<30).map { _ in Int.random(in: 0...90, using: &generator) })
      var (pushed, popped) = (0, 0)
      while popped < all.count {
        if pushed < all.count, Bool.random(using: &generator) {
          // Whole frames, as the loop appends them.
          var end = pushed
          repeat { end += 12 + Int(all[end]) } while end < all.count && Bool.random(using: &generator)
          all[pushed..<end].withUnsafeBytes { held.append(ByteView($0), budget: &budget) }
          pushed = end
        } else {
          let length = Int.random(in: 0...held.count, using: &generator)
          #expect(held.view.slice(0, length).array == Array(all[popped..<popped + length]))
          held.dropFirst(length, budget: &budget)
          popped += length
          // The rest of the frame at the front, found from the frames themselves.
          var border = 0
          while border < popped { border += 12 + Int(all[border]) }
          #expect(held.restOfCutFrame == border - popped)
        }
        #expect(held.count == pushed - popped)
        #expect(budget.used == Int(held.capacity))
      }
      #expect(held.isEmpty && budget.used == 0)
    }
  }

  @Test("only the rest of the frame that was cut can be kept")
  func keepCutFrame() {
    var budget = MemoryBudget(limit: 1 << 20)
    var held = PendingBytes()
    let all = frames([20, 30, 40])
    all.withUnsafeBytes {
      held.append(ByteView($0).suffix(from: 10), cut: 22, budget: &budget)
    }
    held.dropFirst(22 + 5, budget: &budget)
    held.keepCutFrame(budget: &budget)
    #expect(held.view.array == Array(all[(32 + 5)..<(32 + 42)]))
    held.dropFirst(held.count, budget: &budget)
    held.keepCutFrame(budget: &budget)
    #expect(held.isEmpty && budget.used == 0)
  }
}
