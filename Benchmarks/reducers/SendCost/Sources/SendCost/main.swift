// Sends one action again and again to a store of some shape, for tools that count, and tells the time of one send.
//
//   SendCost SHAPE SENDS
//
// What belongs to starting is subtracted by comparing two runs that differ in SENDS only: Benchmarks/reducers/run does.

import HubReducers

guard CommandLine.arguments.count == 3, let sends = Int(CommandLine.arguments[2]),
  let shape = Shape(rawValue: CommandLine.arguments[1])
else { fatalError("usage: SendCost \(Shape.allCases.map(\.rawValue).joined(separator: "|")) SENDS") }

let time = shape.time(sends: sends)
print("\(shape.rawValue) \(time / .nanoseconds(sends)) ns per send")
