// The steps of random histories, and how one is played. The streams and programs in it check what they get.

import HubCore
import HubEngine
import HubTransport
import TestSupport
import Testing

@testable import HubClient

struct Scenario: CustomTestStringConvertible, Sendable {
  var name: String
  var logBytes = 1 << 16
  var removals = 4096
  /// Every stream asks for every change and has room for it.
  var every = false
  /// Connections take few bytes at a time, at any border.
  var isSlow = false
  var disconnects = false
  var newEpochs = false
  var lifetimes = false
  var steps = 150
  /// Print what the programs receive.
  var isTraced = false

  var testDescription: String { name }

  /// - Returns: the promises that were broken.
  func play(seed: UInt64) -> [String] {
    var random = SeededGenerator(seed: seed)
    var options = HubEngine.Options()
    options.changeLogBytes = logBytes
    options.rememberedRemovals = removals
    let hub = SimulatedHub(options)
    let programs = (0..<2).map { SimulatedProgram(hub, seed: seed + UInt64($0)) }
    var lastToken = SimulatedWrites.firstToken
    func token() -> Int64 {
      lastToken += 1
      return lastToken
    }
    for program in programs {
      program.isTraced = isTraced
      open(program, &random)
    }
    for _ in 0..<steps {
      step(hub, programs.randomElement(using: &random)!, &random, token)
    }
    settle(hub, programs)
    return programs.flatMap(\.problems)
  }

  private func step(
    _ hub: SimulatedHub, _ program: SimulatedProgram, _ random: inout SeededGenerator, _ token: () -> Int64
  ) {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<22: hub.ask(.write(SimulatedWrites.operation(&random, lifetimes: lifetimes)))
    case 22..<28:
      hub.ask(.transaction(SimulatedWrites.transaction(&random, lifetimes: false, token: { nil })))
    case 28..<34:
      program.begin(.write(SimulatedWrites.operation(&random, lifetimes: lifetimes, token: token())))
    case 34..<36:
      program.begin(.transaction(SimulatedWrites.transaction(&random, lifetimes: false, token: token)))
    case 36: program.begin(.ping)
    case 37: program.cancel(&random)
    case 38..<52: carry(hub, program, &random)
    case 52..<64: hub.turn()
    case 64..<78: program.read(isSlow ? .random(in: 1...300, using: &random) : .max)
    case 78..<86: program.streams.randomElement(using: &random)?.take(.random(in: 1...4, using: &random))
    case 86..<89: if program.streams.count < 8 { open(program, &random) }
    case 89:
      if program.streams.count > 1 { program.close(.random(in: 0..<program.streams.count, using: &random)) }
    case 90..<92:
      if isSlow, let wire = program.wire {
        hub.setCapacity(.random(in: 0...600, using: &random), of: wire)
      }
    case 92..<95: if disconnects { interrupt(hub, program, &random) }
    default: advance(hub, [program], by: .random(in: 0...400_000_000, using: &random))
    }
    if program.noticesLoss, Bool.random(using: &random) { program.lose() }
  }

  private func carry(_ hub: SimulatedHub, _ program: SimulatedProgram, _ random: inout SeededGenerator) {
    guard let wire = program.wire else { return }
    hub.read(wire, isSlow ? .random(in: 1...200, using: &random) : .max)
  }

  private func interrupt(_ hub: SimulatedHub, _ program: SimulatedProgram, _ random: inout SeededGenerator) {
    program.capacity = isSlow ? .random(in: 40...4000, using: &random) : .max
    program.isRefused = Int.random(in: 0..<4, using: &random) == 0
    switch Int.random(in: 0..<10, using: &random) {
    case 0..<2: hub.restart(keepingState: true)
    case 2 where newEpochs: hub.restart(keepingState: false)
    case 3..<5:
      // The client has read all that there was before it notices.
      if let wire = program.wire { hub.read(wire, .max) }
      hub.turn()
      program.read(.max)
      program.lose()
    default: program.lose()
    }
  }

  private func open(_ program: SimulatedProgram, _ random: inout SeededGenerator) {
    let policy: StreamPolicy
    if every {
      policy = .every(limit: 100_000)
    } else {
      policy =
        switch Int.random(in: 0..<6, using: &random) {
        case 0..<3: .latest()
        case 3: .latest(3)
        case 4: .every(limit: 3)
        default: .every(limit: 1000)
        }
    }
    let key = SimulatedWrites.key(&random)
    let wantsValues = key.isSingle && Int.random(in: 0..<4, using: &random) == 0
    // A single pass over the log shows every change; a split one need not.
    program.open(key, policy, wantsValues ? .values : .events, expectsEvery: every && !isSlow && !disconnects)
  }

  private func advance(_ hub: SimulatedHub, _ programs: [SimulatedProgram], by nanoseconds: UInt64) {
    hub.advance(by: nanoseconds)
    for program in programs { program.advance(to: program.now + .nanoseconds(Int64(nanoseconds))) }
  }

  /// Everybody gets everything.
  private func settle(_ hub: SimulatedHub, _ programs: [SimulatedProgram]) {
    for program in programs {
      program.isRefused = false
      program.capacity = .max
    }
    for round in 0..<60 {
      for program in programs {
        if program.noticesLoss { program.lose() }
        guard let wire = program.wire else { continue }
        hub.setCapacity(.max, of: wire)
        hub.read(wire, .max)
      }
      hub.turn()
      for program in programs { program.read(.max) }
      if round > 30, hub.isQuiet { break }
      // Less than a lifetime or a request's time-out at first, so that both ends are seen.
      advance(hub, programs, by: 200_000_000)
    }
    for program in programs { program.settle() }
  }
}
