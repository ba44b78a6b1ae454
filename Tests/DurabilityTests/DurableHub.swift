// A hub that keeps its state in a directory of a test's own, and what tests ask it.

import Glibc
import HubCore
import TestSupport

/// A place for hubs that follow each other on one state directory.
struct DurablePlace {
  let directory: TemporaryDirectory

  init() throws { directory = try TemporaryDirectory() }

  var state: String { directory.file("state") }
  var socket: String { directory.file("hub.sock") }

  /// Starts a hub on the state directory.
  func start(_ more: [String] = [], waits: Bool = true) throws -> HubProcess {
    try HubProcess(in: directory, socket: socket, arguments: ["--state-dir", state] + more, waits: waits)
  }

  /// Runs one of the programs to its end.
  func run(_ program: String, _ arguments: String...) throws -> (
    status: Int32, output: String, errors: String
  ) {
    let process = try ChildProcess(
      ChildProcess.built(program), arguments, environment: ["STATEHUB_SOCKET": socket], directory: directory)
    guard case .status(let status) = try process.wait() else {
      throw TestFailure("\(program) crashed")
    }
    return (status, process.standardOutput, process.standardError)
  }

  /// A client of a hub at this place that the test started by itself, as soon as the hub answers.
  func connect(to process: ChildProcess) throws -> RawClient {
    for _ in 0..<longestLooks {
      if let client = try? RawClient(to: socket), (try? client.hello()) != nil { return client }
      if let exit = process.poll(milliseconds: 2) {
        throw TestFailure("ended with \(exit): \(process.standardError)")
      }
    }
    throw TestFailure("no hub came: \(process.standardError)")
  }

  func files() -> [String] { directory.names(in: "state") }

  /// Changes one byte of a file in the state directory.
  func damage(_ file: String, at offset: Int) throws {
    let descriptor = open("\(state)/\(file)", O_RDWR | O_CLOEXEC)
    defer { close(descriptor) }
    var byte: UInt8 = 0
    guard pread(descriptor, &byte, 1, off_t(offset)) == 1 else { throw TestFailure("cannot read \(file)") }
    byte ^= 0x10
    guard pwrite(descriptor, &byte, 1, off_t(offset)) == 1 else { throw TestFailure("cannot damage \(file)") }
  }
}

extension RawClient {
  /// - Returns: why the hub refused it; nil: it is set.
  func set(_ name: String, _ value: Value) throws -> HubError? {
    switch try call(.write(.set(.name(try StoreName(name)), value))) {
    case .written: return nil
    case .error(let error): return error
    case let reply: throw TestFailure("set was answered with \(reply)")
    }
  }
}

extension HubProcess {
  func set(_ name: String, _ value: Value) throws {
    let reply = try connect().call(.write(.set(.name(try StoreName(name)), value)))
    guard case .written = reply else { throw TestFailure("set was answered with \(reply)") }
  }

  func value(_ name: String) throws -> Value? {
    switch try connect().call(.get(.name(try StoreName(name)))) {
    case .value(let state): return state.value
    default: return nil
    }
  }
}
