// State directories that hubs of earlier formats have written, as the repository keeps them.

import FoundationEssentials
import HubCore
import Testing

@testable import HubEngine
@testable import HubServer

private let fixtures =
  #filePath.split(separator: "/").dropLast(3).reduce("") { "\($0)/\($1)" } + "/Fixtures/State"

/// The files of a fixture at their full length: the repository does not contain the zeroes at their ends.
func stateFixture(_ name: String) throws -> [String: [UInt8]] {
  let folder = "\(fixtures)/\(name)"
  var files: [String: [UInt8]] = [:]
  for file in try FileManager.default.contentsOfDirectory(atPath: folder) {
    let bytes = [UInt8](try Data(contentsOf: URL(filePath: "\(folder)/\(file)")))
    let length = bytes.withByteView { Int($0.load(UInt64.self, at: 40)) }
    let padded = max(length, (bytes.count + 7) & ~7)
    files[file] = bytes + [UInt8](repeating: 0, count: padded - bytes.count)
  }
  return files
}

/// What can be salvaged of these files.
func salvaged(_ files: [String: [UInt8]]) -> Salvage {
  let names = files.keys.sorted()
  func salvage(_ index: Int, _ views: [JournalFileBytes]) -> Salvage {
    guard index < names.count else { return Salvage(views) }
    return files[names[index]]!.withByteView {
      salvage(index + 1, views + [JournalFileBytes(name: names[index], bytes: $0)])
    }
  }
  return salvage(0, [])
}
