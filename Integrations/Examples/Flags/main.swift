// Shows to each user the menu that a flag gives them, now and whenever the flag changes.
//
//     flag-example ann bob           each user's menu, again after every change
//     flag-example --once ann bob    once

import HubClient
import HubFlags

let arguments = CommandLine.arguments.dropFirst()
let users = arguments.filter { !$0.hasPrefix("-") }
let flags: FeatureFlags
do {
  flags = try await FeatureFlags(hub: Hub(), prefix: "flags")
} catch {
  fatalError("\(error)")
}

func show() {
  for user in users {
    let menu = flags.details(
      "menu", default: "classic", for: FlagContext(targetingKey: user, attributes: ["user": user]))
    let code = menu.errorCode.map { ", \($0.rawValue)" } ?? ""
    print("\(user): \(menu.value) (\(menu.reason.rawValue)\(code))")
  }
}

show()
if !arguments.contains("--once") {
  let following = Task { try await flags.run() }
  defer { following.cancel() }
  for await event in flags.events {
    switch event {
    case .ready: print("the flags are the hub's")
    case .stale(let error): print("the flags may be old: \(error)")
    case .changed(let names) where names.contains("menu"): show()
    case .changed: break
    }
  }
}
