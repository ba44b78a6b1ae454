// The help text, from which the manual page is made.

enum Help {
  static let text = """
    usage: statehub-bridge etcd --endpoints URL,... --prefix PREFIX --as NAME [OPTION]...

    Shows each key of etcd under PREFIX as a store of the hub under NAME, and passes writes to those stores
    on to etcd: with /fleet/ and net, the key /fleet/a/b is the store net.a.b. Writers get the result from
    etcd; values that may be outdated count as stale.

      --endpoints URL,...   the members' client URLs, for example https://10.0.0.1:2379
      --prefix PREFIX       the beginning of the keys; it ends with a slash
      --as NAME             the beginning of the stores' names for the --prefix before it; both can be
                            repeated
      --values KIND         json (the default), text or data; after a --prefix, for that prefix only
      --ca FILE             the only certificate authorities to trust
      --cert FILE           the certificate to present; requires --key
      --key FILE            the certificate's key
      --user NAME           the user in etcd; requires --password-file
      --password-file FILE  a file with the user's password in its first line
      --name NAME           this machine's name among the bridges (default: its host name)
      --socket PATH         the hub's socket
      --system              use the machine's hub and ignore the environment
      --metrics WHERE       serve metrics over HTTP at ADDRESS:PORT, or write them to a file
      --log-level LEVEL     error, warning, notice (the default), info or debug
      --check               test everything, report what is wrong, and exit
      --version             show the version
      --help                show this help

    Exit status: 0 ended by a signal, or --check found no problem, 64 wrong command line, 66 unreadable file,
    69 etcd or the hub is unavailable, 77 permission denied by etcd or the hub, 78 the configuration is
    inconsistent.
    """
}
