// The example on the README's first screen: a program of its own, in a package of its own.

import HubClient

let volume = Hub().value("audio.volume", of: Int.self)

try await volume.update(default: 0) { $0 += 1 }  // compare-and-set: no other process's change is lost

for try await value in volume.values {  // the current value, then each new one, in every process that asks
  print("volume: \(value)")
}
