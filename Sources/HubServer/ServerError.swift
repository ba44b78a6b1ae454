// Why the hub cannot start, with advice on what to do.

package import HubCore
import HubSystem

package enum ServerError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Another process listens there. The pid is nil if the kernel does not report it.
  case alreadyRunning(path: String, pid: Int32?)
  /// The socket cannot be bound.
  case bind(path: String, reason: String)
  /// There is neither a path to listen at nor a socket from a service manager.
  case noPath
  /// A service manager passed something that cannot be listened on.
  case activation(descriptor: Int32, name: String, reason: String)
  /// A variable of the environment cannot be understood.
  case environment(variable: String, value: String, reason: String)
  /// The configuration cannot be used: what is wrong, line by line.
  case configuration(String)
  /// The installed program cannot take over, and why.
  case program(String)
  /// A store that the configuration declares is refused.
  case declaration(HubError)
  /// The state directory cannot be used.
  case stateDirectory(path: String, reason: String)
  /// A system call that must succeed has failed.
  case system(call: String, code: Int32)

  package var description: String {
    switch self {
    case .alreadyRunning(let path, let pid?) where CurrentProcess.isServiceManager(pid):
      "already running: the service manager listens at \(path), and starts the hub itself: see systemctl status statehub.socket"
    case .alreadyRunning(let path, let pid):
      "already running: \(pid.map { "process \($0)" } ?? "another process") serves \(path)"
    case .bind(let path, let reason): "cannot listen at \(path): \(reason)"
    case .noPath:
      "there is no default socket: XDG_RUNTIME_DIR is not set, and /run/user/\(CurrentProcess.effectiveUser) is not a directory of this user: "
        + "start the hub from a login session, or give --socket PATH"
    case .activation(let descriptor, let name, let reason):
      "cannot listen on descriptor \(descriptor), passed as \(name): \(reason)"
    case .environment(let variable, let value, let reason):
      "\(variable)=\(JSONWriter.quoted(value)) in the environment: \(reason)"
    case .configuration(let problems): problems
    case .program(let problem): problem
    case .declaration(let error): "a declared store is refused: \(error)"
    case .stateDirectory(let path, let reason): "cannot use the state directory \(path): \(reason)"
    case .system(let call, let code): "\(call): \(SystemError(code))\(Confinement.hint(SystemError(code)))"
    }
  }

  /// The error as an `errno`, for callers that use one.
  var code: Int32 {
    switch self {
    case .alreadyRunning: SystemError.addressInUse.code
    case .bind, .noPath: SystemError.addressNotAvailable.code
    case .activation: SystemError.badDescriptor.code
    case .environment, .configuration, .declaration: SystemError.invalidArgument.code
    case .program: SystemError.notExecutable.code
    case .stateDirectory: SystemError.inputOutput.code
    case .system(_, let code): code
    }
  }

  /// A change of the configuration can fix it.
  var isConfiguration: Bool {
    switch self {
    case .configuration, .declaration: true
    default: false
    }
  }

  /// Makes a call that must succeed.
  ///
  /// - Parameter call: its name, for messages.
  static func attempt<Result: ~Copyable>(
    _ call: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(ServerError) -> Result {
    try SystemError.attempt(try body()) { ServerError.system(call: call, code: $0.code) }
  }

  /// The same on the way to a listening socket at `path`.
  ///
  /// - Parameter trouble: the text before the reason.
  static func binding<Result: ~Copyable>(
    _ path: String, _ trouble: String, _ body: @autoclosure () throws(SystemError) -> Result
  ) throws(ServerError) -> Result {
    try SystemError.attempt(try body()) {
      ServerError.bind(path: path, reason: "\(trouble)\($0)\(Confinement.hint($0))")
    }
  }
}
