#!/usr/bin/env bash
# async-profiler's jfrconv, whose arguments it takes.
set -euo pipefail
tools=$(cd "$(dirname "$0")/../.." && pwd)/.tools
# It lives for half a second: compiling it well would take longer than running it.
exec "${JAVA_HOME:+$JAVA_HOME/bin/}java" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC \
  -jar "$tools/async-profiler/jfr-converter.jar" "$@"
