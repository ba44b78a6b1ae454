// What the process itself has to have in order before it does anything.

internal import Glibc

enum Process {
  static func prepare() {
    // A closed pipe is an error of the next write, not the end of the process.
    signal(SIGPIPE, SIG_IGN)
    // The parent process may have closed a standard descriptor. The socket must not get its number.
    for descriptor in STDIN_FILENO...STDERR_FILENO where fcntl(descriptor, F_GETFD) < 0 {
      // The lowest free number is this one. Written to, it fails as a closed descriptor does.
      _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }
}
