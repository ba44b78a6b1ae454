// statectl: the command line of the hub.

internal import HubSystem

CurrentProcess.exit(Statectl.run(Argument.process()))
