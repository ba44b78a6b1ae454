// Owns the life of the plugin process: it answers each message, until the compiler sends no more.

import Glibc
import HubMacros

/// The executable that the compiler starts for `#externalMacro(module: "HubMacrosPlugin", ...)`.
@main
enum Plugin {
  static func main() {
    do {
      try serve(FrameChannel(input: STDIN_FILENO, output: STDOUT_FILENO))
    } catch {
      // The compiler shows this line with the plugin's name.
      let line = Array("HubMacrosPlugin: \(error)\n".utf8)
      _ = Glibc.write(STDERR_FILENO, line, line.count)
      exit(1)
    }
  }

  private static func serve(_ channel: consuming FrameChannel) throws {
    while let message = try channel.read() {
      try channel.write(try MacroHandler.answer(to: message))
    }
  }
}
