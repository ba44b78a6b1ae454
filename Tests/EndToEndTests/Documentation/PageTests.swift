// The commands of all other pages: a transcript is run and compared; what only an installed system or a long time can run
// names what there is.

import Glibc
import HubCore
import TestSupport
import Testing

@testable import statectl

@Suite("The commands of the pages", .blocking)
struct PageTests {
  private static let pages = [
    "README.md", "CONTRIBUTING.md", "Examples/README.md", "docs/internals/ARCHITECTURE.md", "docs/README.md",
    "docs/configuration.md", "docs/durability.md", "docs/internals/handoff.md", "docs/internals/journal.md",
    "docs/internals/testing.md",
    "Benchmarks/RESULTS.md", "Benchmarks/client/RESULTS.md", "Benchmarks/reducers/RESULTS.md",
    "docs/performance.md", "docs/protocol.md",
    "docs/systemd.md", "Sources/HubClient/HubClient.docc/GettingStarted.md",
    "Sources/HubReducers/HubReducers.docc/Getting-Started-with-Reducers.md",
  ]

  /// What belongs to the system. That it does what the page says is seen under a real systemd, by Tools/systemd.
  private static let systems: Set<String> = [
    "apt", "apt-get", "usermod", "systemctl", "systemd-sysusers", "systemd-tmpfiles", "journalctl",
  ]

  private func exists(_ path: String) -> Bool { access("\(checkout)/\(path)", F_OK) == 0 }

  @Test("name programs, targets, products, options and files that exist", arguments: pages)
  func commands(page: String) throws {
    for block in PageBlock.all(of: page) where ["console", "sh", "bash", "text"].contains(block.language) {
      let hasPrompts = block.lines.contains { $0.hasPrefix("$ ") }
      if block.language == "text", !hasPrompts { continue }
      let commands = hasPrompts ? block.steps.map(\.command) : block.lines.filter { !$0.isEmpty }
      for command in commands {
        // A comment behind it may hold anything.
        let code = command.split(separator: " #", omittingEmptySubsequences: false)[0]
        for part in code.split(separator: /&&|\||;/) { try check(String(part), "\(page):\(block.line)") }
      }
    }
  }

