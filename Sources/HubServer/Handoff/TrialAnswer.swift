// The output of a program in a trial before a reload, and whether it may take over. Text in, text out: it starts
// nothing.

import HubCore

/// The answer to `--version` with `STATEHUB_TRIAL` set: the version as usual, then which image the program reads, and which
/// files.
struct TrialAnswer: Equatable {
  static let variable = "STATEHUB_TRIAL"
  private static let imageWord = "image"
  private static let filesWord = "files"

  var release: String
  /// The version of images that it reads; nil: unknown.
  var image: UInt16?
  /// The formats of a state directory's files that it reads, for example `journal-2`.
  var files: [String] = []

  /// The text of the answer.
  var text: String {
    "statehub \(release)\n" + (image.map { "\(TrialAnswer.imageWord) \($0)\n" } ?? "")
      + ([TrialAnswer.filesWord] + files).joined(separator: " ") + "\n"
  }
}

extension TrialAnswer {
  /// - Parameter text: everything that the program wrote.
  /// - Returns: nil if it is not the output of a hub.
  init?(parsing text: String) {
    var release: String?
    for line in text.split(separator: "\n").map(String.init) {
      let words = line.split(separator: " ").map(String.init)
      if release == nil, words.count == 2, words[0] == "statehub", words[1].first?.isNumber == true {
        release = words[1]
      } else if words.count == 2, words[0] == TrialAnswer.imageWord {
        image = UInt16(words[1])
      } else if words.first == TrialAnswer.filesWord {
        files = Array(words.dropFirst())
      }
    }
    guard let release else { return nil }
    self.release = release
  }

  /// Why the program must not take over from a hub that writes images of `version`, and files of these formats; nil if it may.
  func objection(version: UInt16, files written: [String]) -> String? {
    if let unread = written.first(where: { !files.contains($0) }) {
      return
        "statehub \(release) does not report support for file format \(unread), which the state directory "
        + "uses, so it could not start. Use statectl dump and load to move values to an older release"
    }
    if image == version { return nil }
    let known =
      image.map { "takes over from hubs that write images of version \($0)" }
      ?? "does not report which images it reads"
    return "statehub \(release) \(known), this one writes version \(version): stop and start the hub instead"
  }
}

/// What a tried program has said and done.
struct TrialOutcome {
  /// That it does not answer as a program that works; nil: it ended well.
  var trouble: String?
  /// The part of its output that was read.
  var output: [UInt8]

  private static let longestQuote = 200

  /// What is wrong with the program; nil: it may take over from a hub that writes images of `version`, and these files.
  func objection(path: String, version: UInt16, files: [String]) -> String? {
    if let trouble { return "\(path) \(trouble)\(quote)" }
    guard let answer = TrialAnswer(parsing: String(decoding: output, as: UTF8.self)) else {
      return "\(path) is not a statehub\(quote.isEmpty ? ": it does not print its --version" : quote)"
    }
    return answer.objection(version: version, files: files).map { "\(path): \($0)" }
  }

  /// The first line of its output, in a form that a log can show.
  private var quote: String {
    let text = String(decoding: output, as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).first else { return "" }
    let visible = line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) }
    return ": it printed “\(String(visible.prefix(TrialOutcome.longestQuote)))”"
  }
}
