// What the program says about itself. The manual page is made of it.

enum Help {
  static let text = """
    usage: statehub-bridge etcd --endpoints URL,... --prefix PREFIX --as NAME [OPTION]...

    Shows each key of etcd under PREFIX as a store of the hub under NAME, and passes writes to those stores
    on to etcd: with /fleet/ and net, the key /fleet/a/b is the store net.a.b. Who writes is told what has
    become of it; values that may be old count as stale.

      --endpoints URL,...   the members' client URLs, as https://10.0.0.1:2379
      --prefix PREFIX       the beginning of the keys, with a slash at its end
      --as NAME             where their stores are; it belongs to the --prefix before it, and there can be
                            several of both
      --values KIND         json (the default), text or data; after a --prefix, for that one alone
      --ca FILE             the authorities that are trusted, and no others
      --cert FILE           the certificate that is shown, with --key
      --key FILE            the certificate's key
      --user NAME           the user in etcd, with --password-file
      --password-file FILE  the user's password, in the first line
      --name NAME           this machine among the bridges; by default its host name
      --socket PATH         the hub's socket
      --system              the machine's hub, whatever the environment says
      --metrics WHERE       figures over HTTP at ADDRESS:PORT, or in a file
      --log-level LEVEL     error, warning, notice (the default), info or debug
      --check               try everything, say what is wrong, and end
      --version             show the version
      --help                show this

    Exit status: 0 ended by a signal, or --check has found nothing, 64 the command line is wrong, 66 a file
    cannot be read, 69 etcd or the hub is not there, 77 one of them does not allow it, 78 what is configured
    does not fit together.
    """
}
