// Owns writing the ids of stack elements as numbers, which makes sense only in tests.

public import HubReducers

extension StackElementID: ExpressibleByIntegerLiteral {
  /// The id of the element with this number: the test store counts the elements put on its stacks from 0.
  public init(integerLiteral value: Int) { self.init(generation: value) }
}
