// The list of all verbs. Each verb's row is in its own file.

enum Verb {
  /// In the order in which the help lists them. A new verb is one more line here.
  ///
  /// Each is a function: a start creates only the rows that it needs.
  private static let rows: [_ of @Sendable () -> VerbSpec] = [
    { .get },
    { .set },
    { .add },
    { .toggle },
    { .reset },
    { .watch },
    { .wait },
    { .log },
    { .list },
    { .describe },
    { .create },
    { .remove },
    { .txn },
    { .hold },
    { .lock },
    { .elect },
    { .provide },
    { .claims },
    { .pipe },
    { .dump },
    { .load },
    { .apply },
    { .ping },
    { .top },
    { .plot },
    { .monitor },
    { .clients },
    { .stats },
    { .bench },
    { .access },
    { .reload },
    { .help },
  ]

  static var all: [VerbSpec] { rows.indices.map { rows[$0]() } }

  static func named(_ name: String) -> VerbSpec? {
    for index in rows.indices {
      let verb = rows[index]()
      if verb.name == name { return verb }
    }
    return nil
  }
}
