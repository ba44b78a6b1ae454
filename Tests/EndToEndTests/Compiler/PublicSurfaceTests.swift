// The public API of the libraries, held to the pages that list it: no declaration comes or goes unnoticed.

import Foundation
import TestSupport
import Testing

@Suite("The public declarations", .blocking)
struct PublicSurfaceTests {
  static let modules = [
    "HubCore", "HubTransport", "HubClient", "HubTesting", "HubReducers", "HubReducersTesting",
    "HubReducersSamples",
  ]

  @Test("of each module are those on its page", arguments: modules)
  func pages(module: String) async throws {
    let surface = try await PublicSurface(of: module)
    let path = "\(checkout)/docs/api/\(module).md"
    if ProcessInfo.processInfo.environment["STATEHUB_WRITE_PAGES"] != nil {
      try surface.page.write(toFile: path, atomically: true, encoding: .utf8)
    }
    let page = readFile(path).split(separator: "\n")
    let difference = surface.page.split(separator: "\n").difference(from: page)
    #expect(difference.isEmpty, "\(path) is not what the code declares; to write it: STATEHUB_WRITE_PAGES=1")
  }
}
