# Checks of the harnesses in Bash. Sourced; `work` is the caller's temporary folder.

# check TEXT COMMAND...: the command must succeed; if it fails, its output is shown and `failures` counts it.
failures=0
check() {
  local text=$1
  shift
  if "$@" > "$work/output" 2>&1; then
    echo "ok    $text"
  else
    echo "FAIL  $text"
    sed 's/^/      | /' "$work/output"
    failures=$((failures + 1))
  fi
}
