// The examples of `statectl apply`: a package's scripts and an Ansible task, played against a hub.

import TestSupport
import Testing

@Suite("The examples of apply", .blocking)
struct ApplyExampleTests {
  private let bench: Bench
  private var control: Control { bench.control }

  init() throws { bench = try Bench() }

  private func stores() throws -> [String] {
    try control.run("list").output.split(separator: "\n").map(String.init)
  }

  private func example(_ name: String, _ path: String) throws -> String {
    let text = readFile("\(checkout)/Examples/Apply/\(name)")
    #expect(text.contains(path), "\(name) names \(path)")
    return text.replacing(path, with: "\(control.directory.path)/stores.json5")
  }

  @Test("a package's scripts make its stores, follow its versions, and take the stores with them")
  func package() throws {
    let declared = readFile("\(checkout)/Examples/Apply/stores.json5")
    try control.directory.write(declared, to: "stores.json5")
    try control.directory.write(try example("postinst", "/usr/share/web/stores.json5"), to: "postinst")
    try control.directory.write(
      readFile("\(checkout)/Examples/Apply/postrm"), to: "postrm")
    let install = "sh \(control.directory.file("postinst")) configure"
    let quiet = Control.Result(status: 0, output: "", errors: "")
    #expect(try control.shell(install) == quiet)
    #expect(try stores() == ["applied.web", "web.mode", "web.motd", "web.port"])
    try control.perform("set", "web.port", "81")
    // The next version has one store less, and what the administrator has set stays.
    let next = declared.split(separator: "\n").filter { !$0.contains("web.motd") }.joined(separator: "\n")
    try control.directory.write(next, to: "stores.json5")
    #expect(try control.shell(install) == quiet)
    #expect(try stores() == ["applied.web", "web.mode", "web.port"])
    #expect(try control.run("get", "web.port").output == "81\n")
    #expect(try control.shell(install) == quiet)
    try control.directory.write("{ stores: { x: 1 } }", to: "stores.json5")
    #expect(try control.shell(install).status == 6)
    #expect(try control.shell("sh \(control.directory.file("postrm")) remove") == quiet)
    #expect(try stores().count == 3)
    #expect(try control.shell("sh \(control.directory.file("postrm")) purge") == quiet)
    #expect(try stores().isEmpty)
    bench.hub.kill()
    try control.directory.write(next, to: "stores.json5")
    let noHub = try control.shell(install)
    #expect(noHub.status == 0 && noHub.errors.contains("web: no hub is running"), "\(noHub)")
  }

  @Test("an Ansible task changes once, and tells what it would change")
  func ansible() throws {
    try control.directory.write(
      readFile("\(checkout)/Examples/Apply/stores.json5"), to: "stores.json5")
    let tasks = try example("tasks.yml", "/etc/web/stores.json5")
    // The command by itself, as Ansible fills it in.
    let line = try #require(tasks.split(separator: "\n").first { $0.contains(" cmd: ") })
    let command = String(line.split(separator: "cmd: ", maxSplits: 1)[1])
    let condition = /\{\{ '(.*)' if ansible_check_mode else '' \}\}/
    #expect(command.firstMatch(of: condition) != nil)
    let check = try control.shell(command.replacing(condition) { String($0.1) })
    #expect(check.status == 14 && check.output.hasPrefix("+ {\"name\":\"web.port\""), "\(check)")
    #expect(try stores().isEmpty)
    if try control.has(interpreter: "ansible-playbook", for: "Examples/Apply/tasks.yml") {
      let indented = tasks.split(separator: "\n").map { "    \($0)\n" }.joined()
      try control.directory.write(
        """
        - hosts: localhost
          connection: local
          gather_facts: false
          vars: { ansible_python_interpreter: "{{ ansible_playbook_python }}" }
          tasks:
        \(indented)
        """, to: "play.yml")
      for (options, changed) in [("--check", 1), ("", 1), ("", 0), ("--check", 0)] {
        let play = try control.shell(
          "ansible-playbook -i localhost, \(options) \(control.directory.file("play.yml"))")
        #expect(play.status == 0, "\(play)")
        #expect(play.output.contains(" changed=\(changed) "), "\(play)")
      }
    } else {
      let run = command.replacing(condition, with: "")
      #expect(try control.shell(run).status == 14)
      #expect(try control.shell(run).status == 0)
    }
    #expect(try stores() == ["applied.web", "web.mode", "web.motd", "web.port"])
  }
}
