// Owns the declarations of stores: their names, their keys, and that a declaration is whole; creates no store.

import HubCore

extension ConfigurationReader {
  /// The declarations in which nothing is wrong.
  mutating func stores(_ node: ConfigurationNode) -> [StoreDeclaration] {
    var declarations: [StoreDeclaration] = []
    for (word, node) in members(of: node) {
      let name = storeName(word, node)
      let schema = schema(node)
      if let name, let schema { declarations.append(StoreDeclaration(name: name, schema: schema)) }
    }
    return declarations
  }

  private mutating func storeName(_ word: String, _ node: ConfigurationNode) -> StoreName? {
    do {
      let name = try StoreName(word)
      if !name.isReserved { return name }
      reject(node.atKey, "names under statehub. belong to the hub itself")
    } catch {
      reject(node.atKey, error.message)
    }
    return nil
  }

  private mutating func schema(_ store: ConfigurationNode) -> Schema? {
    guard case .object = store.value.content else {
      reject(store, expected: "an object")
      return nil
    }
    let before = problems.count
    let keys = members(of: store, as: StoreKey.allCases.map(\.rawValue)).compactMap { word, node in
      StoreKey(rawValue: word).map { (key: $0, node: node) }
    }
    let type = type(of: store, keys)
    var draft = SchemaDraft(type: type ?? .json)
    for (key, node) in keys {
      switch key {
      case .type: break
      case .durability: draft.schema.durability = choice(node, of: Durability.allCases)
      case .description: draft.schema.description = string(node) ?? ""
      case .readers, .writers: reject(node.atKey, "not supported yet: access rules")
      case .initial, .minimum, .maximum, .choices, .maxBytes:
        // What these mean depends on the type: without one there is nothing to say about them.
        if type != nil { read(key, node, into: &draft) }
      }
    }
    if problems.count == before { judge(draft) }
    guard problems.count == before else { return nil }
    do {
      return try draft.complete.validated()
    } catch {
      reject(store.atKey, error.message)
      return nil
    }
  }

  private mutating func type(
    of store: ConfigurationNode, _ keys: [(key: StoreKey, node: ConfigurationNode)]
  ) -> ValueType? {
    if let node = keys.first(where: { $0.key == .type })?.node {
      return choice(node, of: ValueType.allCases)
    }
    let types = ValueType.allCases.map(\.description).joined(separator: ", ")
    reject(store.atKey, "type is missing: it is one of \(types)")
    return nil
  }
}
