#!/usr/bin/env bash
# The pip of a virtual environment: pip.sh VENV install …
# `user`, as clusters set it for all users, names another place than the environment.
set -euo pipefail
exec env PIP_USER=0 PIP_DISABLE_PIP_VERSION_CHECK=1 "$1/bin/pip" --quiet "${@:2}"
