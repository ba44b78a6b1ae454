// What a transcript on a page shows differently from run to run.

/// The text with a word in place of each time, process, user and the like.
func masked(_ text: String) -> String {
  text
    .replacing(/20[0-9]{2}-[0-9]{2}-[0-9]{2}([ T])[0-9:]{8}(\.[0-9]{9})?/, with: "TIME")
    .replacing(/pid [0-9]+/, with: "pid N").replacing(/[0-9]+ µs/, with: "N µs")
    .replacing(/by .*[0-9]\)?/, with: "by USER").replacing(/"uid":[0-9]+/, with: "UID")
    .replacing(/"epoch":"[0-9a-f]{32}"/, with: "EPOCH")
}
