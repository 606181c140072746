#!/usr/bin/env bash
# A real SLURM controller with two nodes on this machine: two sessions go through the executor, a
# node is lost while it measures, and the run is completed. All happens in namespaces: SLURM
# listens on their loopback only, and with this script the kernel ends whatever it started.
set -euo pipefail
cd "$(dirname "$0")/../.."
left_out() {
  echo "test-slurm: skipped: $1"
  exit 0
}
failed() {
  echo "test-slurm: $1" >&2
  tail --lines=40 "$state/snakemake.log" | cut -c1-200 >&2
  exit 1
}

if [[ ${1-} != in-namespaces ]]; then
  [[ $(id -u) -eq 0 ]] || left_out "namespaces and SLURM's daemons need root"
  unshare --net --uts --pid --fork true 2>/dev/null || left_out "no namespaces here"
  profiles/setup/debian.sh iproute2 munge slurm-client slurmctld slurmd ||
    left_out "SLURM cannot be installed"
  exec unshare --net --uts --pid --fork --kill-child --mount-proc "$0" in-namespaces
fi

# SLURM looks for its configuration here, and the variable that names another place is not passed on
# to the job's second srun.
state=/etc/slurm
results=results/slurm
cells=(request-threads/{fixed-pool,virtual-thread-per-request}/smoke-burst/wrk2/rep-1)
ip link set lo up
# Where there is no other address than 127.0.0.1, SLURM does not find that one either.
ip addr add 10.77.1.1/32 dev lo
hostname localhost
mount -t tmpfs slurm "$state"
mkdir "$state"/{run,log,state,spool} "$state"/spool/n{1,2}
chmod 755 "$state" "$state/run"
cpus=$(nproc)
cat >"$state/slurm.conf" <<END
ClusterName=test
SlurmctldHost=localhost(127.0.0.1)
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$state/run/munge.socket
StateSaveLocation=$state/state
SlurmdSpoolDir=$state/spool/%n
SlurmctldPidFile=$state/run/slurmctld.pid
SlurmdPidFile=$state/run/slurmd.%n.pid
SlurmctldLogFile=$state/log/slurmctld.log
SlurmdLogFile=$state/log/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,sched_min_interval=0,bf_interval=2,batch_sched_delay=0
ReturnToService=2
SlurmdTimeout=15
KillWait=5
MinJobAge=600
NodeName=n1 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17001 CPUs=$cpus RealMemory=3000
NodeName=n2 NodeHostname=localhost NodeAddr=127.0.0.1 Port=17002 CPUs=$cpus RealMemory=3000
PartitionName=test Nodes=n1,n2 Default=YES
END

head --bytes=1024 /dev/urandom >"$state/munge.key"
chmod 400 "$state/munge.key"
munged --key-file="$state/munge.key" --socket="$state/run/munge.socket" --seed-file="$state/seed" \
  --pid-file="$state/run/munged.pid" --log-file="$state/log/munged.log"
slurmctld -i
declare -A node
for name in n1 n2; do
  # A machine of its own as far as processes go: its end is the end of all that runs on it.
  unshare --uts --pid --fork --kill-child --mount-proc \
    sh -c "hostname $name; exec slurmd -D -N $name" >"$state/log/$name" 2>&1 &
  node[$name]=$!
done

wait_until() { # wait_until SECONDS WHAT COMMAND…
  local deadline=$((SECONDS + $1)) what=$2
  shift 2
  until "$@"; do
    ((SECONDS < deadline)) || failed "$what"
    sleep 0.2
  done
}
both_idle() { [[ $(sinfo --noheader --format='%D %T') == "2 idle" ]]; }
wait_until 30 "the nodes did not come up" both_idle

rm -rf "$results"
targets=("${cells[@]/#/$results/cells/}")
snakemake --workflow-profile profiles/slurm --configfile workloads/smoke.yaml \
  --config results="$results" --slurm-init-seconds-before-status-checks 2 \
  "${targets[@]/%//cell.json}" "$results/modes.csv" >"$state/snakemake.log" 2>&1 &
snakemake=$!

measuring() { # the cell whose session loads a server: its log has a line for each slice
  local log
  log=$(grep --files-with-matches --recursive ' round ' "$results/logs/cells" 2>/dev/null | head -1)
  first=${log#"$results/logs/cells/"}
  first=${first%.log}
  [[ -n $first ]] || ! kill -0 "$snakemake" 2>/dev/null
}
wait_until 240 "no session began" measuring
# A job's comment has its rule and its wildcards.
words=${first%/rep-*}
read -r lost job _ < <(squeue --noheader --format='%N %A %k' | grep "measure_cell.*${words//\//_}") || true
[[ -n ${lost-} ]] || failed "no job of $first in the queue"
kill -KILL "${node[$lost]}"
wait "${node[$lost]}" 2>/dev/null || true
echo "test-slurm: node $lost was lost while job $job measured $first"

wait "$snakemake" || failed "the run failed"
restarts=$(scontrol show job "$job" | grep --only-matching 'Restarts=[0-9]*')
[[ $restarts == Restarts=1 ]] || failed "job $job was not run again: $restarts"
[[ $(sinfo --noheader --nodes="$lost" --format=%T) == down* ]] || failed "node $lost is not down"
for cell in "${cells[@]}"; do
  grep --quiet '^ "outcome": "completed"' "$results/cells/$cell/cell.json" ||
    failed "$cell was not measured"
done
left=$(find "$results" -name '*.partial' -o -name 'session-*')
[[ -z $left ]] || failed "files are left: $left"
echo "test-slurm: job $job ran again on the other node; both cells are measured"
