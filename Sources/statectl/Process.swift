// The setup of the process before anything else.

internal import HubSystem

enum Process {
  static func prepare() {
    // A closed pipe causes an error at the next write, and does not end the process.
    Signal.brokenPipe.ignore()
    // So is a file that may not become longer (`ulimit -f`).
    Signal.fileTooLong.ignore()
    // The parent process may have closed a standard descriptor. The socket must not get its number.
    StandardStream.openClosed(as: .failure)
    // Without this, the status of a command could be lost, and a signal that should end the process might never arrive.
    Signal.childEnded.restoreDefault()
    Signal.unblockAll()
  }
}
