// What a program says when tried before a reload, and whether it may take over. Text in, text out: it starts nothing.

import HubCore

/// The answer to `--version` with `STATEHUB_TRIAL` set: the version as usual, then which images the program reads, then
/// whether it could read the one that was its standard input.
struct TrialAnswer: Equatable {
  static let variable = "STATEHUB_TRIAL"
  private static let imagesWord = "images"
  private static let filesWord = "files"
  private static let takenWord = "image taken"
  private static let refusedWord = "image refused:"

  var release: String
  var images: ClosedRange<UInt16>
  /// The formats of a state directory's files that it reads, as `journal-2`.
  var files: [String] = []
  /// Why it rejected the sample image; nil: it did not, or the program is too old to try.
  var problem: String?

  /// What a release reads that does not say so: up to 0.1.0 there was one version.
  private static let silentImages: ClosedRange<UInt16> = 1...1

  /// The text of the answer.
  var text: String {
    "statehub \(release)\n\(TrialAnswer.imagesWord) \(images.lowerBound) \(images.upperBound)\n"
      + ([TrialAnswer.filesWord] + files).joined(separator: " ") + "\n"
      + (problem.map { "\(TrialAnswer.refusedWord) \($0)" } ?? TrialAnswer.takenWord) + "\n"
  }

  init(release: String, images: ClosedRange<UInt16>, files: [String], problem: String?) {
    (self.release, self.images, self.files, self.problem) = (release, images, files, problem)
  }

  /// - Parameter text: everything that the program wrote.
  /// - Returns: nil if a hub would not say that.
  init?(parsing text: String) {
    var release: String?
    images = TrialAnswer.silentImages
    for line in text.split(separator: "\n").map(String.init) {
      let words = line.split(separator: " ").map(String.init)
      if release == nil, words.count == 2, words[0] == "statehub", words[1].first?.isNumber == true {
        release = words[1]
      } else if words.count == 3, words[0] == TrialAnswer.imagesWord {
        guard let oldest = UInt16(words[1]), let newest = UInt16(words[2]), oldest <= newest else {
          return nil
        }
        images = oldest...newest
      } else if words.first == TrialAnswer.filesWord {
        files = Array(words.dropFirst())
      } else if line.hasPrefix(TrialAnswer.refusedWord) {
        problem = String(line.dropFirst(TrialAnswer.refusedWord.count).trimmingPrefix(" "))
      }
    }
    guard let release else { return nil }
    self.release = release
  }

  /// Why the program must not take over from a hub that writes images of `version`, and files of these formats; nil if it may.
  func objection(version: UInt16, files written: [String]) -> String? {
    if let unread = written.first(where: { !files.contains($0) }) {
      return
        "statehub \(release) does not say that it reads files of format \(unread), which are in the state directory: it could "
        + "not start from them. statectl dump and load carry values to an older release"
    }
    if !images.contains(version) {
      let known = images.count == 1 ? "\(images.lowerBound)" : "\(images.lowerBound) to \(images.upperBound)"
      return
        "statehub \(release) takes over from hubs that write images of version \(known), this one writes \(version): "
        + "stop and start the hub instead"
    }
    return problem.map { "statehub \(release) cannot take over: \($0)" }
  }
}

/// How a tried program ended.
struct TrialOutcome {
  enum End: Equatable {
    case status(Int32)
    /// Its name.
    case signal(String)
    case timedOut(seconds: Int)
  }

  var end: End
  /// Its output, as far as it was read.
  var output: [UInt8]

  private static let longestQuote = 200

  /// What is wrong with the program; nil: it may take over from a hub that writes images of `version`, and these files.
  func objection(path: String, version: UInt16, files: [String]) -> String? {
    switch end {
    case .timedOut(let seconds): return "\(path) did not answer --version within \(seconds) s"
    case .signal(let name): return "\(path) crashes when it is asked for its --version: \(name)\(quote)"
    case .status(let status) where status != 0:
      return "\(path) answers --version with exit status \(status)\(quote)"
    case .status: break
    }
    guard let answer = TrialAnswer(parsing: String(decoding: output, as: UTF8.self)) else {
      return "\(path) is no statehub\(quote.isEmpty ? ": it does not tell its --version" : quote)"
    }
    return answer.objection(version: version, files: files).map { "\(path): \($0)" }
  }

  /// The first line of its output, in a form that a log can show.
  private var quote: String {
    let text = String(decoding: output, as: UTF8.self)
    guard let line = text.split(whereSeparator: \.isNewline).first else { return "" }
    let visible = line.unicodeScalars.map { $0.value < 32 || $0.value == 127 ? "?" : Character($0) }
    return ": it says “\(String(visible.prefix(TrialOutcome.longestQuote)))”"
  }
}
