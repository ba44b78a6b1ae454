// The program's main thread: it waits for the signal to end, while tasks do the work.

import EtcdBridge
import Glibc

var signals = sigset_t()
sigemptyset(&signals)
sigaddset(&signals, SIGTERM)
sigaddset(&signals, SIGINT)
// Before there is another thread: all of them leave these signals to this one.
pthread_sigmask(SIG_BLOCK, &signals, nil)
signal(SIGPIPE, SIG_IGN)

let words = Options.arguments
let program = Task.detached { exit(await BridgeProgram.run(words)) }
while true {
  var number: CInt = 0
  if sigwait(&signals, &number) == 0 { program.cancel() }
}
