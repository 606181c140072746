#!/usr/bin/env bash
# Tries to have Quarto, the first choice for writing the report, and the R package that it needs.
# Its PyPI package fetches the program itself from outside the registry, which some machines cannot
# reach: then the stand-in renderer writes the same report, so nothing here fails the set-up.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
tools=$1
# An older one lacks what the report uses, of typst above all.
at_least=1.9
pin='quarto-cli==1.10.19 --hash=sha256:e4b14f3aeb38ea536672428a402c413c962bd4ba9d0b9805f416779226eb53e2'

new_enough() {
  local found
  found=$(quarto --version 2>/dev/null) && [[ $(printf '%s\n' "$at_least" "$found" | sort -V | head -1) == "$at_least" ]]
}

if ! new_enough &&
  ! timeout 180 "$here/pip.sh" "$tools/venv" install --no-deps \
    --require-hashes --requirement /dev/stdin <<<"$pin" >"$tools/quarto.log" 2>&1; then
  echo "set-up: Quarto cannot be had here; the stand-in renderer writes the report"
  exit 0
fi
"$here/debian.sh" r-cran-rmarkdown || echo "set-up: Quarto stays unused without r-cran-rmarkdown"
