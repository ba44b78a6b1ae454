// A file with the desired state of stores, in the format of its extension. It does not contact a hub.

internal import HubCore
internal import HubSystem

struct StoreFile {
  let path: String
  let stores: Dump

  var name: String { path.split(separator: "/").last.map(String.init) ?? path }

  private static func isConfiguration(_ path: String) -> Bool? {
    if path.hasSuffix(".json5") || path.hasSuffix(".json") { return true }
    return path.hasSuffix(".jsonl") ? false : nil
  }

  /// - Throws: `usage` if its name does not say what it is; what is wrong with its content.
  private init(_ path: String) throws(Failure) {
    guard let isConfiguration = StoreFile.isConfiguration(path) else {
      throw .usage(
        "\(path): the file's extension must show its form",
        hint: ".jsonl, as dump prints; .json5 or .json, as a configuration declares stores")
    }
    self.path = path
    let text = try StandardInput.read(path: path)
    do throws(Failure) {
      stores = try isConfiguration ? Dump(configuration: text) : Dump(text)
      for entry in stores.entries {
        let name = entry.store.name
        if name.isReserved || name.text.hasPrefix(AppliedSource.prefix) {
          let owner = name.isReserved ? "the hub" : "apply"
          throw .inLine(
            entry.line, .hub(HubError(.reserved, store: name.text, "the name belongs to \(owner)")))
        }
      }
    } catch {
      throw .inFile(path, error)
    }
  }

  /// The files at a path: itself, or those in the directory, in the order of their names.
  static func all(at path: String) throws(Failure) -> [StoreFile] {
    func attempt<T>(_ body: @autoclosure () throws(SystemError) -> T) throws(Failure) -> T {
      try SystemError.attempt(try body()) { Failure.system("cannot read \(path)", $0) }
    }
    guard try attempt(FileStatus(at: path)).kind == .directory else { return [try StoreFile(path)] }
    var files: [StoreFile] = []
    for name in try attempt(Directory.names(at: path)) {
      if !name.hasPrefix("."), isConfiguration(name) != nil { files.append(try StoreFile("\(path)/\(name)")) }
    }
    return files
  }
}
