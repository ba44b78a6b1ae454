// Owns the life of the plugin process: one answer for each message, until the compiler has no more.

import FoundationEssentials
import Glibc

/// The executable that the compiler starts for `#externalMacro(module: "HubMacros", ...)`.
@main
enum Plugin {
  static func main() {
    do {
      try serve(FrameChannel(input: STDIN_FILENO, output: STDOUT_FILENO))
    } catch {
      // The compiler shows this line and names the plugin.
      let line = Array("HubMacros: \(error)\n".utf8)
      _ = Glibc.write(STDERR_FILENO, line, line.count)
      exit(1)
    }
  }

  private static func serve(_ channel: consuming FrameChannel) throws {
    let decoder = JSONDecoder()
    let encoder = JSONEncoder()
    while let frame = try channel.read() {
      let message = try decoder.decode(HostMessage.self, from: Data(frame))
      try channel.write(Array(try encoder.encode(MacroHandler.reply(to: message))))
    }
  }
}
