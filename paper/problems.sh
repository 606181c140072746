#!/usr/bin/env bash
# Ends with status 3 where the analysis or the report could not make something: problems.csv has rows.
#   paper/problems.sh results
set -euo pipefail

file=$1/problems.csv
if [[ ! -e $file ]]; then
  printf '%s is not there: these results are not of a whole analysis\n' "$file" >&2
  exit 3
fi
rows=$(tail --lines=+2 "$file" | grep --count . || true)
if ((rows > 0)); then
  printf 'The report is there, but not all of it: see the %d lines of %s\n' "$rows" "$file" >&2
  exit 3
fi
