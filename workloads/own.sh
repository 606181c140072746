#!/usr/bin/env bash
# Two builds of your own service, side by side: is the new one slower?
#
#     workloads/own.sh workloads/examples/two-builds.yaml
#
# The verdict is printed, and a page with pictures and flame graphs lies in results/own/. Each call measures again, into a
# folder of its own. Exit status, for a job of continuous integration:
#     0  the new build is not slower by more than the file allows
#     1  it is slower
#     2  undecided when the budget was spent
#     3  no valid comparison: a fault of the file, a build that does not answer, requests that fail, or a fault of ours
set -uo pipefail

usage() {
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" >&2
  exit 3
}
[[ $# -eq 1 ]] || usage
if [[ ! -f $1 ]]; then
  echo "$1: no such file" >&2
  exit 3
fi
file=$(realpath -- "$1")
cd "$(dirname "$(realpath -- "$0")")/.." || exit 3
if ! grep -q '^own:' "$file"; then
  echo "own = null; allowed: a mapping of old, new and more in $file; see workloads/examples/two-builds.yaml" >&2
  exit 3
fi
# Installs what is missing, once.
if [[ ! -f .tools/env ]]; then make setup >&2 || exit 3; fi
# shellcheck source=/dev/null
. .tools/env
results=results/own/$(date -u +%Y%m%dT%H%M%SZ)
# Orders of rounds are drawn from the seed.
snakemake --cores 4 own --configfile "$file" --config "results=$results" "seed=$(date +%s)" || exit 3
exit "$(cat "$results/status")"
