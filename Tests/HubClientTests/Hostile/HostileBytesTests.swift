// What a client makes of a hub that sends anything at all: its core takes every byte, gives up connections, never requests.

import HubCore
import HubEngine
import HubTransport
import TestSupport
import Testing

@testable import HubClient

@Suite("A hub that sends anything")
struct HostileBytesTests {
  /// Ways to spoil what a true hub sends.
  enum Spoiling: CaseIterable {
    case flips, cuts, repeats, strangers, lengths, numbers

    func apply(to bytes: inout [UInt8], _ random: inout SeededGenerator) {
      if bytes.isEmpty { return }
      let place = Int.random(in: 0..<bytes.count, using: &random)
      switch self {
      case .flips: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case .cuts:
        bytes.removeSubrange(place..<min(bytes.count, place + Int.random(in: 1...20, using: &random)))
      case .repeats: bytes += bytes
      case .strangers:
        // Whole frames of any kind, with anything in them, about nobody's request.
        var frame = OutputBuffer()
        let length = Int.random(in: 0..<80, using: &random)
        frame.append(UInt32(length))
        frame.append(UInt8.random(in: 0 ... .max, using: &random))
        frame.append(UInt8.random(in: 0 ... .max, using: &random))
        frame.append(UInt16(0))
        frame.append(UInt32.random(in: 0..<20, using: &random))
        bytes += frame.array + (0..<length).map { _ in UInt8.random(in: 0 ... .max, using: &random) }
      case .lengths:
        for index in 0..<min(4, bytes.count) { bytes[index] = .random(in: 0 ... .max, using: &random) }
      case .numbers:
        // Versions and revisions of nothing, or of everything.
        let fill: UInt8 = Bool.random(using: &random) ? 0 : 0xFF
        for index in bytes.indices where index >= 24 && index < 40 { bytes[index] = fill }
      }
    }
  }

  @Test(
    "a client survives bytes that are not frames, and ends every request in time",
    arguments: Spoiling.allCases
  )
  func spoiled(_ spoiling: Spoiling) {
    for seed in 0..<150 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let hub = SimulatedHub(HubEngine.Options())
      let program = SimulatedProgram(hub, seed: seed)
      program.corruption = { bytes in
        if Int.random(in: 0..<3, using: &random) == 0 { spoiling.apply(to: &bytes, &random) }
      }
      var choice = SeededGenerator(seed: ~seed)
      for _ in 0..<60 {
        switch Int.random(in: 0..<10, using: &choice) {
        case 0: program.open(SimulatedWrites.key(&choice), .latest(2), .events, expectsEvery: false)
        case 1: program.begin(.write(SimulatedWrites.operation(&choice, lifetimes: true)))
        case 2: program.begin(.ping)
        case 3..<5: hub.ask(.write(SimulatedWrites.operation(&choice, lifetimes: true)))
        case 5: if let wire = program.wire { hub.read(wire, .max) }
        case 6: hub.turn()
        case 7: for stream in program.streams { _ = try? stream.stream.take() }
        case 8: program.advance(to: program.now + .milliseconds(300))
        default: program.read(.max)
        }
      }
      program.advance(to: program.now + .seconds(6))
      #expect(program.unfinished.isEmpty, "seed \(seed)")
    }
  }

  @Test("a connection that ends after any byte is made again, and every stream ends on the hub's state")
  func cutAnywhere() {
    // How much a client is sent in this history.
    var length = 1
    var cut = 0
    while cut < length {
      let hub = SimulatedHub(HubEngine.Options())
      let program = SimulatedProgram(hub, seed: 1)
      hub.ask(.write(.set(.name(try! StoreName("a.b")), .integer(1))))
      program.open(WatchKey([try! NamePattern("**")]), .latest(), .events, expectsEvery: false)
      program.begin(.write(.set(.name(try! StoreName("text")), .string("x"))))
      var sent = 0
      func carry(_ limit: Int) {
        if program.noticesLoss { program.lose() }
        guard let wire = program.wire else { return }
        hub.read(wire, .max)
        hub.turn()
        let before = hub.wires[wire]?.toClient.count ?? 0
        program.read(min(limit, before))
        sent += min(limit, before)
      }
      carry(cut)
      if sent < cut || cut == 0 { hub.ask(.write(.remove(.name(try! StoreName("a.b"))))) }
      carry(cut - sent)
      if cut == 0 { length = 400 }
      program.lose()
      hub.ask(.write(.remove(.name(try! StoreName("a.b")))))
      for _ in 0..<40 {
        program.advance(to: program.now + .milliseconds(200))
        carry(.max)
      }
      program.settle()
      #expect(program.problems.isEmpty, "cut behind \(cut) bytes: \(program.problems)")
      cut += 1
    }
  }
}
