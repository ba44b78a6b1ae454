// Owns the forms that a setting's value can have: in a file, in an image, and in messages.

import HubCore
package import HubEngine

/// A form of settings' values.
protocol SettingForm: Sendable {
  associatedtype Value: Equatable & Sendable

  /// - Returns: nil if the node has no such value; the reader has noted why.
  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> Value?
  func write(_ value: Value, to out: inout OutputBuffer)
  /// - Returns: nil if the image has no such value.
  func restore(from reader: inout ByteReader) -> Value?
  func text(_ value: Value) -> String
}

extension SettingForm {
  func text(_ value: Value) -> String { "\(value)" }
}

struct FlagForm: SettingForm {
  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> Bool? { reader.boolean(node) }
  func write(_ value: Bool, to out: inout OutputBuffer) { out.append(value ? 1 : 0 as UInt8) }
  func restore(from reader: inout ByteReader) -> Bool? { reader.integer(UInt8.self) != 0 }
}

/// A number, or a size in bytes.
struct NumberForm: SettingForm {
  private let range: ClosedRange<Int>
  private let inImage: ClosedRange<Int>
  private let isSize: Bool

  /// - Parameters:
  ///   - range: the values that a configuration may have.
  ///   - inImage: what the hub can work with. Tests and programs that embed a hub may go beyond `range`.
  ///   - isSize: it may have a unit.
  init(
    _ range: ClosedRange<Int> = 0...Int.max, inImage: ClosedRange<Int> = 0...Int.max, isSize: Bool = false
  ) {
    self.range = range
    self.isSize = isSize
    self.inImage = inImage
  }

  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> Int? {
    isSize ? reader.size(node, in: range) : reader.integer(node, in: range)
  }
  func write(_ value: Int, to out: inout OutputBuffer) { out.append(UInt64(value)) }
  func restore(from reader: inout ByteReader) -> Int? {
    Int(exactly: reader.integer(UInt64.self)).flatMap { inImage ~= $0 ? $0 : nil }
  }
}

/// One of a few words, stored in an image as a byte.
struct ChoiceForm<Value: SettingChoice>: SettingForm {
  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> Value? {
    reader.choice(node, of: Value.allCases)
  }
  func write(_ value: Value, to out: inout OutputBuffer) { out.append(UInt8(value.rawValue)) }
  func restore(from reader: inout ByteReader) -> Value? {
    Value.RawValue(exactly: reader.integer(UInt8.self)).flatMap(Value.init(rawValue:))
  }
}

/// The words that a setting can choose from.
protocol SettingChoice: CaseIterable, RawRepresentable, CustomStringConvertible, Equatable, Sendable
where RawValue: FixedWidthInteger {}

extension LogLevel: SettingChoice {}
extension Durability: SettingChoice {}
extension DefaultAccess: SettingChoice {}

struct SocketPathForm: SettingForm {
  /// The size of `sun_path` without its final zero.
  static let longest = 107

  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> String? {
    reader.path(node, limit: SocketPathForm.longest)
  }
  func write(_ value: String, to out: inout OutputBuffer) { out.append(short: value) }
  func restore(from reader: inout ByteReader) -> String? { reader.shortBytes().text }
}

/// A directory, or none.
struct DirectoryForm: SettingForm {
  /// `PATH_MAX` without its final zero.
  static let longest = 4095

  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> String?? {
    reader.path(node, limit: DirectoryForm.longest).map { .some($0) }
  }
  func write(_ value: String?, to out: inout OutputBuffer) { out.append(medium: value ?? "") }
  func restore(from reader: inout ByteReader) -> String?? {
    let path = reader.mediumBytes().text
    return .some(path.isEmpty ? nil : path)
  }
  func text(_ value: String?) -> String { value ?? "none" }
}

/// A group by its name or number, or none.
struct GroupForm: SettingForm {
  /// No group has this number.
  private static let none = UInt32.max

  func read(_ node: ConfigurationNode, _ reader: inout ConfigurationReader) -> UInt32?? {
    guard let name = reader.string(node) else { return nil }
    return reader.number(of: name, isUser: false, node).map { .some($0) }
  }
  func write(_ value: UInt32?, to out: inout OutputBuffer) { out.append(value ?? GroupForm.none) }
  func restore(from reader: inout ByteReader) -> UInt32?? {
    let number = reader.integer(UInt32.self)
    return .some(number == GroupForm.none ? nil : number)
  }
  func text(_ value: UInt32?) -> String { value.map { "\($0)" } ?? "none" }
}
