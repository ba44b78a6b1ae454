// Finds a verb or an option by its name.

/// A case of an enumeration whose raw values are 0 and up, without a gap.
protocol Named: RawRepresentable where RawValue == UInt8 {
  var name: String { get }
}

extension Named {
  /// The case of that name.
  ///
  /// One by one: for an array or a dictionary of all names the Swift runtime would make a type first, at every start.
  init?(name: String) {
    var number: UInt8 = 0
    while let known = Self(rawValue: number), known.name != name { number += 1 }
    self.init(rawValue: number)
  }
}
