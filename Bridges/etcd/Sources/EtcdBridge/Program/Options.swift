// The options of the command line. Parsing opens nothing.

package import EtcdGateway
internal import FoundationEssentials
package import HubClient

/// The command line of `statehub-bridge etcd`.
package struct Options: Sendable {
  package enum Task: Sendable, Equatable {
    case serve, check, help, version
  }

  /// A prefix, and how its keys become stores.
  package struct Prefix: Sendable {
    package let mapping: NameMapping
    package let values: ValueMapping
  }

  package var task = Task.serve
  package var settings = EtcdSettings(endpoints: [])
  package var prefixes: [Prefix] = []
  package var machine = Options.hostname
  package var socket = SocketPath.automatic
  package var metrics: String?
  package var level = Log.Level.notice
  package var passwordFile: String?

  static let names = [
    "--endpoints", "--prefix", "--as", "--values", "--ca", "--cert", "--key", "--user", "--password-file",
    "--name",
    "--socket", "--system", "--metrics", "--log-level", "--check", "--help", "--version",
  ]

  /// - Parameter words: without the program's name.
  package init(parsing words: [String]) throws(BridgeProblem) {
    func problem(_ text: String) -> BridgeProblem { BridgeProblem(.usage, text) }
    var rest = words[...]
    if rest.first == "etcd" {
      rest = rest.dropFirst()
    } else if let first = rest.first, !first.hasPrefix("-") {
      throw problem("unknown source: \(first) (expected etcd)")
    }
    var values = ValueMapping.json
    var open: (prefix: String, base: String?, values: ValueMapping?)?
    func close() throws(BridgeProblem) {
      guard let last = open else { return }
      guard let base = last.base else {
        throw problem("--prefix \(last.prefix) needs --as NAME, the beginning of its stores' names")
      }
      prefixes.append(
        Prefix(mapping: try NameMapping(prefix: last.prefix, base: base), values: last.values ?? values))
      open = nil
    }
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      func value(_ what: String, empty: Bool = false) throws(BridgeProblem) -> String {
        guard let value = parts.count == 2 ? parts[1] : rest.popFirst(), empty || !value.isEmpty else {
          throw problem("\(name) needs \(what)")
        }
        return value
      }
      switch name {
      case "--endpoints":
        settings.endpoints += try value("URLs, separated by commas").split(separator: ",").map(
          String.init)
      case "--prefix":
        let prefix = try value("the beginning of the keys", empty: true)
        try close()
        open = (prefix, nil, nil)
      case "--as":
        let base = try value("the beginning of the stores' names")
        guard open != nil, open?.base == nil else {
          throw problem("--as must follow its --prefix")
        }
        open?.base = base
      case "--values":
        let word = try value("json, text or data")
        guard let mapping = ValueMapping(rawValue: word) else {
          throw problem("--values must be json, text or data, not \(word)")
        }
        if open != nil { open?.values = mapping } else { values = mapping }
      case "--ca": settings.transport.authorities = try value("a file")
      case "--cert": settings.transport.certificate = try value("a file")
      case "--key": settings.transport.key = try value("a file")
      case "--user": settings.user = try value("a name")
      case "--password-file": passwordFile = try value("a file")
      case "--name": machine = try value("a name")
      case "--socket": socket = .explicit(try value("a path"))
      case "--system": socket = .system
      case "--metrics": metrics = try value("an address, or a file")
      case "--log-level":
        let word = try value("a level")
        guard let known = Log.Level(name: word) else {
          throw problem("unknown log level: \(word) (expected error, warning, notice, info or debug)")
        }
        level = known
      case "--check": task = .check
      case "--help", "-h":
        task = .help
        return
      case "--version":
        task = .version
        return
      case _ where word.hasPrefix("-"): throw problem("unknown option: \(name)")
      default: throw problem("unexpected argument: \(word)")
      }
    }
    try close()
    try finish()
  }

  private mutating func finish() throws(BridgeProblem) {
    func problem(_ text: String) -> BridgeProblem { BridgeProblem(.usage, text) }
    if settings.endpoints.isEmpty {
      throw problem("--endpoints is missing: etcd's URLs, for example http://10.0.0.1:2379")
    }
    if prefixes.isEmpty { throw problem("--prefix is missing: it says which keys become stores") }
    if (settings.transport.certificate == nil) != (settings.transport.key == nil) {
      throw problem("--cert and --key require each other")
    }
    if (settings.user == nil) != (passwordFile == nil) {
      throw problem("--user and --password-file require each other")
    }
    if machine.isEmpty || machine.utf8.contains(UInt8(ascii: "/")) {
      throw problem("--name must not be empty or contain a slash")
    }
    for (index, one) in prefixes.enumerated() {
      for other in prefixes[..<index] {
        let (a, b) = (one.mapping, other.mapping)
        if a.prefix.starts(with: b.prefix) || b.prefix.starts(with: a.prefix) {
          throw problem("two prefixes have keys in common: a key can only be one store")
        }
        if "\(a.base).".hasPrefix("\(b.base).") || "\(b.base).".hasPrefix("\(a.base).") {
          throw problem("--as \(b.base) and --as \(a.base) have stores in common")
        }
      }
    }
    // So that the time from a change in etcd to its store stays within `Pace`.
    settings.attempt = .milliseconds(1500)
    settings.watchCheck = .seconds(1)
    settings.transport.connecting = .seconds(1)
    settings.transport.longestBody = Pace.longestAnswer
    if let passwordFile {
      settings.password = { try Options.line(of: passwordFile) }
    }
  }
}
