// Owns how an image holds the options in force, and what of new ones has to wait until nobody is connected.

import HubCore

extension ServerOptions {
  func write(to image: inout ImageWriter) {
    image.frame(ServerImageKind.settings.rawValue) { out in
      for setting in Setting.all { setting.write(self, &out) }
    }
    for declaration in declarations {
      image.frame(ServerImageKind.declaration.rawValue) { out in
        out.append(short: declaration.name.text)
        out.append(declaration.schema)
      }
    }
  }

  /// What an older image lacks keeps its default.
  ///
  /// - Returns: false if what is written there are no settings.
  mutating func read(_ reader: inout ByteReader) -> Bool {
    for setting in Setting.all {
      if setting.isAddition, reader.remaining == 0 { return true }
      guard setting.restore(&self, &reader) else { return false }
    }
    return true
  }

  mutating func readDeclaration(_ reader: inout ByteReader) -> Bool {
    let name = try? StoreName(reader.shortBytes().text)
    guard let name, let schema = reader.schema() else { return false }
    declarations.append(StoreDeclaration(name: name, schema: schema))
    return true
  }

  /// Takes back what has to wait until the hub is stopped and started.
  ///
  /// - Parameter inForce: the options under which clients connected.
  /// - Returns: what a person should know about it.
  mutating func keepWhatMustStay(of inForce: ServerOptions) -> [String] {
    Setting.all.compactMap { setting in
      guard case .waits(let condition) = setting.onReload, condition(inForce),
        let change = setting.take(&self, inForce), let key = setting.key
      else { return nil }
      return
        "\(key): the change from \(change.others) to \(change.own) waits until the hub is stopped and started"
    }
  }
}
