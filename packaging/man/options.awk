# Turns a help text into the body of a manual page: options and their columns into tagged paragraphs, the rest into
# paragraphs. Its input is what the program prints, so that the page cannot say anything else.

function escaped(text) {
  gsub(/\\/, "\\e", text)
  gsub(/-/, "\\-", text)
  if (text ~ /^[.']/) text = "\\&" text
  return text
}

# An option: its spelling, two spaces or more, what it does.
/^ +(-., +)?--[a-z]/ {
  sub(/^ +/, "")
  at = match($0, /  +/)
  print ".TP\n.B " escaped(at ? substr($0, 1, at - 1) : $0)
  if (at) print escaped(substr($0, at + RLENGTH))
  in_option = 1
  next
}
in_option && /^          / { sub(/^ +/, ""); print escaped($0); next }
/^Examples:/ { print ".PP\nExamples:\n.PP\n.nf\n.RS"; in_option = 0; in_examples = 1; next }
in_examples && /^$/ { print ".RE\n.fi"; in_examples = 0; next }
in_examples { sub(/^  /, ""); print escaped($0); next }
/^Exit status:/ { print ".SH EXIT STATUS"; sub(/^Exit status: */, ""); in_option = 0 }
/^$/ { if (!in_option) print ".PP"; in_option = 0; next }
/^Usage: / { sub(/^Usage: /, ""); print ".B " escaped($0); next }
/^Options:$/ { next }
{ in_option = 0; print escaped($0) }
END { if (in_examples) print ".RE\n.fi" }
