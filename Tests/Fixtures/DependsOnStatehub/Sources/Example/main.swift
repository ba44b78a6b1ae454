// The example on the README's first screen: a program of its own, in a package of its own.
import HubClient

print(SocketPath.automatic.resolved)
