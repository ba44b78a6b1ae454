// The list of all verbs. Each verb's row is in its own file.

enum Verb {
  /// In the order in which the help lists them, and the page has its sections. A new verb is one more line here.
  ///
  /// Each is a function: a start creates only the rows that it needs.
  private static let rows: [_ of @Sendable () -> VerbSpec] = [
    { .get },
    { .set },
    { .add },
    { .toggle },
    { .reset },
    { .create },
    { .remove },
    { .list },
    { .describe },
    { .txn },
    { .watch },
    { .wait },
    { .log },
    { .hold },
    { .lock },
    { .elect },
    { .provide },
    { .claims },
    { .pipe },
    { .dump },
    { .load },
    { .apply },
    { .top },
    { .plot },
    { .monitor },
    { .ping },
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
