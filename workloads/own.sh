#!/usr/bin/env bash
# Variants of your own service, or two builds of it, side by side: is one slower than the first?
#
#     workloads/own.sh workloads/examples/two-builds.yaml
#     workloads/own.sh workloads/examples/boot-virtual.yaml
#
# The verdict is printed, and a page with pictures and flame graphs lies in results/own/, next to verdict.json, summary.md,
# junit.xml and bencher.json. Each call measures again, into a folder of its own. Exit status, for a job of continuous
# integration:
#     0  none is slower by more than the file allows
#     1  one is slower
#     2  undecided when the budget was spent
#     3  no valid comparison: a fault of the file, a build that does not answer, requests that fail, or a fault of ours
set -uo pipefail

usage() {
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" >&2
  exit 3
}
[[ $# -eq 1 && $1 != -* ]] || usage
if [[ ! -f $1 ]]; then
  echo "$1: no such file" >&2
  exit 3
fi
file=$(realpath -- "$1")
cd "$(dirname "$(realpath -- "$0")")/.." || exit 3
# Installs what is missing, once.
if [[ ! -f .tools/env ]]; then make setup >&2 || exit 3; fi
# shellcheck source=/dev/null
. .tools/env
python3 -m workloads.experiment.own "$file" || exit 3
results=results/own/$(date -u +%Y%m%dT%H%M%SZ)
# In a group of its own, which a signal ends as Ctrl-C does. Orders of starts and rounds are drawn from the seed.
set -m
snakemake --cores 4 own --configfile "$file" --config "results=$results" "seed=$(date +%s)" &
run=$!
set +m
trap 'kill -INT -- "-$run" 2>/dev/null' INT TERM HUP
wait "$run"
ended=$?
# A signal ends this wait, and what it stops takes a moment.
while kill -0 "$run" 2>/dev/null; do wait "$run"; ended=$?; done
[[ $ended -eq 0 ]] || exit 3
status=$(cat "$results/status") || exit 3
exit "$status"
