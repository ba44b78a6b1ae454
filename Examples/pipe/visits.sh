#!/usr/bin/env bash
# Counts a visit, and follows the count up to three: statectl pipe in bash, as a coprocess.
coproc hub { statectl pipe; }
ask() { printf '%s\n' "$1" >&"${hub[1]}"; }
ask '{"id": "create", "op": "create", "name": "visits", "type": "integer", "initial": 0}'
ask '{"id": "visits", "op": "watch", "names": ["visits"], "every": true}'
ask '{"id": "add", "op": "add", "name": "visits"}'
while IFS= read -r -u "${hub[0]}" line; do
  [[ $line == *'"error":'* ]] && { echo "$line" >&2; exit 1; }
  [[ $line =~ '"value":'([0-9]+) ]] && value=${BASH_REMATCH[1]}
  [[ $line == *'"id":"add"'* ]] && echo "visitor $value"
  [[ $line == *'"kind":"changed"'* ]] || continue
  echo "visits $value"
  ((value < 3)) || break
done
