// The text of `statehub --help`.

enum Help {
  static let text = """
    usage: statehub [OPTION]...
           statehub inspect [--json] [--summary] DIR   print the content of a state directory
           statehub repair DIR                         salvage a damaged state directory
           statehub new-epoch DIR                      declare that an earlier state was restored
           statehub access [--as USER] NAME            show which access rule applies to a name

    Holds named values that every process of this machine can read, write and follow. Runs in the
    foreground until SIGTERM or SIGINT, and logs to standard error.

      --socket PATH          listen at PATH (default: $STATEHUB_SOCKET, else /run/statehub/hub.sock for
                             root, else $XDG_RUNTIME_DIR/statehub/hub.sock or /run/user/UID/...)
      --config FILE          read this configuration (default: /etc/statehub/statehub.json5 for root, else
                             $XDG_CONFIG_HOME/statehub/statehub.json5 or ~/.config/...; the default
                             may be missing)
      --check-config         check the configuration and exit, with status 0 if it is correct
      --require-declaration  refuse to create stores through set
      --state-dir DIR        keep values in DIR (default: the configuration's stateDirectory, else
                             $STATE_DIRECTORY, $XDG_STATE_HOME/statehub or ~/.local/state/statehub)
      --volatile             keep nothing on disk
      --log-level LEVEL      error, warning, info or debug
      --version              print the version
      --help                 print this help

    Exit status: 0 done or stopped by a signal, 1 cannot serve, 2 wrong usage.

    """
}
