// statectl: the command line of the hub.

internal import Glibc

exit(Statectl.run(Argument.process()))
