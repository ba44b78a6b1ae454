# Makes Debian's change log of CHANGELOG.md. A section that has no version yet is that of the release being made.
#
#   name=, version=, maintainer=, date= (as `date -R` prints it): of the release being made

BEGIN { WIDTH = 78 }
/^## / {
  finish()
  open = 1
  number = $2
  gsub(/[][]/, "", number)
  # Its date stands behind the version: `## [1.2.3] - 2026-12-31`.
  released = number != "Unreleased"
  if (!released) number = version
  when = released ? rfc_date($4) : date
  printf "%s%s (%s) %s; urgency=medium\n\n", started++ ? "\n" : "", name, number, released ? "unstable" : "UNRELEASED"
  next
}
!open { next }
/^### / { flush(); title = substr($0, 5); next }
/^- / { flush(); item = substr($0, 3); next }
/^  / && item != "" { sub(/^ +/, ""); item = item " " $0; next }
/^$/ { flush(); next }
END { finish(); if (!started) fail("CHANGELOG.md has no section") }

# YYYY-MM-DD, as Debian writes it.
function rfc_date(day,   command, text) {
  if (day !~ /^[0-9]+-[0-9]+-[0-9]+$/) fail("a release without a date: " $0)
  command = "date -R -u -d " day
  command | getline text
  close(command)
  return text
}

function finish() {
  if (!open) return
  flush()
  if (!items) { print "  * " (number == version ? "First release." : "No change that users notice.") }
  printf "\n -- %s  %s\n", maintainer, when
  items = 0
  title = ""
}

function flush(   words, count, i, line) {
  if (item == "") return
  if (title != "") { printf "%s  [ %s ]\n", items ? "\n" : "", title; title = "" }
  # Markdown's marks mean nothing here.
  gsub(/`|\*\*/, "", item)
  while (match(item, /\]\([^)]*\)/)) item = substr(item, 1, RSTART - 1) substr(item, RSTART + RLENGTH)
  gsub(/\[/, "", item)
  count = split(item, words, " ")
  line = "  *"
  for (i = 1; i <= count; i++) {
    if (length(line) + 1 + length(words[i]) > WIDTH) { print line; line = "   " }
    line = line " " words[i]
  }
  print line
  items++
  item = ""
}

function fail(problem) { print "changelog.awk: " problem > "/dev/stderr"; exit 1 }
