# Turns a part of a help text into the body of a manual page: its usage lines, options, examples and exit statuses each
# into what such pages use for them, the rest into paragraphs. Its input is what a program prints, so that the page cannot
# say anything else.
#
#   part=synopsis | description | options | status    what that part says
#   part=verbs       the verbs that are listed, a line for each
#   part=section     all of it, as a section of a page

BEGIN { WIDTH = 74; where = "description"; paragraphs = 0 }

/^[Uu]sage: / { where = "synopsis"; sub(/^[Uu]sage: +/, ""); add_usage($0); next }
where == "synopsis" && /^ +state/ { sub(/^ +/, ""); add_usage($0); next }
/^(Verbs|Commands|Subcommands):$/ { where = "verbs"; next }
/^Options[^.]*:$/ { where = "options"; next }
/^Examples:$/ { where = "examples"; next }
/^Exit status: / { where = "status"; sub(/^Exit status: +/, ""); statuses = $0; next }
/^$/ { where = "description"; paragraphs++; next }
/^ +(-., +)?--[a-z]/ {
  where = "options"
  sub(/^ +/, "")
  at = match($0, /  +/)
  spelling[++options] = at ? substr($0, 1, at - 1) : $0
  meaning[options] = at ? substr($0, at + RLENGTH) : ""
  next
}
{ text = $0; sub(/^ +/, "", text) }
where == "options" { meaning[options] = meaning[options] " " text; next }
where == "verbs" { sub(/ .*/, "", text); verb[++verbs] = text; next }
where == "examples" { example[++examples] = text; next }
where == "status" { statuses = statuses " " text; next }
{ paragraph[paragraphs] = paragraph[paragraphs] (paragraph[paragraphs] ? " " : "") text }

END {
  if (part == "synopsis") for (i = 1; i <= usages; i++) { if (i > 1) print ".br"; print marked(usage[i]) }
  if (part == "description") print_description()
  if (part == "options") print_options()
  if (part == "status") print_statuses()
  if (part == "verbs") for (i = 1; i <= verbs; i++) print verb[i]
  if (part == "section") {
    for (i = 1; i <= usages; i++) print (i > 1 ? ".br\n" : "") marked(usage[i])
    print_description()
    print_options()
    if (examples) print_examples()
    if (statuses != "") { print ".PP\nExit status:"; print_statuses() }
  }
}

# A usage line may explain itself behind its words; a verb that it shows is one.
function add_usage(line,   at, words) {
  at = match(line, /  +/)
  usage[++usages] = at ? substr(line, 1, at - 1) : line
  split(line, words, " ")
  if (at && words[2] ~ /^[a-z]+$/) verb[++verbs] = words[2]
}

function print_description(   i, begun) {
  for (i = 0; i <= paragraphs; i++) {
    if (paragraph[i] == "") continue
    # A page's own section begins with a paragraph by itself.
    if (begun++ || part == "section") print ".PP"
    print filled(paragraph[i])
  }
}

function print_options(   i) {
  for (i = 1; i <= options; i++) print ".TP\n" marked(spelling[i]) "\n" filled(meaning[i])
}

function print_examples(   i) {
  print ".PP\nExamples:\n.PP\n.nf\n.RS"
  for (i = 1; i <= examples; i++) print escaped(example[i])
  print ".RE\n.fi"
}

# `0 done, 1 failed, or not even tried, 2 wrong usage.`: a number behind a comma begins the next one.
function print_statuses(   rest, at) {
  rest = ", " statuses
  sub(/\.$/, "", rest)
  while (match(rest, /^, [0-9]+ /)) {
    print ".TP\n\\fB" substr(rest, 3, RLENGTH - 3) "\\fR"
    rest = substr(rest, RLENGTH + 1)
    at = match(rest, /, [0-9]+ /)
    print filled(at ? substr(rest, 1, at - 1) : rest)
    rest = at ? substr(rest, at) : ""
  }
  if (rest != "") fail("exit statuses that cannot be read: " statuses)
}

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  gsub(/'/, "\\(aq", text)
  gsub(/`/, "\\(ga", text)
  gsub(/\^/, "\\(ha", text)
  gsub(/~/, "\\(ti", text)
  if (text ~ /^\./) text = "\\&" text
  return text
}

# Placeholders, which are written in capitals, in italics, and the other words in bold.
function marked(text,   out, word) {
  while (match(text, /[A-Za-z0-9-]+/)) {
    word = substr(text, RSTART, RLENGTH)
    out = out escaped(substr(text, 1, RSTART - 1)) (word ~ /^[A-Z][A-Z]*$/ ? "\\fI" : "\\fB") escaped(word) "\\fR"
    text = substr(text, RSTART + RLENGTH)
  }
  return out escaped(text)
}

# Lines of a length that everybody can read; a sentence begins a line.
function filled(text,   words, count, i, line, out) {
  count = split(text, words, " ")
  for (i = 1; i <= count; i++) {
    if (line != "" && (length(line) + 1 + length(words[i]) > WIDTH || line ~ /[.:?!]$/)) {
      out = out escaped(line) "\n"
      line = ""
    }
    line = line (line == "" ? "" : " ") words[i]
  }
  return out escaped(line)
}

function fail(problem) {
  print "help.awk: " problem > "/dev/stderr"
  exit 1
}
