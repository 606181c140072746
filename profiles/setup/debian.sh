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

install() {
  as_root apt-get update --quiet=2 &&
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install --quiet=2 --yes \
      --no-install-recommends -o DPkg::Lock::Timeout=300 "${missing[@]}"
}

echo "set-up: installing ${#missing[@]} Debian packages"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
if ! install >"$log" 2>&1; then
  {
    tail --lines=5 "$log"
    echo "set-up: these Debian packages are missing and could not be installed from here:"
    printf '  %s\n' "${missing[@]}"
    echo "As root, and then make setup again:"
    echo "  apt-get update && apt-get install --no-install-recommends ${missing[*]}"
  } >&2
  exit 1
fi
