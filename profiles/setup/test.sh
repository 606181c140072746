#!/usr/bin/env bash
# Every check of the project; all are run, whatever fails. The smoke run is the whole pipeline on tiny tiers, and what
# it leaves is tested as one would test a real run. Checks that measure nothing run one after the other next to the build,
# to the servers' tests and to the first sessions of the smoke run, whose values do not count, with low priority.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

folder=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$folder"' EXIT
check() { # check NAME COMMAND…
  local name=$1 start=$SECONDS outcome=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" || outcome=FAILED
  printf '%-7s %4d s  %s\n' "$outcome" $((SECONDS - start)) "$name" >>"$folder/results"
}

lint_r='
  files <- list.files(".", "[.]R$", recursive = TRUE)
  found <- parallel::mclapply(files, lintr::lint, mc.cores = 2, mc.preschedule = FALSE)
  for (lints in found) print(lints)
  quit(status = any(lengths(found) > 0))
'
smoke_results=(paper/tests/test_smoke.py paper/tests/test_smoke_report.py paper/tests/test_browser.py)
mapfile -t shell_scripts < <(find .ci/run analysis paper profiles servers workloads \( -name '*.sh' -o -path .ci/run \))

beside() {
  check "ruff" ruff check --quiet
  check "ruff format" ruff format --check --quiet
  check "snakefmt" snakefmt --check Snakefile ./*/*.smk
  check "mypy" mypy
  check "words" python3 profiles/setup/words.py
  check "shellcheck" shellcheck "${shell_scripts[@]}"
  check "paper (testthat)" Rscript paper/tests/testthat.R
  check "analysis (testthat)" Rscript analysis/tests/testthat.R but masks
  check "lintr" Rscript -e "$lint_r"
  # The others need what is built.
  until [[ -e $folder/built ]]; do sleep 1; done
  check "generator" make -C workloads/due test
  check "analysis of masked cells (testthat)" Rscript analysis/tests/testthat.R masks
  check "profiles, analysis, paper (pytest)" pytest --quiet --durations=12 profiles analysis paper "${smoke_results[@]/#/--ignore=}"
}
printf 'FAILED     0 s  checks beside the build were cut off\n' >"$folder/cut"
{
  renice -n 5 "$BASHPID" >/dev/null
  beside
  rm "$folder/cut"
} >"$folder/beside.log" 2>&1 &
check "build" make build
touch "$folder/built"
# Not verify, which would write the jars again.
check "servers (JUnit)" mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml test
check "smoke run" make smoke
# Beside what is left of the others, so that neither CPU is idle.
check "workloads (pytest)" nice -n 5 pytest --quiet --durations=12 workloads --ignore=workloads/due
wait
cat "$folder/beside.log"
cat "$folder/cut" >>"$folder/results" 2>/dev/null
check "smoke results (pytest)" pytest --quiet "${smoke_results[@]}"

failed=$(grep -c '^FAILED' "$folder/results")
printf '\n'
cat "$folder/results"
printf '\n%d passed, %d failed, in %d s\n' "$(grep -c '^passed' "$folder/results")" "$failed" "$SECONDS"
[[ $failed -eq 0 ]]
