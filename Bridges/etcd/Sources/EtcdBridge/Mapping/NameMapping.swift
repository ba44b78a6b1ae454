// Which key is which store: `/fleet/a/b` is `net.a.b`. Every key has one name, and no two keys have the same.

package import FoundationEssentials
internal import HubClient

/// A prefix of etcd, and the stores that show its keys.
package struct NameMapping: Sendable, Hashable {
  /// The keys' beginning, which ends with a slash, or is empty.
  package let prefix: Data
  /// The first components of the stores' names.
  package let base: String

  /// How a key appears in the hub.
  package enum Place: Sendable, Equatable {
    /// As this store.
    case store(String)
    /// Not at all: it is one of the bridges' own keys.
    case own
    /// It cannot be shown, for this reason.
    case unmappable(String)
  }

  /// - Throws: a text with the reason.
  package init(prefix: String, base: String) throws(BridgeProblem) {
    guard prefix.isEmpty || prefix.hasSuffix("/") else {
      throw BridgeProblem(.usage, "a prefix ends with a slash: write \(prefix)/")
    }
    do throws(HubError) {
      let name = try StoreName(base)
      if name.isReserved { throw HubError(.reserved, "names under statehub. are reserved for the hub") }
      if name.text.split(separator: ".").first == "statehub-bridge" {
        throw HubError(.reserved, "names under statehub-bridge. belong to the bridge itself")
      }
    } catch {
      throw BridgeProblem(.usage, "--as \(base): \(error.message)")
    }
    self.prefix = Data(prefix.utf8)
    self.base = base
  }

  /// The beginning of the bridges' own keys.
  package var ownPrefix: Data { prefix + Data(".bridge/".utf8) }

  /// Where a key is shown.
  package func place(of key: Data) -> Place {
    if key.starts(with: ownPrefix) { return .own }
    guard key.starts(with: prefix) else { return .unmappable("it is not under the prefix") }
    var name = Array(base.utf8)
    for part in key.dropFirst(prefix.count).split(
      separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
    {
      name.append(UInt8(ascii: "."))
      name += NameEscape.encoded(part)
      if name.count > StoreName.maximumLength {
        return .unmappable("its name would be longer than \(StoreName.maximumLength) bytes")
      }
    }
    return .store(String(decoding: name, as: UTF8.self))
  }

  /// A store's key; nil: no key has this name.
  package func key(of name: String) -> Data? {
    let (bytes, front) = (Array(name.utf8), Array(base.utf8) + [UInt8(ascii: ".")])
    guard bytes.starts(with: front), bytes.count > front.count else { return nil }
    var key = prefix
    var isFirst = true
    for part in bytes.dropFirst(front.count).split(
      separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    {
      guard let decoded = NameEscape.decoded(part) else { return nil }
      if !isFirst { key.append(UInt8(ascii: "/")) }
      key += decoded
      isFirst = false
    }
    return key.starts(with: ownPrefix) ? nil : key
  }
}
