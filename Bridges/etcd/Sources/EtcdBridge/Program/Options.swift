// What the command line asks for. It reads words and opens nothing.

package import EtcdGateway
internal import FoundationEssentials
package import HubClient

/// The command line of `statehub-bridge etcd`, understood.
package struct Options: Sendable {
  package enum Task: Sendable, Equatable {
    case serve, check, help, version
  }

  /// A prefix and what shows it.
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
      throw problem("unknown source: \(first) (there is etcd)")
    }
    var values = ValueMapping.json
    var open: (prefix: String, base: String?, values: ValueMapping?)?
    func close() throws(BridgeProblem) {
      guard let last = open else { return }
      guard let base = last.base else {
        throw problem("--prefix \(last.prefix) needs --as NAME: where its stores are")
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
        settings.endpoints += try value("URLs, with commas between them").split(separator: ",").map(
          String.init)
      case "--prefix":
        let prefix = try value("the keys' beginning", empty: true)
        try close()
        open = (prefix, nil, nil)
      case "--as":
        let base = try value("a name for the stores")
        guard open != nil, open?.base == nil else {
          throw problem("--as stands behind the --prefix that it is about")
        }
        open?.base = base
      case "--values":
        let word = try value("json, text or data")
        guard let mapping = ValueMapping(rawValue: word) else {
          throw problem("--values is json, text or data, not \(word)")
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
          throw problem("unknown log level: \(word) (there are error, warning, notice, info, debug)")
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
      throw problem("--endpoints is missing: where etcd is, as http://10.0.0.1:2379")
    }
    if prefixes.isEmpty { throw problem("--prefix is missing: which keys are to be stores") }
    if (settings.transport.certificate == nil) != (settings.transport.key == nil) {
      throw problem("--cert and --key go together")
    }
    if (settings.user == nil) != (passwordFile == nil) {
      throw problem("--user and --password-file go together")
    }
    if machine.isEmpty || machine.utf8.contains(UInt8(ascii: "/")) { throw problem("--name has no slash") }
    for (index, one) in prefixes.enumerated() {
      for other in prefixes[..<index] {
        let (a, b) = (one.mapping, other.mapping)
        if a.prefix.starts(with: b.prefix) || b.prefix.starts(with: a.prefix) {
          throw problem("two prefixes have keys in common: a key is one store")
        }
        if "\(a.base).".hasPrefix("\(b.base).") || "\(b.base).".hasPrefix("\(a.base).") {
          throw problem("--as \(b.base) and --as \(a.base) have stores in common")
        }
      }
    }
    // What is between a change in etcd and its store is at most as slow as `Pace` allows.
    settings.attempt = .milliseconds(1500)
    settings.watchCheck = .seconds(1)
    settings.transport.connecting = .seconds(1)
    if let passwordFile {
      settings.password = { try Options.line(of: passwordFile) }
    }
  }
}
