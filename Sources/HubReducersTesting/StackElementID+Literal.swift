// Owns writing the ids of stack elements as numbers, which makes sense only in tests.

public import HubReducers

extension StackElementID: ExpressibleByIntegerLiteral {
  /// The id of the element that was put on a stack of the test store as this one, counted from 0.
  public init(integerLiteral value: Int) { self.init(generation: value) }
}