  private func check(_ command: String, _ place: String) throws {
    var words = try ScriptWords.split(Array(command.utf8)[...]).map(\.text)
    words.removeAll { $0 == "sudo" || $0 == "&" }
    while let first = words.first, first.contains(/^[A-Z_]+=/) { words.removeFirst() }
    guard let program = words.first else { return }
    let arguments = Array(words.dropFirst())
    switch program {
    case "statectl": try check(statectl: arguments, place)
    case "statehub": try check(statehub: arguments, place)
    case "make":
      let folder = arguments.first == "-C" ? "/\(arguments[1])" : ""
      let makefile = readFile("\(checkout)\(folder)/Makefile")
      #expect(!makefile.isEmpty, "\(place): \(folder)")
      for target in arguments.dropFirst(folder.isEmpty ? 0 : 2) where !target.contains("=") {
        #expect(
          makefile.contains("\n\(target):") || makefile.contains(" \(target) "), "\(place): make \(target)")
      }
    case "swift":
      if let name = arguments.first == "run" ? arguments.dropFirst().first : nil {
        #expect(
          readFile("\(checkout)/Package.swift").contains("name: \"\(name)\""), "\(place): \(name)")
        if name == "statectl" { try check(statectl: Array(arguments.dropFirst(2)), place) }
      }
    case "grep", "man", "sudoedit": break
    case "cp", "python3":
      let path = arguments[0].replacing("/usr/share/doc/statehub/examples/", with: "Examples/")
      #expect(exists(path), "\(place): \(path)")
    case _ where program.contains("/"): #expect(exists(program), "\(place): \(program)")
    default: #expect(Self.systems.contains(program), "\(place): \(program)")
    }
    if program == "systemctl" {
      for unit in arguments where unit.hasPrefix("statehub") {
        let file = unit.contains(".") ? unit : unit + ".service"
        #expect(exists("systemd/system/\(file)") || exists("systemd/user/\(file)"), "\(place): \(unit)")
      }
    }
  }

  private func check(statectl arguments: [String], _ place: String) throws {
    do throws(Failure) {
      _ = try ArgumentParser.parse(arguments.map { Argument($0) })
    } catch {
      Issue.record("\(place): statectl \(arguments): \(error.message ?? "")")
    }
  }

  private func check(statehub arguments: [String], _ place: String) throws {
    let directory = try TemporaryDirectory()
    let help = try ChildProcess(ChildProcess.built("statehub"), ["--help"], directory: directory)
    _ = try help.wait()
    for word in arguments where word.hasPrefix("--") {
      #expect(help.standardOutput.contains(word), "\(place): statehub \(word)")
    }
    for word in arguments.prefix(1) where !word.hasPrefix("-") {
      #expect(help.standardOutput.contains("statehub \(word)"), "\(place): statehub \(word)")
    }
  }

  @Test("the page on durability shows what inspect prints of a journal that was just begun")
  func inspection() throws {
    let block = try #require(
      PageBlock.all(of: "docs/durability.md").first {
        $0.lines.first?.hasPrefix("$ statehub inspect ") == true
      })
    let step = try #require(block.steps.first)
    let directory = try TemporaryDirectory()
    let state = directory.file("state")
    let hub = try HubProcess(in: directory, arguments: ["--state-dir", state])
    let control = Control(directory: directory, socket: hub.socket)
    for line in step.output.split(separator: "\n") {
      guard let match = line.firstMatch(of: /(created|change) .* store [0-9]+ ([^ ]+) .* = (.*)$/) else {
        continue
      }
      #expect(try control.run("set", String(match.2), String(match.3)).status == 0)
    }
    let words = step.command.split(separator: " ").dropFirst().map(String.init)
    let process = try ChildProcess(
      ChildProcess.built("statehub"), words.map { $0.hasPrefix("~/") ? state : $0 }, directory: directory)
    #expect(try process.wait() == .status(0))
    func masked(_ text: String) -> String {
      text.replacing(/[0-9a-f]{32}/, with: "EPOCH").replacing(/20[0-9-]{8} [0-9:]{8} UTC/, with: "TIME")
        // How long the head is depends on what the file system tells of a file.
        .replacing(/\n +[0-9]+ [ ]/, with: "\nOFFSET  ").replacing(/ends at 1:[0-9]+/, with: "ends at END")
        .replacing(/lock: process [0-9]+/, with: "lock: process PID")
        .replacing(/creator [0-9]+/, with: "creator USER")
    }
    #expect(masked(process.standardOutput) == masked(step.output))
    withExtendedLifetime(hub) {}
  }

  @Test("the page on systemd shows what a configuration with a mistake is answered")
  func mistake() throws {
    let steps = PageBlock.all(of: "docs/systemd.md").flatMap(\.steps)
    let step = try #require(steps.first { $0.command.contains("--config ") && !$0.output.isEmpty })
    let directory = try TemporaryDirectory()
    // The mistake stands where the page says.
    let lines = "{\n  // The house's hub.\n  stores: {\n"
    let store = "    \"audio.volume\": { type: \"integer\", maximum: 10,"
    let padding = String(repeating: " ", count: 61 - "initial: ".count - store.count)
    let path = try directory.write(
      lines + store + padding + "initial: 11 },\n  },\n}\n", to: "statehub.json5")
    let words = step.command.replacing("/etc/statehub/statehub.json5", with: path).split(separator: " ")
    let process = try ChildProcess(
      ChildProcess.built("statehub"), words.dropFirst().map(String.init), directory: directory)
    #expect(try process.wait() == .status(1))
    let shown = step.output.replacing("/etc/statehub/statehub.json5", with: path)
    // Whether the line begins with the program's name is the program's affair.
    #expect(
      process.standardError.replacing("statehub: ", with: "") == shown.replacing("statehub: ", with: ""))
  }
}
