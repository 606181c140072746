#!/usr/bin/env bash
# Installs the packages of debian-packages.txt that are missing: as root, else by sudo.
# Where neither can, names them and the command, and fails.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)

mapfile -t wanted < <(grep -v '^#' "$here/debian-packages.txt")
mapfile -t present < <(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' 2>/dev/null |
  sed -n 's/^installed //p')
mapfile -t missing < <(comm -23 <(printf '%s\n' "${wanted[@]}" | sort -u) <(printf '%s\n' "${present[@]}" | sort -u))
[[ ${#missing[@]} -eq 0 ]] && exit

install=(apt-get install --quiet=2 --yes --no-install-recommends -o DPkg::Lock::Timeout=300)
echo "set-up: installing ${#missing[@]} Debian packages"

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  else
    sudo -- "$@"
  fi
}

log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { as_root apt-get update --quiet=2 && as_root env DEBIAN_FRONTEND=noninteractive "${install[@]}" "${missing[@]}"; } >"$log" 2>&1; then
  {
    tail -n 5 "$log"
    echo "set-up: these Debian packages are missing and could not be installed from here:"
    printf '  %s\n' "${missing[@]}"
    echo "As root, then again make setup:"
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  } >&2
  exit 1
fi
