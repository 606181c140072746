#!/usr/bin/env bash
# Installs those of the named Debian packages that are missing: as root, else by sudo.
# Where neither can, names them and the command, and fails.
set -euo pipefail

mapfile -t missing < <(
  comm -23 <(printf '%s\n' "$@" | sort -u) \
    <(dpkg-query --show --showformat='${db:Status-Status} ${Package}\n' | sed -n 's/^installed //p' | sort -u)
)
[[ ${#missing[@]} -eq 0 ]] && exit

as_root() {
  if [[ $(id -u) -eq 0 ]]; then
    "$@"
  else
    # sudo hides the environment.
    sudo -- env "http_proxy=${http_proxy:-}" "https_proxy=${https_proxy:-}" "$@"
  fi
}

# A new machine in a cloud upgrades itself for minutes: apt's and dpkg's locks are waited for.
apt_get() { # apt_get WORD…
  local held
  until as_root env LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive apt-get --quiet=2 "$@" >"$log" 2>&1; do
    held=$(grep --max-count=1 '^E: Could not get lock' "$log") && ((SECONDS < 900)) || return 1
    echo "set-up: waiting: ${held#E: }"
    sleep 5
  done
}

echo "set-up: installing ${#missing[@]} Debian packages"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! { apt_get update && apt_get install --yes --no-install-recommends "${missing[@]}"; }; then
  {
    tail --lines=5 "$log"
    echo "set-up: these Debian packages are missing and could not be installed from here:"
    printf '  %s\n' "${missing[@]}"
    echo "As root, and then make setup again:"
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  } >&2
  exit 1
fi
