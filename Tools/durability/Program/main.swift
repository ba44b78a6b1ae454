// The durability tests as a program: `durability kill ROUNDS [SEED]`; its other roles are the processes of that test.

import Glibc
import HubCore

let words = Array(CommandLine.arguments.dropFirst())
func seed(_ index: Int) -> UInt64 { words.count > index ? UInt64(words[index]) ?? 1 : 1 }

switch words.first {
case "kill" where words.count >= 2:
  guard let rounds = Int(words[1]), rounds > 0 else { fail("ROUNDS is a positive number") }
  do {
    var test = try KillTest(rounds: rounds, seed: seed(2))
    exit(try test.run() ? 0 : 1)
  } catch {
    fail("\(error)")
  }
case "writer" where words.count == 6:
  var writer = Writer(
    number: Int(words[1])!, seed: seed(2), socket: words[3], history: words[4], stop: words[5])
  writer.run()
case "watcher" where words.count == 8:
  var watcher = Watcher(
    name: words[1], pattern: try! NamePattern(words[2]), every: words[3] == "every", seed: seed(4),
    socket: words[5], history: words[6], stop: words[7])
  watcher.run()
default: fail("usage: durability kill ROUNDS [SEED]")
}
