// A bridge with certificates and with users, and the reports of `--check`.

import BridgeProcesses
import EtcdGateway
import EtcdProcesses
import Foundation
import HubClient
import Testing

@Suite(.timeLimit(.minutes(3))) struct SecureBridgeTests {
  /// Runs the program to its end.
  private func run(_ words: [String]) throws -> (status: Int32, text: String) {
    let process = Process()
    process.executableURL = URL(filePath: try Programs.bridge)
    process.arguments = words
    let pipe = Pipe()
    (process.standardOutput, process.standardError) = (pipe, pipe)
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    return (process.terminationStatus, text)
  }

  @Test func certificatesOfBothSidesAreChecked() async throws {
    let certificates = try Certificates()
    let cluster = try await EtcdCluster(certificates: certificates)
    let own = try certificates.make("bridge", address: "127.0.0.1")
    let tls = ["--ca", certificates.authority, "--cert", own.certificate, "--key", own.key]
    let net = try await Bridged(cluster: cluster, options: tls)
    try await net.hub.anyValue("net.a").set(.integer(1))
    #expect(try await net.get("a") == "1")
    let all = net.words + ["--check", "--socket", net.machine.socket]
    let good = try run(["etcd"] + all)
    #expect(good.status == 0, "\(good.text)")
    let bad = try run(["etcd"] + Array(net.words.dropLast(6)) + ["--check", "--socket", net.machine.socket])
    #expect(bad.status == 69 && bad.text.contains("TLS"), "\(bad.text)")
  }

  @Test func aUserMayWhatItsRoleAllows() async throws {
    let cluster = try await EtcdCluster()
    let node = cluster.nodes[0]
    for words in [
      "role add root", "user add root:secret", "user grant-role root root", "role add fleet",
      "role grant-permission fleet --prefix=true readwrite /f/", "user add bridge:word",
      "user grant-role bridge fleet",
      "role add reader", "role grant-permission reader --prefix=true read /f/", "user add eye:word",
      "user grant-role eye reader",
    ] { try node.ctl(words.split(separator: " ").map(String.init)) }
    try node.ctl(["auth", "enable"])
    var settings = cluster.settings
    (settings.user, settings.password) = ("root", { "secret" })
    let root = try EtcdClient(settings)
    let machine = try Machine("m1")
    try Files.write("word\n", "\(machine.directory.path)/password")
    try await machine.startHub()
    let hub = machine.connect()
    let common = ["--endpoints", node.url, "--prefix", "/f/", "--as", "net"]
    let password = ["--password-file", "\(machine.directory.path)/password"]
    try machine.startBridge(common + ["--user", "bridge"] + password)
    try await machine.await(.live, hub)
    try await hub.anyValue("net.a").set(.integer(1))
    machine.killBridge()

    // A bridge that may only read shows everything, and refuses every write.
    try machine.startBridge(common + ["--user", "eye"] + password)
    try await machine.await(.live, hub)
    try await root.put(Data("/f/b".utf8), Data("2".utf8))
    try await eventually("it is shown") { (try? await hub.anyValue("net.b").get()) == .integer(2) }
    let denied = await refusal { () async throws(HubError) in try await hub.anyValue("net.a").set(.integer(3))
    }
    #expect(denied?.code == .denied)
    let check = ["etcd", "--check", "--socket", machine.socket] + common
    let reader = try run(check + ["--user", "eye"] + password)
    #expect(reader.status == 0 && reader.text.contains("only be read"), "\(reader.text)")
    let nobody = try run(check)
    #expect(nobody.status == 77, "\(nobody.text)")
    try Files.write("wrong\n", "\(machine.directory.path)/wrong")
    let wrong = try run(check + ["--user", "eye", "--password-file", "\(machine.directory.path)/wrong"])
    #expect(wrong.status == 77 && wrong.text.contains("password"), "\(wrong.text)")
  }

  @Test func whatIsMissingIsReported() async throws {
    let node = try await SharedMember.settings().endpoints[0]
    let common = ["etcd", "--check", "--prefix", "/\(UUID().uuidString)/", "--as", "net"]
    let nobody = try run(
      common + ["--endpoints", "http://127.255.255.254:1", "--socket", "/nonexistent/hub.sock"])
    #expect(nobody.status == 69 && nobody.text.contains("cannot be reached"), "\(nobody.text)")
    let noHub = try run(common + ["--endpoints", node, "--socket", "/nonexistent/hub.sock"])
    #expect(noHub.status == 69 && noHub.text.contains("wrong: the hub"), "\(noHub.text)")
    let noFile = try run(
      common + ["--endpoints", node, "--ca", "/nonexistent/ca.pem", "--socket", "/nonexistent/s"])
    #expect(noFile.status == 66, "\(noFile.text)")
    #expect(try run(["etcd", "--prefix", "/a/", "--as", "net"]).status == 64)
    #expect(
      try run(["etcd", "--endpoints", node, "--prefix", "/a/", "--as", "x", "--prefix", "/a/b/", "--as", "y"])
        .status == 64)
    #expect(try run(["--version"]).text.hasPrefix("statehub-bridge "))
  }

  /// Only a program with a static runtime, as it is shipped, loses Swift's arguments: such a one is made of the file that reads them.
  @Test func argumentsSurviveALibraryThatSetsAVariableBeforeMain() throws {
    let folder = try TemporaryDirectory()
    let path = folder.path
    let file = URL(filePath: #filePath).appending(
      path: "../../../Sources/EtcdBridge/Program/Surroundings.swift")
    try Files.write("struct Options {}\nprint(Options.arguments)\n", "\(path)/main.swift")
    try Files.write(
      """
      #include <stdlib.h>
      __attribute__((constructor)) static void early(void) { unsetenv("EARLY"); setenv("EARLY", "1", 1); }
      """, "\(path)/early.c")
    try GuardedProcess.run(["cc", "-shared", "-fPIC", "-o", "\(path)/early.so", "\(path)/early.c"], in: path)
    try GuardedProcess.run(
      [
        "swiftc", "-swift-version", "6", "-package-name", "bridge", "-static-stdlib", "-o", "\(path)/program",
        file.standardizedFileURL.path, "\(path)/main.swift",
      ], in: path)
    let words = ["env", "LD_PRELOAD=\(path)/early.so", "\(path)/program", "one", "two words", ""]
    #expect(try GuardedProcess.run(words, in: path) == "[\"one\", \"two words\", \"\"]\n")
  }

  @Test func theVersionIsTheHubs() throws {
    let words = try run(["--version"]).text.split(whereSeparator: \.isWhitespace)
    let process = Process()
    process.executableURL = URL(filePath: try Programs.hub)
    process.arguments = ["--version"]
    let pipe = Pipe()
    process.standardOutput = pipe
    try process.run()
    let text = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
    process.waitUntilExit()
    #expect(text.split(whereSeparator: \.isWhitespace).last == words.last)
  }
}
