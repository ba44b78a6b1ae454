// `statehub new-epoch DIR`: begins a new epoch in a state directory that was restored from a copy. HubServer
// does the work.

import HubServer
import HubSystem

enum NewEpochCommand {
  static let usage = "usage: statehub new-epoch DIR"

  private static let help = """
    Starts a new epoch in a state directory. Values and versions stay as they are. Clients start over with the
    current values, their bookmarks are refused, conditional writes that name an earlier revision fail, and
    fencing numbers are greater than all earlier ones.

    Use it after restoring an earlier state (a copy, a snapshot, a disk image) in a way that the hub cannot detect.
    docs/backups.md lists what it detects.

    No hub may be using the directory.

    Exit status: 0 done, 1 the directory cannot be used, 2 wrong usage.

    """

  /// - Parameter words: after `new-epoch`.
  /// - Returns: the exit status.
  static func run(_ words: [String]) -> Int32 {
    if words.contains("--help") || words.contains("-h") { return Output.write(usage + "\n\n" + help) }
    guard words.count == 1, !words[0].hasPrefix("-"), !words[0].isEmpty else {
      HubServer.logFailure("\(usage); see statehub new-epoch --help")
      return 2
    }
    do throws(ServerError) {
      guard let epoch = try NewEpoch.begin(words[0]) else {
        return Output.write(
          "There is no state in \(words[0]): a hub that starts there begins with a new epoch.\n")
      }
      return Output.write("A new epoch begins: \(epoch).\n")
    } catch {
      HubServer.logFailure("\(error)")
      return 1
    }
  }
}
