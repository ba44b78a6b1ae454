// A store's value as the type that a program requests. Nothing is converted that would lose information.

import Configuration
import FoundationEssentials
import HubClient

extension ConfigContent {
  /// Nil if the value is not of that type.
  init?(_ value: HubValue, as type: ConfigType) {
    let content: ConfigContent? =
      switch type {
      case .string: Self.scalar(value).map { .string($0) }
      case .int: Self.scalar(value).map { .int($0) }
      case .double: Self.scalar(value).map { .double($0) }
      case .bool: Self.scalar(value).map { .bool($0) }
      case .bytes: [UInt8](storeValue: value).map { .bytes($0) }
      case .stringArray: Self.json(value).map { .stringArray($0) }
      case .intArray: Self.json(value).map { .intArray($0) }
      case .doubleArray: Self.json(value).map { .doubleArray($0) }
      case .boolArray: Self.json(value).map { .boolArray($0) }
      // JSONDecoder reads Data as base64.
      case .byteChunkArray: Self.json(value, [Data].self).map { .byteChunkArray($0.map { [UInt8]($0) }) }
      }
    guard let content else { return nil }
    self = content
  }

  /// Of a store of that type, or of one with JSON that is just that.
  private static func scalar<Native: StoreValue>(_ value: HubValue) -> Native? {
    Native(storeValue: value) ?? json(value)
  }

  private static func json<Native: Decodable>(_ value: HubValue, _ type: Native.Type = Native.self) -> Native?
  {
    guard case .json(let text) = value else { return nil }
    return try? JSONDecoder().decode(type, from: Data(text.utf8))
  }
}
