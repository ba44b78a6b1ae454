// Owns how an image holds the current options, and which new ones must wait for the next start.

import HubCore
import HubEngine

extension ServerOptions {
  func write(to image: inout ImageWriter) {
    image.frame(ServerImageKind.settings.rawValue) { out in
      for setting in Setting.all { setting.write(self, &out) }
    }
    for declaration in declarations {
      image.frame(ServerImageKind.declaration.rawValue) { out in
        out.append(short: declaration.name.text)
        out.append(declaration.schema)
        for subjects in [declaration.readers, declaration.writers] {
          out.append(subjects == nil ? 0 : 1 as UInt8)
          out.append(UInt32(subjects?.count ?? 0))
          for subject in subjects ?? [] { out.append(subject) }
        }
      }
    }
  }

  /// - Returns: false if the image holds no valid settings.
  mutating func read(_ reader: inout ByteReader) -> Bool {
    for setting in Setting.all {
      guard setting.restore(&self, &reader) else { return false }
    }
    return true
  }

  mutating func readDeclaration(_ reader: inout ByteReader) -> Bool {
    let name = try? StoreName(reader.shortBytes().text)
    guard let name, let schema = reader.schema() else { return false }
    var declaration = StoreDeclaration(name: name, schema: schema)
    (declaration.readers, declaration.writers) = (reader.subjects(), reader.subjects())
    declarations.append(declaration)
    return !reader.failed
  }

  /// Reverts what must wait until the hub is stopped and started.
  ///
  /// - Parameter inForce: the options under which clients connected.
  /// - Returns: human-readable notes about it.
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

extension ByteReader {
  /// A list of subjects, nil: there is none.
  fileprivate mutating func subjects() -> [AccessSubject]? {
    let isThere = integer(UInt8.self) != 0
    var subjects: [AccessSubject] = []
    for _ in 0..<integer(UInt32.self) {
      guard let subject = accessSubject() else { break }
      subjects.append(subject)
    }
    return isThere ? subjects : nil
  }
}
