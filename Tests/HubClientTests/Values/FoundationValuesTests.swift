// How data, dates, durations and UUIDs are stored: as programs in other languages write and read them.

import Foundation
import HubClient
import HubTesting
import Testing

@Suite("Values of Foundation's types")
struct FoundationValuesTests {
  private let hub = Hub.inMemory()

  private func stored(_ value: some StoreValue & Equatable) async throws -> HubValue {
    try await check(value)
    return try await hub.anyValue("a").get()
  }

  private func check<Value: Codable & Sendable & Equatable>(_ value: Value) async throws {
    let store = hub.value("a", of: Value.self)
    try await store.set(value)
    #expect(try await store.get() == value)
    // What was read is a condition that holds.
    try await store.set(value, if: .value(try await store.get()))
  }

  @Test("data is bytes")
  func data() async throws { #expect(try await stored(Data([0, 255])) == .data([0, 255])) }

  @Test("a date is seconds since 1970, and a whole number is read as one")
  func date() async throws {
    #expect(try await stored(Date(timeIntervalSince1970: 1_795_808_528.25)) == .double(1_795_808_528.25))
    #expect(Date(storeValue: .integer(-1)) == Date(timeIntervalSince1970: -1))
    #expect(Date(storeValue: .string("1")) == nil)
    #expect(Date(timeIntervalSince1970: .infinity).storeValue == nil)
  }

  @Test("a duration is seconds, exact to the nanosecond")
  func duration() async throws {
    #expect(try await stored(Duration.milliseconds(1500)) == .double(1.5))
    for nanoseconds in [-7_000_000_000_000_001, -1, 0, 1, 100_000_000, 7_000_000_999_999_999] as [Int64] {
      let duration = Duration.nanoseconds(nanoseconds)
      #expect(duration.storeValue.flatMap { Duration(storeValue: $0) } == duration, "\(nanoseconds)")
    }
    #expect(Duration(storeValue: .integer(3)) == .seconds(3))
    #expect(Duration(storeValue: .double(1e19)) == nil)
    #expect(Duration(storeValue: .boolean(true)) == nil)
  }

  @Test("a UUID is a string in lower case, and is read in either")
  func uuid() async throws {
    let text = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    let uuid = try #require(UUID(uuidString: text))
    #expect(try await stored(uuid) == .string(text.lowercased()))
    #expect(UUID(storeValue: .string(text)) == uuid)
    #expect(UUID(storeValue: .string("E621")) == nil)
  }
}
