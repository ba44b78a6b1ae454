// The daemon's entry: one call, so that everything lives in its local variables.

import HubSystem

CurrentProcess.exit(Launch.run(CurrentProcess.words))
