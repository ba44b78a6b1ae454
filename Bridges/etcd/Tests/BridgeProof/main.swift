// Compares the bridge's promises with etcd's own history:
//
//   bridge-proof [SECONDS]     three members, two machines, two writers; members, a hub and a bridge are killed; a machine is cut off
//   bridge-proof bench [KEYS]  the time for many keys, and from a change to its event
//
// The status is 1 if something did not hold. STATEHUB names the hub's program, STATEHUB_BRIDGE the bridge's.

import Foundation

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "bench" {
  try await Bench(keys: arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000).run()
} else {
  let proof = try await Proof(seconds: arguments.first.flatMap { Int($0) } ?? 120)
  exit(try await proof.run() ? 0 : 1)
}
