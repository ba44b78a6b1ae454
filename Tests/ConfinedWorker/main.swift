// A process that confines itself with the hub's own functions and then tries what it may not do. Each line of its output is
// an attempt and its errno.

import CLinux
import Glibc
import HubSystem

func report(_ name: String, _ isDone: Bool) { print(name, isDone ? 0 : errno) }

/// Makes a call with parameters that have no meaning, so that nothing happens if it is allowed.
func attempt(_ name: String, _ number: UInt32, _ parameters: Int...) {
  let words = parameters + [Int](repeating: -1, count: 5)
  report(name, clinux_call(Int(number), words[0], words[1], words[2], words[3], words[4]) >= 0)
}

func attemptCalls() {
  for call in SystemCallFilter.forbidden { attempt(call.name, call.number) }
  for (name, family) in [("unix", AF_UNIX), ("internet", AF_INET), ("netlink", AF_NETLINK), ("vsock", 40)] {
    let socket = socket(family, Int32(SOCK_DGRAM.rawValue), 0)
    report("socket-\(name)", socket >= 0)
    if socket >= 0 { close(socket) }
  }
  // Impossible together with others, so that no process comes of it.
  for (name, flag) in [("user", 0x1000_0000), ("net", 0x4000_0000), ("mount", 0x2_0000)] {
    attempt("clone-\(name)", clinux_call_clone(), flag | 0x200 | 0x8000_0000 | 0x1_0000, 0, 0, 0)
  }
  attempt("clone3", clinux_call_clone3(), 0, 0)
  for (name, request) in [("sti", 0x5412), ("linux", 0x541C), ("size", 0x5413)] {
    // Only the lower half counts for the kernel.
    attempt("ioctl-\(name)", clinux_call_ioctl(), -1, request | 1 << 40)
  }
  #if arch(x86_64)
    // A call in the form of another architecture: getpid of x32.
    attempt("foreign", 0x4000_0000 | 39)
  #endif
  attempt("personality-change", clinux_call_personality(), 0x4_0000)
  attempt("personality-query", clinux_call_personality(), 0xFFFF_FFFF)
}

func attemptFiles(in directory: String) {
  func open(_ name: String, _ path: String, _ options: OpenOptions = []) {
    do { _ = try Descriptor(opening: path, options) } catch { return print(name, error.code) }
    print(name, 0)
  }
  for place in ["own", "read", "other"] {
    open("\(place)-read", "\(directory)/\(place)/file")
    open("\(place)-write", "\(directory)/\(place)/file", .readAndWrite)
    open("\(place)-create", "\(directory)/\(place)/new", [.readAndWrite, .create, .exclusive])
    open("\(place)-list", "\(directory)/\(place)", .directory)
    report("\(place)-rename", rename("\(directory)/\(place)/file", "\(directory)/\(place)/renamed") == 0)
    report("\(place)-truncate", truncate("\(directory)/\(place)/renamed", 0) == 0)
    report("\(place)-remove", unlink("\(directory)/\(place)/renamed") == 0)
    report("\(place)-directory", mkdir("\(directory)/\(place)/directory", 0o700) == 0)
    report("\(place)-link", symlink("/", "\(directory)/\(place)/link") == 0)
  }
  report("signal-parent", kill(getppid(), 0) == 0)
  do throws(SystemError) { _ = try Socket.datagrams(to: "@\(directory)") } catch {
    return print("abstract-socket", error.code)
  }
  print("abstract-socket", 0)
}

let words = CommandLine.arguments.dropFirst()
switch words.first {
case "calls":
  if words.last == "confined" {
    try Privileges.gainNone()
    try SystemCallFilter.enforce()
  }
  attemptCalls()
case "thread":
  // What is started and executed later, too.
  try Privileges.gainNone()
  try SystemCallFilter.enforce()
  let thread = try SystemThread.start { attempt("thread", clinux_call_socket(), Int(AF_INET), 1, 0) }
  thread.join()
  fflush(nil)
  var child = Spawn(CommandLine.arguments[0], ["calls", "open"])
  exit(try child.start().waitForEnd().shellStatus)
case "files":
  let directory = CommandLine.arguments[2]
  try Privileges.gainNone()
  let rules = try Landlock(reachesAbstractSockets: words.last == "reaching")
  try rules.allow([.read, .writeFiles, .makeFiles, .removeFiles, .truncate], beneath: "\(directory)/own")
  try rules.allow(.read, beneath: "\(directory)/read")
  try rules.allow(.read, beneath: "\(directory)/missing")
  try rules.enforce()
  attemptFiles(in: directory)
default:
  // Executes a program, as on a kernel without Landlock.
  guard let program = Environment["STATEHUB_TEST_PROGRAM"] else { exit(2) }
  try Privileges.gainNone()
  if clinux_hide_call(444) != 0 { exit(1) }
  exit(CurrentProcess.execute(program, CurrentProcess.arguments).code)
}
