// The text of `statehub --help`.

enum Help {
  static let text = """
    usage: statehub [OPTION]...
           statehub inspect [--json] [--summary] DIR   print what a state directory holds
           statehub repair DIR                         save what is left of a damaged one
           statehub new-epoch DIR                      declare that an earlier state was put back
           statehub access [--as USER] NAME            say which access rule decides about a name

    Holds named values that every process of this machine can read, write and follow. It runs in the
    foreground until SIGTERM or SIGINT, and logs to standard error.

      --socket PATH      listen there; the default is $STATEHUB_SOCKET, else $XDG_RUNTIME_DIR/statehub/hub.sock
                         (or /run/user/UID/...), for root /run/statehub/hub.sock
      --config FILE      read this configuration; the default is $XDG_CONFIG_HOME/statehub/statehub.json5 (or
                         ~/.config/...), for root /etc/statehub/statehub.json5, if there is one
      --check-config     check the configuration, and end: 0 if it is good
      --strict           refuse to create stores by setting them
      --state-dir DIR    keep values there; the default is the configuration's, else $STATE_DIRECTORY, else
                         $XDG_STATE_HOME/statehub, else ~/.local/state/statehub
      --volatile         keep nothing on disk
      --log-level LEVEL  error, warning, info or debug
      --version          show the version
      --help             show this

    Exit status: 0 ended by a signal or done, 1 cannot serve, 2 wrong usage.

    """
}
