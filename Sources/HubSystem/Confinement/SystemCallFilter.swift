// The system calls that this process, and whatever it executes, may no longer make: the filter as a program for the kernel.

internal import CLinux
internal import Glibc

/// A list of what is forbidden, and not of what is allowed: a program that is executed later inherits the filter, and must be
/// able to do what its release needs. A forbidden call fails with `EPERM`; nothing is killed.
///
/// Nearly all calls are decided by their number alone. The kernel finds those out once, and lets them pass without running
/// the filter.
package enum SystemCallFilter {
  /// Enforces the filter irrevocably: for this thread, those that it starts from now on, and every program that they
  /// execute. `Privileges.gainNone` comes first.
  package static func enforce() throws(SystemError) {
    guard let program else { throw SystemError(ENOSYS) }
    if clinux_filter_calls(program, UInt16(program.count)) != 0 { throw .last }
  }

  /// The calls that are forbidden whatever their parameters.
  package static var forbidden: [(name: String, number: UInt32)] {
    var calls: [(String, UInt32)] = []
    while let name = clinux_forbidden_call(calls.count).name {
      calls.append((String(cString: name), clinux_forbidden_call(calls.count).number))
    }
    return calls
  }

  // MARK: The program

  private typealias Step = sock_filter

  /// Where the kernel shows a call to the filter.
  private enum Offset {
    static let number: UInt32 = 0
    static let architecture: UInt32 = 4
    /// The lower half of a parameter.
    static func parameter(_ index: UInt32) -> UInt32 { 16 + 8 * index }
  }

  /// Nil: this architecture has none.
  private static var program: [sock_filter]? {
    let architecture = clinux_filter_architecture()
    if architecture == 0 { return nil }
    // Calls of another architecture have different numbers.
    var steps = [
      load(Offset.architecture), unless(architecture, skip: 0), refuse(EPERM), load(Offset.number),
    ]
    #if arch(x86_64)
      steps += [step(BPF_JMP | BPF_JGE | BPF_K, 0x4000_0000, 0, 1), refuse(EPERM)]
    #endif
    for call in forbidden { steps += [equal(call.number, orSkip: 1), refuse(EPERM)] }
    steps += [equal(clinux_call_clone3(), orSkip: 1), refuse(ENOSYS)]
    for (number, index, judgement) in judgements {
      steps += [equal(number, orSkip: UInt8(judgement.count + 1)), load(Offset.parameter(index))] + judgement
    }
    return steps + [allow]
  }

  /// Calls that are decided by a parameter. Each judgement ends with a decision.
  private static var judgements: [(number: UInt32, parameter: UInt32, [sock_filter])] {
    // Other processes of the machine are reached by Unix sockets alone. A kernel without networks returns EAFNOSUPPORT.
    let family = [equal(UInt32(AF_UNIX), orSkip: 1), allow, refuse(EAFNOSUPPORT)]
    // CLONE_NEWTIME, NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET. The kernel cannot show the flags of clone3: it pretends that the call
    // does not exist, and the C library falls back to clone.
    let namespaces = [step(BPF_JMP | BPF_JSET | BPF_K, 0x7E02_0080, 0, 1), refuse(EPERM), allow]
    // Typing into a terminal: TIOCSTI, TIOCLINUX.
    let typing = [equal(0x5412, orSkip: 1), refuse(EPERM), equal(0x541C, orSkip: 1), refuse(EPERM), allow]
    // Asking which one is active changes nothing.
    let asking = [equal(UInt32.max, orSkip: 1), allow, refuse(EPERM)]
    return [
      (clinux_call_socket(), 0, family), (clinux_call_socketpair(), 0, family),
      (clinux_call_clone(), 0, namespaces), (clinux_call_ioctl(), 1, typing),
      (clinux_call_personality(), 0, asking),
    ]
  }

  private static func step(_ code: Int32, _ value: UInt32, _ yes: UInt8 = 0, _ no: UInt8 = 0) -> sock_filter {
    sock_filter(code: UInt16(code), jt: yes, jf: no, k: value)
  }

  private static func load(_ offset: UInt32) -> sock_filter { step(BPF_LD | BPF_W | BPF_ABS, offset) }

  private static func equal(_ value: UInt32, orSkip count: UInt8) -> sock_filter {
    step(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count)
  }

  /// Continues with the next step unless it is this value; then skips that one and some more.
  private static func unless(_ value: UInt32, skip count: UInt8) -> sock_filter {
    step(BPF_JMP | BPF_JEQ | BPF_K, value, count + 1, 0)
  }

  private static func refuse(_ code: Int32) -> sock_filter {
    step(BPF_RET | BPF_K, UInt32(SECCOMP_RET_ERRNO) | UInt32(code))
  }

  private static var allow: sock_filter { step(BPF_RET | BPF_K, UInt32(SECCOMP_RET_ALLOW)) }
}
