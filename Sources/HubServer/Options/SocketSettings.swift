// Owns how a configuration writes additional sockets: their names and keys, and which of them contradict each other.

import HubCore
import HubEngine
import HubSystem

extension ConfigurationReader {
  private static let socketKeys = ["path", "mode", "group", "prefix", "rights", "as"]
  /// Deciding on a name takes no time for any of them, but each may have its own table.
  private static let mostSockets = 64
  /// What a service manager calls the hub's own socket and what it keeps for the next hub.
  private static let takenNames = ["statehub", DescriptorQueue.name]

  /// The sockets without errors, in the order of their names.
  mutating func sockets(_ node: ConfigurationNode) -> [SocketOptions] {
    var sockets: [SocketOptions] = []
    var owners: [String: String] = [:]
    let members = members(of: node)
    if members.count > ConfigurationReader.mostSockets {
      reject(
        node, "there are \(members.count) sockets; a hub can have at most \(ConfigurationReader.mostSockets)")
    }
    for (name, node) in members {
      guard isSocketName(name, node), let socket = socket(name, node) else { continue }
      if let path = socket.path, let other = owners.updateValue(name, forKey: path) {
        reject(node, "\(path) is also the path of sockets.\(other): each socket needs its own")
      }
      sockets.append(socket)
    }
    return sockets.sorted { $0.name < $1.name }
  }

  private mutating func isSocketName(_ name: String, _ node: ConfigurationNode) -> Bool {
    if ConfigurationReader.takenNames.contains(name) {
      reject(node.atKey, "the hub itself uses this name")
      return false
    }
    // A name of one component, which a service manager also accepts.
    if (try? StoreName(name)) != nil, !name.contains("."), name.utf8.count <= 64 { return true }
    reject(node.atKey, "a socket's name consists of letters, digits, _ and -, and has at most 64 bytes")
    return false
  }

  private mutating func socket(_ name: String, _ node: ConfigurationNode) -> SocketOptions? {
    let (before, notesBefore) = (problems.count, notes.count)
    var socket = SocketOptions(name: name)
    for (key, member) in members(of: node, as: ConfigurationReader.socketKeys) {
      switch key {
      case "path": socket.path = path(member, limit: SocketPathForm.longest)
      case "mode": socket.mode = mode(member)
      case "group": socket.group = string(member).flatMap { number(of: $0, isUser: false, member) }
      case "prefix": socket.prefix = prefix(member)
      case "rights": socket.rights = rights(member)
      default: socket.user = user(member)
      }
    }
    // Without its user or group it would be open to others.
    return problems.count == before && notes.count == notesBefore ? socket : nil
  }

  /// Octal digits, as chmod takes them.
  private mutating func mode(_ node: ConfigurationNode) -> UInt32? {
    guard let text = string(node) else { return nil }
    if (3...4).contains(text.utf8.count), let mode = UInt32(text, radix: 8), mode <= 0o777 { return mode }
    reject(node, "\(JSONWriter.quoted(text)) is not a valid mode: give octal digits, such as \"0660\"")
    return nil
  }

  private mutating func prefix(_ node: ConfigurationNode) -> StoreName? {
    guard let text = string(node) else { return nil }
    do throws(HubError) {
      let name = try StoreName(text)
      if !name.isReserved { return name }
      reject(node, "names under statehub. are reserved for the hub")
    } catch {
      reject(node, error.message)
    }
    return nil
  }

  private mutating func rights(_ node: ConfigurationNode) -> AccessRights {
    var rights: AccessRights = []
    let words = AccessRights.words.map(\.word)
    for element in elements(of: node) {
      guard let word = string(element) else { continue }
      if let right = AccessRights(word: word) {
        rights.formUnion(right)
      } else {
        reject(
          element, "\(JSONWriter.quoted(word)) is not a right; allowed: \(words.joined(separator: ", "))")
      }
    }
    return rights
  }

  /// A user, with the groups of their processes after a login.
  private mutating func user(_ node: ConfigurationNode) -> SocketLimit.User? {
    let subject = subject(node)
    guard case .user(let uid, let name)? = subject else {
      if subject != nil { reject(node, "clients can be mapped only to a user: user:NAME") }
      return nil
    }
    do throws(SystemError) {
      let groups = try accounts.groups(uid)
      return SocketLimit.User(uid: uid, gid: groups.first ?? PeerIdentity.nobody, groups: groups, name: name)
    } catch {
      reject(node, "the groups of user \(JSONWriter.quoted(name)) cannot be looked up: \(error)")
      return nil
    }
  }
}

/// The hub's additional sockets.
struct SocketsForm: SettingForm {
  private static let none = UInt32.max

  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> [SocketOptions]? {
    reader.sockets(node)
  }

  func write(_ sockets: [SocketOptions], to out: inout OutputBuffer) {
    out.append(UInt32(sockets.count))
    for socket in sockets {
      out.append(short: socket.name)
      out.append(short: socket.path ?? "")
      out.append(socket.mode ?? SocketsForm.none)
      out.append(socket.group ?? SocketsForm.none)
      out.append(short: socket.prefix?.text ?? "")
      out.append(socket.rights.rawValue)
      out.append(socket.user == nil ? 0 : 1 as UInt8)
      guard let user = socket.user else { continue }
      out.append(user.uid)
      out.append(user.gid)
      out.append(medium: user.name)
      out.append(UInt32(user.groups.count))
      for group in user.groups { out.append(group) }
    }
  }

  func restore(from reader: inout ByteReader) -> [SocketOptions]? {
    var sockets: [SocketOptions] = []
    for _ in 0..<reader.integer(UInt32.self) {
      var socket = SocketOptions(name: reader.shortBytes().text)
      let path = reader.shortBytes().text
      socket.path = path.isEmpty ? nil : path
      let (mode, group) = (reader.integer(UInt32.self), reader.integer(UInt32.self))
      socket.mode = mode == SocketsForm.none ? nil : mode
      socket.group = group == SocketsForm.none ? nil : group
      let prefix = reader.shortBytes().text
      if !prefix.isEmpty {
        guard let name = try? StoreName(prefix) else { return nil }
        socket.prefix = name
      }
      socket.rights = AccessRights(rawValue: reader.integer())
      if reader.integer(UInt8.self) != 0 { socket.user = user(from: &reader) }
      if reader.failed || socket.name.isEmpty { return nil }
      sockets.append(socket)
    }
    return reader.failed ? nil : sockets
  }

  private func user(from reader: inout ByteReader) -> SocketLimit.User {
    let (uid, gid) = (reader.integer(UInt32.self), reader.integer(UInt32.self))
    var user = SocketLimit.User(uid: uid, gid: gid, name: reader.mediumBytes().text)
    for _ in 0..<reader.integer(UInt32.self) where !reader.failed { user.groups.append(reader.integer()) }
    return user
  }
}
