#!/usr/bin/env bash
# A second host for the generator, made of two network namespaces, a veth pair between them and sshd
# in one: cells of both kinds of generator are measured through it. All happens in namespaces of
# its own, and the kernel ends with this script whatever it started.
set -euo pipefail
cd "$(dirname "$0")/../.."
left_out() {
  echo "test-hosts: skipped: $1"
  exit 0
}
failed() {
  echo "test-hosts: $1" >&2
  tail --lines=40 "$state/snakemake.log" | cut -c1-200 >&2
  exit 1
}

if [[ ${1-} != in-namespaces ]]; then
  [[ $(id -u) -eq 0 ]] || left_out "namespaces need root"
  (($(nproc) > 1)) || left_out "server and generator need a CPU each"
  unshare --net --pid --fork true 2>/dev/null || left_out "no namespaces here"
  profiles/setup/debian.sh iproute2 openssh-client openssh-server ||
    left_out "sshd cannot be installed"
  # A place to mount on.
  mkdir ~/.ssh 2>/dev/null && trap 'rmdir ~/.ssh' EXIT
  unshare --net --pid --fork --kill-child --mount-proc "$0" in-namespaces
  exit
fi

here=10.77.0.1
there=10.77.0.2
results=results/hosts
# Nothing of the machine's own is seen: neither its keys nor its folders of running services.
mount -t tmpfs keys ~/.ssh
mount -t tmpfs run /run
state=/run/test
mkdir /run/sshd "$state"

unshare --net sleep infinity &
other=$!
until [[ $(readlink /proc/$other/ns/net) != $(readlink /proc/self/ns/net) ]]; do sleep 0.05; done
in_other() { nsenter --target "$other" --net "$@"; }
ip link set lo up
ip link add near type veth peer name far netns "$other"
ip addr add "$here/24" dev near
ip link set near up
in_other ip link set lo up
in_other ip addr add "$there/24" dev far
in_other ip link set far up

ssh-keygen -q -t ed25519 -N '' -f "$state/host"
ssh-keygen -q -t ed25519 -N '' -f ~/.ssh/id_ed25519
cp ~/.ssh/id_ed25519.pub "$state/allowed"
echo "$there $(cat "$state/host.pub")" >~/.ssh/known_hosts
cat >"$state/sshd.conf" <<END
ListenAddress $there
HostKey $state/host
AuthorizedKeysFile $state/allowed
PasswordAuthentication no
UsePAM no
StrictModes no
PidFile none
END
# shellcheck source=/dev/null
. .tools/env
# The runtime that JMeter needs is on the path of a command over there.
echo "SetEnv PATH=$PATH:/usr/sbin:/usr/bin:/sbin:/bin" >>"$state/sshd.conf"
in_other /usr/sbin/sshd -D -e -f "$state/sshd.conf" 2>"$state/sshd.log" &

measure() { # measure HOST CELL…
  local cells=("${@:2}")
  cat >"$state/hosts.yaml" <<END
testbed: {generator_host: root@$1, server_address: $here, server_cpus: [0], generator_cpus: [1]}
END
  snakemake --cores 4 --configfile workloads/smoke.yaml "$state/hosts.yaml" \
    --config results="$results" --force -- "${cells[@]/#/$results/cells/}" \
    >"$state/snakemake.log" 2>&1
}
of=request-threads/fixed-pool
cells=("$of"/smoke-waiting/{wrk2,jmeter}/rep-1/cell.json)

rm -rf "$results"
refused() { # refused WHY HOST
  ! measure "$2" "${cells[0]}" || failed "measured, where $1"
  grep --quiet "HostError: testbed.generator_host = 'root@$2': .*$1" "$state/snakemake.log" ||
    failed "no word of: $1"
}
refused "No route to host" 10.77.0.9
mv "$state/allowed" "$state/away"
refused "Permission denied" "$there"
mv "$state/away" "$state/allowed"

measure "$there" "${cells[@]}" || failed "the run failed"
for cell in "${cells[@]}"; do
  python3 - "$results/cells/$cell" <<'END' || failed "$cell is not as it should be"
import json, sys

record = json.load(open(sys.argv[1]))
assert record["outcome"] == "completed", record["outcome_reason"]
assert record["session"]["topology"]["link"] == "veth"
assert record["provenance"]["generator_cpus"] == [1]
assert record["load"]["generator"]["cpu_share"] > 0
assert record["load"]["responses_2xx"] == record["load"]["requests_recorded"] > 0
assert "10.77.0.2" not in json.dumps(record), "a cell names a host"
END
done
left=$(find "${TMPDIR:-/tmp}" -maxdepth 1 -name 'threads-artifact.??????' -newer "$state/host")
[[ -z $left ]] || failed "files are left there: $left"
echo "test-hosts: ${#cells[@]} cells were loaded from another network namespace, by SSH"
