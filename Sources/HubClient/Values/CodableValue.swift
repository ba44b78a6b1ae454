// Codable types as JSON text: the only part of this library that uses Foundation.

internal import FoundationEssentials
internal import HubCore

private let encoder: JSONEncoder = {
  let encoder = JSONEncoder()
  // Equal values have equal bytes: setting an unchanged value does not count as a change.
  encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  return encoder
}()

private let decoder = JSONDecoder()

func encodedJSON<T: Encodable>(_ value: T) throws(HubError) -> HubValue {
  do {
    return .json(String(decoding: try encoder.encode(value), as: UTF8.self))
  } catch {
    throw HubError(.invalidValue, "\(T.self) cannot be encoded as JSON: \(error)")
  }
}

func decodedJSON<T: Decodable>(_ value: HubValue) throws(HubError) -> T {
  guard case .json(let text) = value else {
    throw HubError(
      .undecodable, "the store holds \(value.type.withArticle), not JSON for \(T.self)")
  }
  do {
    return try decoder.decode(T.self, from: Data(text.utf8))
  } catch {
    throw HubError(.undecodable, "the store's JSON is not a valid \(T.self): \(error)")
  }
}
