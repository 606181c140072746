#!/usr/bin/env bash
# Checks of two minutes, for the time between two edits: style, types, and the tests that start no process. What it
# leaves out runs in `make test`, and is printed here, with the size of each area.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
# Files of R tests that take more than five seconds each.
slow_analysis=(masks odd-tables odd-cells mixes)
slow_paper='studies|publish'

in_python() {
  ruff check --quiet
  ruff format --check --quiet
  snakefmt --check --quiet Snakefile ./*/*.smk
  mypy | grep -v '^Success'
  python3 profiles/setup/words.py
  pytest -q -p profiles.setup.no_process profiles workloads analysis paper --ignore=workloads/due
}
in_r() {
  Rscript analysis/tests/testthat.R but "${slow_analysis[@]}"
}
for part in in_python in_r; do
  { "$part" || echo "$part" >>"$folder/failed"; } >"$folder/$part" 2>&1 &
done
wait
