#!/usr/bin/env bash
# Watches a running service for a minute, without a load of its own, and prints what the report's form asks for.
#
#     workloads/inputs.sh PID [SECONDS] [--actuator http://127.0.0.1:8080/actuator]
#
# CPU time and threads come from /proc; rate and latency from Actuator's metrics, or the rate alone from new connections of
# the machine; requests in flight by Little's law. It says what it could not see.
set -uo pipefail

if [[ $# -lt 1 ]]; then
  sed -n '2,/^set /{s/^# \{0,1\}//p}' "$0" >&2
  exit 3
fi
cd "$(dirname "$(realpath -- "$0")")/.." || exit 3
# shellcheck source=/dev/null
[[ -f .tools/env ]] && . .tools/env
exec python3 -m workloads.servers.inputs "$@"
