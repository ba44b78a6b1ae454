// What `statectl help VERB` says beyond the tables: a paragraph and examples for each verb.

extension Verb {
  /// What a user has to know before using it.
  var details: String {
    switch self {
    case .get:
      """
      The value is printed as it is, with a newline behind it, data without one. To a terminal, control
      characters and others that it would not show are escaped. Several stores give one line each: name, tab,
      value on one line (such characters escaped, data as base64). Status 4 if a store is missing; the others
      are printed.
      """
    case .set:
      """
      The value is read as the store's type asks for. For a store that does not exist yet: a number is an
      integer, or a double if it has a fraction or an exponent or does not fit; true and false are booleans;
      a JSON object or array is json; what begins like one, or like a quoted string, and is no JSON is refused;
      everything else is a string. With - as VALUE it is read from standard input, without one newline at its
      end unless it is data; behind -- it is the text -. An equal value changes nothing.
      """
    case .add:
      """
      DELTA is 1 if left out and may be negative. An integer store takes integers, a double store any number.
      """
    case .toggle: "The store is a boolean."
    case .reset: "A store that was created by set has no initial value: remove it instead."
    case .watch:
      """
      One store: a line for each value. Several stores or a glob (* stands for one part of a name, ** for
      any number): name, tab, value. Control characters are escaped, data is base64. The watch waits for
      stores that do not exist yet, and goes on when the hub was restarted. With --exec the command gets
      STATE_NAME, STATE_VALUE, STATE_REVISION, STATE_SKIPPED and STATE_KIND in its environment and a JSON
      line on its standard input; it never runs twice at once, and values that come while it runs are
      conflated to the newest of each store.
      """
    case .wait:
      """
      Prints the value and ends as soon as the condition holds; the symbols == != < <= > >= work as well
      (quoted, because of the shell). A store that does not exist yet is waited for, but for absent and ne:
      where there is none, it is not equal. changes: the next change from now on, also a removal or the end of
      a lifetime. --timeout limits the whole wait; its status is 124. With --timeout 0 it looks once.
      """
    case .list: "GLOB: * stands for one part of a name, ** for any number of them."
    case .describe:
      "The schema, the value and where it stands, who watches, and where the store was declared."
    case .create:
      """
      Nothing changes if the store has exactly this schema. Another schema is taken if the value fits it.
      Without --type the type of the initial value counts.
      """
    case .remove: "Watches on the store stay open and see it again when it comes back."
    case .txn:
      """
      Each line of standard input is one operation, written as on the command line: set, add, toggle, reset,
      create or remove with their options. Words are split at spaces and may be quoted; # starts a comment.
      Either all are carried out, at one revision that watchers see at once, or none is.
      """
    case .dump:
      """
      JSON lines: a first one that tells epoch, revision and count, then a store in each, in the order of
      the names. All of it is the hub's state at exactly that revision, and every value is exact: doubles to
      the bit, json (as a string) to the byte. Of a value that ends by itself (a ttl, an ephemeral value)
      that is dumped which it goes back to. Who changed a store, when and how often is not in a dump.
      """
    case .load:
      """
      Each store of the dump gets its schema and its value; other stores stay as they are. The dump is read
      whole, and the hub tries all of it, before anything is applied. Then it is applied in transactions of
      as many lines as a frame takes; if one fails, the message names the line and what was applied. A
      store that the hub's configuration declares keeps its rules and gets the value.
      """
    case .ping: "Prints the hub's version, process, revision, and how long the answer took."
    case .clients: "One line for each connection: who it is, and how well it follows."
    case .stats:
      """
      Name, tab, number: what the hub holds and has done, how long the rounds of its loop take (in
      nanoseconds), and how its journal and its disk do. The page docs/statectl.md explains each of them.
      """
    case .reload:
      """
      The hub reads its configuration, and starts the program that is installed now in its place. No client
      notices: connections, watches and values go on. If the configuration is not valid nothing happens, and
      all that is wrong with it is printed. What waits for the hub's next start is said on standard error.
      """
    case .help: ""
    }
  }

  var examples: [String] {
    switch self {
    case .get: ["get audio.volume", "get audio.volume audio.muted", "get --default 50 audio.volume"]
    case .set:
      [
        "set audio.volume 40", "set greeting 'Hello, world'", "set door open --ttl 30s",
        "set leader $HOSTNAME --if-absent", "set config - < config.json",
      ]
    case .add: ["add visits", "add audio.volume -5 --clamp"]
    case .toggle: ["toggle audio.muted"]
    case .reset: ["reset audio.volume"]
    case .watch:
      [
        "watch audio.volume", "watch 'audio.**' --json", "watch -1 network.up",
        "watch audio.volume --exec sh -c 'amixer -q set Master \"$STATE_VALUE%\"'",
      ]
    case .wait:
      [
        "wait network.up eq true --timeout 30", "wait jobs.left '<=' 0", "wait config changes",
        "wait leader absent",
      ]
    case .list: ["list", "list 'audio.*' -l"]
    case .describe: ["describe audio.volume"]
    case .create:
      [
        "create audio.volume --type integer --min 0 --max 100 --initial 50",
        "create mode --type string --choices off,eco,full --initial off",
      ]
    case .remove: ["remove greeting"]
    case .txn: ["txn <<< $'add stock.apples -1\\nadd stock.sold 1'"]
    case .dump: ["dump > backup.jsonl", "dump 'audio.**' > audio.jsonl"]
    case .load: ["load < backup.jsonl", "load --dry-run < backup.jsonl"]
    case .ping: ["ping"]
    case .clients: ["clients"]
    case .stats: ["stats"]
    case .reload: ["reload"]
    case .help: ["help watch"]
    }
  }
}
