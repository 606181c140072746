#!/usr/bin/env bash
# The pip of a virtual environment: pip.sh VENV install …
# A user's settings, in pip.conf and PIP_*, count for it but those of where and what to install: `user` and `target`, as
# clusters set them for all users, name another place than the environment.
set -euo pipefail
pip=$1/bin/pip
shift
foreign='user|target|prefix|root|python|dry-run|requirement|constraint|config-file'
# One line a setting: install.timeout='60'. `user` would restrict them to one file.
settings=$(PIP_USER=0 "$pip" config list || true)
unset "${!PIP_@}"
export PIP_CONFIG_FILE=/dev/null PIP_DISABLE_PIP_VERSION_CHECK=1
# A file's settings for install come before those for all commands, variables before both.
for section in global install :env:; do
  while IFS='=' read -r name value; do
    name=${name^^}
    export "PIP_${name//-/_}=${value//\\n/ }"
  done < <(sed -nE "/^$section\.($foreign)=/d; s/^$section\.([a-z-]+)='(.*)'$/\1=\2/p" <<<"$settings")
done
exec "$pip" --quiet "$@"
