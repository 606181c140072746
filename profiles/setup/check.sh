#!/usr/bin/env bash
# Checks of two minutes, between two edits: style, types, and the tests that start no process. It prints what it leaves to
# `make test`, and the size of each area.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
mapfile -t changed_r < <({ git diff --name-only --diff-filter=d HEAD && git ls-files --others --exclude-standard; } | grep '[.]R$')
unchanged() { # unchanged FOLDER NAME…: those whose file and whose test are as committed
  local folder=$1 name
  for name in "${@:2}"; do
    printf '%s\n' "${changed_r[@]}" | grep --quiet --line-regexp -e "$folder/R/$name.R" -e "$folder/tests/testthat/test-$name.R" || echo "$name"
  done
}
# Files of tests in R that take long: simulations, masked cells, odd values, whole comparisons, all shipped runs.
mapfile -t slow_analysis < <(unchanged analysis masks odd-tables odd-cells mixes plasmode queues causes claims reproduce judge builds comparisons)
mapfile -t slow_paper < <(unchanged paper studies publish figures)

fails() { # fails NAME COMMAND…
  local name=$1
  shift
  "$@" || echo "FAILED  $name" >>"$folder/failed"
}
in_python() {
  fails ruff ruff check --quiet
  fails "ruff format" ruff format --check --quiet
  fails snakefmt snakefmt --check Snakefile ./*/*.smk
  fails mypy mypy
  fails words python3 profiles/setup/words.py
  fails pytest python -m pytest -r fE -p profiles.setup.no_process --quiet profiles workloads paper \
    --ignore=workloads/due --ignore-glob='*/test_smoke*.py' --ignore=paper/tests/test_browser.py
}
in_r() {
  local file
  for file in "${changed_r[@]}"; do fails "lintr $file" Rscript -e "found <- lintr::lint('$file'); print(found); quit(status = length(found) > 0)"; done
  fails "analysis (testthat)" Rscript analysis/tests/testthat.R but "${slow_analysis[@]}"
  fails "paper (testthat)" Rscript paper/tests/testthat.R but "${slow_paper[@]}"
}
# In kB, without tables, pictures, pages, archives, shipped runs, golden cells and pinned versions.
sizes() {
  local written='[.](csv|gz|html|pdf|png|svg|xz)$|^(analysis|paper)/runs/|golden'
  local pinned='requirements.*[.]txt$|sha256|pom[.]xml$|jdk-[0-9]+[.]txt$|debian-packages'
  printf '%-12s %7s %7s  kB\n' area text tests
  git ls-files | grep -vE "$written|$pinned" | xargs --delimiter='\n' stat --format='%s %n' 2>/dev/null | awk '
    { area = $2 ~ "/" ? $2 : "(top)"; sub("/.*", "", area) }
    { column = $2 ~ "(^|/)(tests/|testthat/|test_)|src/test" ? "tests" : "text" }
    { bytes[area, column] += $1; bytes["all", column] += $1; areas[area] }
    function row(area) { return sprintf("%-12s %7.1f %7.1f", area, bytes[area, "text"] / 1000, bytes[area, "tests"] / 1000) }
    END { for (area in areas) print row(area) | "sort"; close("sort"); print row("all") }'
}
in_python >"$folder/python" 2>&1 &
in_r >"$folder/r" 2>&1 &
wait
cat "$folder/python" "$folder/r"

printf '\nLeft to make test: what starts a process (skipped above), servers (JUnit), generator (C), the smoke run and its report,\n'
printf 'shellcheck, lintr of R files that are as committed, and in R %s; %s.\n\n' "${slow_analysis[*]}" "${slow_paper[*]}"
sizes
if [[ -s $folder/failed ]]; then cat "$folder/failed" && exit 1; fi
echo "passed in $SECONDS s"
