#!/usr/bin/env bash
# Tries to have the browser in which tests open the report. Where it cannot be installed these tests are skipped, with
# this as their reason, so nothing here fails the set-up of tests.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)

"$here/debian.sh" chromium chromium-driver ||
  echo "set-up: no Chromium with its driver here; the report is not tested in a browser"
