// Owns how a configuration writes providers: the claims that exist from the start, and who may provide them.

import HubCore
import HubEngine

extension ConfigurationReader {
  private static let providerKeys = ["stores", "users", "description"]
  private static let mostProviders = 256

  /// The providers without errors, in the order of their names.
  mutating func providers(_ node: ConfigurationNode) -> [ProviderDeclaration] {
    var providers: [ProviderDeclaration] = []
    let members = members(of: node)
    if members.count > ConfigurationReader.mostProviders {
      reject(
        node,
        "there are \(members.count) providers; a hub can have at most \(ConfigurationReader.mostProviders)")
    }
    for (name, node) in members {
      guard let provider = provider(name, node) else { continue }
      if let (other, _) = ProviderDeclaration.overlap(in: providers + [provider]) {
        reject(node, "it shares stores with providers.\(other.name): each store can have only one provider")
      } else {
        providers.append(provider)
      }
    }
    return providers.sorted { $0.name < $1.name }
  }

  private mutating func provider(_ name: String, _ node: ConfigurationNode) -> ProviderDeclaration? {
    let before = problems.count
    var provider: ProviderDeclaration?
    do throws(HubError) {
      provider = ProviderDeclaration(try ProviderDeclaration.name(name), [])
    } catch {
      reject(node.atKey, error.message)
    }
    for (key, member) in members(of: node, as: ConfigurationReader.providerKeys) {
      switch key {
      case "stores":
        let patterns = patterns(member)
        provider?.patterns = patterns
        if problems.count == before, let problem = ClaimOffer.problem(in: patterns) {
          reject(member, problem.message)
        }
      case "users": provider?.users = users(member)
      default: provider?.description = string(member) ?? ""
      }
    }
    if problems.count == before, provider?.patterns.isEmpty ?? false {
      reject(node, "stores is missing: a name, a pattern such as display.**, or a list of them")
    }
    return problems.count == before ? provider : nil
  }

  /// One pattern, or a list of them.
  private mutating func patterns(_ node: ConfigurationNode) -> [NamePattern] {
    oneOrMore(node) { $0.pattern($1) }
  }

  private mutating func users(_ node: ConfigurationNode) -> [ProviderDeclaration.User] {
    subjects(node).compactMap { subject in
      if case .user(let uid, let name) = subject { return ProviderDeclaration.User(uid: uid, name: name) }
      reject(node, "\(subject) is not a user: name a provider as user:NAME")
      return nil
    }
  }
}

/// The providers that are declared.
struct ProvidersForm: SettingForm {
  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> [ProviderDeclaration]? {
    reader.providers(node)
  }

  func write(_ providers: [ProviderDeclaration], to out: inout OutputBuffer) {
    out.append(UInt32(providers.count))
    for provider in providers {
      out.append(short: provider.name.text)
      out.append(medium: provider.description)
      out.append(UInt32(provider.patterns.count))
      for pattern in provider.patterns { out.append(short: pattern.text) }
      out.append(UInt32(provider.users.count))
      for user in provider.users {
        out.append(user.uid)
        out.append(medium: user.name)
      }
    }
  }

  func restore(from reader: inout ByteReader) -> [ProviderDeclaration]? {
    var providers: [ProviderDeclaration] = []
    for _ in 0..<reader.integer(UInt32.self) {
      guard let name = try? StoreName(reader.shortBytes().text) else { return nil }
      var provider = ProviderDeclaration(name, [], description: reader.mediumBytes().text)
      for _ in 0..<reader.integer(UInt32.self) {
        guard let pattern = try? NamePattern(reader.shortBytes().text) else { return nil }
        provider.patterns.append(pattern)
      }
      for _ in 0..<reader.integer(UInt32.self) where !reader.failed {
        let uid = reader.integer(UInt32.self)
        provider.users.append(ProviderDeclaration.User(uid: uid, name: reader.mediumBytes().text))
      }
      providers.append(provider)
    }
    let isSound = providers.allSatisfy { ClaimOffer.problem(in: $0.patterns) == nil }
    return reader.failed || !isSound || ProviderDeclaration.overlap(in: providers) != nil ? nil : providers
  }
}
