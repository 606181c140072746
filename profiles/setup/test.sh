#!/usr/bin/env bash
# Every check of the project; all are run, whatever fails. The smoke run is the whole pipeline on tiny tiers, and what
# it leaves is tested as one would test a real run. Checks that measure nothing run one after the other next to the build
# and to the smoke run, whose values do not count, with low priority. What they have not begun when the first lane has
# nothing left to do, it takes.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

folder=$(mktemp -d)
mkdir "$folder/taken"
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
check() { # check NAME COMMAND…
  local name=$1 start=$SECONDS outcome=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" || outcome=FAILED
  printf '%-7s %4d s  %s\n' "$outcome" $((SECONDS - start)) "$name" >>"$folder/results"
}

take() { # take NAME COMMAND…: a check, unless the other lane has taken it; NAME is a folder's, too
  mkdir "$folder/taken/$1" 2>/dev/null && check "$@"
}

lint_r='
  files <- list.files(".", "[.]R$", recursive = TRUE)
  found <- parallel::mclapply(files, lintr::lint, mc.cores = 2, mc.preschedule = FALSE)
  for (lints in found) print(lints)
  quit(status = any(lengths(found) > 0))
'
smoke_page=(paper/tests/test_smoke_report.py paper/tests/test_browser.py)
# The last, when nothing else runs: it looks for processes and files that were left behind.
smoke_cells=paper/tests/test_smoke.py
mapfile -t shell_scripts < <(find .ci/run analysis paper profiles servers workloads \( -name '*.sh' -o -path .ci/run \))

beside() {
  take "ruff" ruff check --quiet
  take "ruff format" ruff format --check --quiet
  take "snakefmt" snakefmt --check Snakefile ./*/*.smk
  take "mypy" mypy
  take "words" python3 profiles/setup/words.py
  take "shellcheck" shellcheck "${shell_scripts[@]}"
  take "paper (testthat)" Rscript paper/tests/testthat.R
  take "analysis (testthat)" Rscript analysis/tests/testthat.R but masks
  # The others need what is built; the longest first, so that both lanes end together.
  until [[ -e $folder/built ]]; do sleep 1; done
  take "paper (pytest)" pytest --quiet --durations=12 paper --ignore=$smoke_cells "${smoke_page[@]/#/--ignore=}"
  take "analysis of masked cells (testthat)" Rscript analysis/tests/testthat.R masks
  # Not verify, which would write the jars again.
  take "servers (JUnit)" mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml test
  take "lintr" Rscript -e "$lint_r"
  take "profiles (pytest)" pytest --quiet --durations=12 profiles
  take "generator" make -C workloads/due test
}
with_low_priority() {
  renice -n 5 "$BASHPID" >/dev/null
  "$@"
}
(with_low_priority beside) >"$folder/beside.log" 2>&1 &
check "build" make build
touch "$folder/built"
check "smoke run" make smoke
check "smoke report (pytest)" nice -n 5 pytest --quiet --durations=12 "${smoke_page[@]}"
# After the smoke run: the servers of both would take the same ports.
check "workloads (pytest)" nice -n 5 pytest --quiet --durations=12 workloads --ignore=workloads/due
(with_low_priority beside)
wait
cat "$folder/beside.log"
for taken in "$folder"/taken/*; do
  grep --quiet --line-regexp ".* s  ${taken##*/}" "$folder/results" ||
    printf 'FAILED     0 s  %s was cut off\n' "${taken##*/}" >>"$folder/results"
done
check "smoke results (pytest)" pytest --quiet $smoke_cells

failed=$(grep -c '^FAILED' "$folder/results")
printf '\n'
cat "$folder/results"
printf '\n%d passed, %d failed, in %d s\n' "$(grep -c '^passed' "$folder/results")" "$failed" "$SECONDS"
[[ $failed -eq 0 ]]
