// Owns the declarations of stores: their names, their keys, and whether a declaration is complete; it creates no store.

import HubCore

extension ConfigurationReader {
  /// The declarations without errors.
  mutating func stores(_ node: ConfigurationNode) -> [StoreDeclaration] {
    var declarations: [StoreDeclaration] = []
    for (word, node) in members(of: node) {
      let name = storeName(word, node)
      let access = storeAccess(node)
      guard let schema = schema(node), let name else { continue }
      var declaration = StoreDeclaration(name: name, schema: schema)
      (declaration.readers, declaration.writers) = access
      declarations.append(declaration)
    }
    return declarations
  }

  private mutating func storeName(_ word: String, _ node: ConfigurationNode) -> StoreName? {
    do {
      let name = try StoreName(word)
      if !name.isReserved { return name }
      reject(node.atKey, "names under statehub. are reserved for the hub")
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
    let members = members(of: store, as: StoreKey.words)
    let type = type(of: store, members.first { $0.key == "type" }?.node)
    var draft = SchemaDraft(type: type ?? .json)
    for (word, node) in members {
      switch StoreKey(word: word) {
      case .type, .readers, .writers, nil: break
      case .field(let field): read(field, node, isTyped: type != nil, into: &draft)
      }
    }
    if problems.count == before { judge(draft) }
    guard problems.count == before else { return nil }
    do {
      return try draft.schema.validated()
    } catch {
      reject(store.atKey, error.message)
      return nil
    }
  }

  private mutating func type(of store: ConfigurationNode, _ node: ConfigurationNode?) -> ValueType? {
    if let node { return choice(node, of: ValueType.allCases) }
    let types = ValueType.allCases.map(\.description).joined(separator: ", ")
    reject(store.atKey, "type is missing: it is one of \(types)")
    return nil
  }
}
