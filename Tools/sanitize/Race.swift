// Wrong on purpose: a number that two threads change at once. The thread sanitizer has to find it.

import Dispatch

final class Counter: @unchecked Sendable { var value = 0 }

let counter = Counter()
let group = DispatchGroup()
DispatchQueue.global().async(group: group) { counter.value += 1 }
// Whichever comes first, nothing orders them.
counter.value += 1
group.wait()
