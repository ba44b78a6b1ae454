// What the process sets up before anything else.

internal import HubSystem

enum Process {
  static func prepare() {
    // A closed pipe is an error of the next write, not the end of the process.
    Signal.brokenPipe.ignore()
    // So is a file that may not become longer (`ulimit -f`).
    Signal.fileTooLong.ignore()
    // The parent process may have closed a standard descriptor. The socket must not get its number.
    StandardStream.openClosed(as: .failure)
    // Without this the status of a command could be lost, and a signal that should end the process never arrive.
    Signal.childEnded.restoreDefault()
    Signal.unblockAll()
  }
}
