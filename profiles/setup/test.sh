#!/usr/bin/env bash
# Every check of the project, the quick ones first; all are run, whatever fails. The smoke run is
# the whole pipeline on tiny tiers; what it left is then tested as one would test a real run.
set -uo pipefail
cd "$(dirname "$0")/../.." || exit

results=()
failed=0
check() { # check NAME COMMAND…
  local name=$1 start=$SECONDS outcome=passed
  shift
  printf '\n== %s\n' "$name"
  "$@" || outcome=FAILED
  [[ $outcome == passed ]] || failed=$((failed + 1))
  results+=("$(printf '%-7s %4d s  %s' "$outcome" $((SECONDS - start)) "$name")")
}

lint_r='found <- lintr::lint_dir("."); print(found); quit(status = length(found) > 0)'
smoke_results=(paper/tests/test_smoke.py paper/tests/test_smoke_report.py)
mapfile -t shell_scripts < <(git ls-files '*.sh' .ci/run)

check "ruff" ruff check --quiet
check "ruff format" ruff format --check --quiet
check "snakefmt" snakefmt --check Snakefile ./*/*.smk
check "mypy" mypy
check "shellcheck" shellcheck "${shell_scripts[@]}"
check "lintr" Rscript -e "$lint_r"
check "build" make build
check "servers (JUnit)" mvn --batch-mode --quiet --strict-checksums --file servers/pom.xml verify
check "generator" make -C workloads/due test
check "analysis (testthat)" Rscript analysis/tests/testthat.R
check "paper (testthat)" Rscript paper/tests/testthat.R
check "profiles, workloads, analysis, paper (pytest)" pytest --quiet profiles workloads analysis paper \
  --ignore=workloads/due "${smoke_results[@]/#/--ignore=}"
check "smoke run" make smoke
check "smoke results (pytest)" pytest --quiet "${smoke_results[@]}"

printf '\n'
printf '%s\n' "${results[@]}"
printf '\n%d passed, %d failed\n' $((${#results[@]} - failed)) "$failed"
[[ $failed -eq 0 ]]
