# The rules of CONTRIBUTING.md that the formatter does not know: every file opens with a comment that says what it
# owns, and is at most 400 lines long; and only HubSystem touches the system. (A compiler plugin links nothing
# of the hub's; a tutorial's code opens as the reader's does.)

FNR == 1 && !/^\/[\/*] / { complain("opens without a header comment") }
FNR == (FILENAME ~ /^Sources\// ? 351 : 401) { complain("is longer than " FNR - 1 " lines: it does more than one thing") }
/^([a-z]+ )?import .*(Glibc|CLinux)/ && FILENAME ~ /^Sources\// && FILENAME !~ /^Sources\/(HubSystem|HubMacrosPlugin)\// {
  complain("imports " $NF ": use HubSystem, which alone touches the system")
}
END { exit failed }

function complain(what) {
  print FILENAME " " what > "/dev/stderr"
  failed = 1
}
