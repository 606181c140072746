#!/usr/bin/env bash
# Every check of the project, the quick ones first; all are run, whatever fails. The smoke run is
# the whole pipeline on tiny tiers; what it left is then tested as one would test a real run.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
check() { # check NAME COMMAND…
  local name=$1 start=$SECONDS outcome=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" || outcome=FAILED
  printf '%-7s %4d s  %s\n' "$outcome" $((SECONDS - start)) "$name" >>"$folder/results"
}

lint_r='found <- lintr::lint_dir("."); print(found); quit(status = length(found) > 0)'
smoke_results=(paper/tests/test_smoke.py paper/tests/test_smoke_report.py)
mapfile -t shell_scripts < <(git ls-files '*.sh' .ci/run)

check "ruff" ruff check --quiet
check "ruff format" ruff format --check --quiet
check "snakefmt" snakefmt --check Snakefile ./*/*.smk
check "mypy" mypy
check "shellcheck" shellcheck "${shell_scripts[@]}"
# R measures nothing: it may run beside the builds.
{
  check "lintr" Rscript -e "$lint_r"
  check "paper (testthat)" Rscript paper/tests/testthat.R
} >"$folder/R" 2>&1 &
beside=($!)
check "analysis (testthat)" Rscript analysis/tests/testthat.R >"$folder/R-analysis" 2>&1 &
beside+=($!)
check "build" make build
check "servers (JUnit)" mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml verify
for process in "${beside[@]}"; do
  wait "$process" || echo "FAILED  a check of R was cut off" >>"$folder/results"
done
cat "$folder"/R*
check "generator" make -C workloads/due test
check "profiles, workloads, analysis, paper (pytest)" pytest --quiet --durations=12 profiles workloads analysis paper \
  --ignore=workloads/due "${smoke_results[@]/#/--ignore=}"
check "smoke run" make smoke
check "smoke results (pytest)" pytest --quiet "${smoke_results[@]}"

failed=$(grep -c '^FAILED' "$folder/results")
printf '\n'
cat "$folder/results"
printf '\n%d passed, %d failed\n' "$(grep -c '^passed' "$folder/results")" "$failed"
[[ $failed -eq 0 ]]
