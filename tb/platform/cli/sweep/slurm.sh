#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A sweep of 60 runs on a cluster of two nodes on this machine, one of which dies in the middle: all runs are there once.
# It needs root, and Debian's slurmctld, slurmd, slurm-client and munge; without them it is skipped (exit code 77).
for tool in slurmctld slurmd sbatch squeue scontrol munged mungekey; do
    command -v $tool >/dev/null || { echo "no $tool"; exit 77; }
done
[ "$(id -u)" = 0 ] || { echo 'not root'; exit 77; }
. "$(dirname "$0")/../lib.sh"
count() { sqlite3 "$MEMPATH_DB" "$1"; }

# ---- the cluster ----
pids=
started() { pids="$pids $!"; }
end_cluster() {
    scancel -u root 2>/dev/null && sleep 1 # tasks are no children of this test
    for pid in $pids; do kill -9 "$pid" 2>/dev/null; done
    rm -rf "$work"
}
trap end_cluster EXIT
chmod 755 "$work"
mkdir -m 755 munge state spool1 spool2
mungekey -c -k munge/key >/dev/null 2>&1 || wrong 'no key for munge'
munged --force --foreground --key-file "$work/munge/key" --socket "$work/munge/socket" --pid-file "$work/munge/pid" \
    --log-file "$work/munge/log" --seed-file "$work/munge/seed" >munge/out 2>&1 &
started
base=$((20000 + $$ % 20000))
host=$(uname -n | cut -d. -f1)
cat >slurm.conf <<CONF
ClusterName=test
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$base
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket=$work/munge/socket,cred_expire=5
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
StateSaveLocation=$work/state
SlurmdSpoolDir=$work/spool%n
SlurmctldPidFile=$work/slurmctld.pid
SlurmdPidFile=$work/slurmd.%n.pid
SlurmctldLogFile=$work/slurmctld.log
SlurmdLogFile=$work/slurmd.%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,bf_interval=1,batch_sched_delay=1
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
MpiDefault=none
JobRequeue=1
ReturnToService=2
SlurmdTimeout=10
SlurmdParameters=config_overrides
NodeName=1 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 1)) CPUs=2
NodeName=2 NodeHostname=$host NodeAddr=127.0.0.1 Port=$((base + 2)) CPUs=2
PartitionName=all Nodes=1,2 Default=YES MaxTime=INFINITE State=UP LLN=YES
CONF
SLURM_CONF=$work/slurm.conf
export SLURM_CONF
until [ -S munge/socket ]; do sleep 0.1; done
slurmctld -D -c -i >ctld.out 2>&1 &
started
slurmd -D -N 1 >slurmd1.out 2>&1 &
node1=$!
started
slurmd -D -N 2 >slurmd2.out 2>&1 &
started
for _ in $(seq 100); do
    [ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] && break
    sleep 0.2
done
[ "$(sinfo -h -t idle -o %D 2>/dev/null)" = 2 ] || {
    tail -n 5 slurmctld.log slurmd.*.log ctld.out >&2
    wrong 'the cluster does not come up'
}

# ---- the sweep ----
cat >s.yaml <<'YAML'
experiments: [star-a100-mig]
workloads:
  one: [{app: NW, size: small, slices: 3}]
parameters:
  l3_tlb.latency: {from: 30, to: 620, step: 10}
YAML
"$mempath" sweep s.yaml --slurm --quiet >submitted 2>err || wrong "not submitted: $(cat err)"
grep -q '60 missing; the same command goes on' submitted || wrong "submitted: $(cat submitted)"
grep -q '^job [0-9]*: 0 tasks running, 60 waiting' submitted || wrong "submitted: $(cat submitted)"

# The node dies with its tasks, and slurmctld learns nothing of it.
parts() { find results.db.s.slurm/parts -name '*.db' | wc -l; }
tasks_of_node_1() { # their processes, each with its parent, which may be a slurmstepd
    # shellcheck disable=SC2046 # a list of files
    grep -slzx 'SLURMD_NODENAME=1' $(grep -slz "^SLURM_CONF=$work/" /proc/[0-9]*/environ) /dev/null |
        tr -cd '0-9\n' | sed 's/$/,/' | tr -d '\n' | sed 's/,$//' >mine
    [ ! -s mine ] || ps -o pid=,ppid= -p "$(cat mine)" | tr -s ' ' '\n' | sed '/^$/d' | sort -u |
        grep -vx "$node1" | tr '\n' ' '
}
# Stops the tasks of node 1: true if one is in the middle of its run.
stop_tasks() {
    victims=$(tasks_of_node_1)
    [ -n "$victims" ] || return 1
    # shellcheck disable=SC2086 # a list of numbers
    kill -STOP $victims 2>/dev/null
    # shellcheck disable=SC2086
    if ps -o args= -p $victims | grep -q 'sweep .*--only'; then return 0; fi
    # shellcheck disable=SC2086
    kill -CONT $victims 2>/dev/null
    return 1
}
died=
until [ -n "$died" ] || [ "$(parts)" -ge 60 ]; do
    if [ "$(parts)" -ge 6 ] && stop_tasks; then
        died=1
        # shellcheck disable=SC2086
        kill -9 "$node1" $victims
    fi
    sleep 0.05
done
[ -n "$died" ] || wrong 'all runs ended before the node died'
echo "node 1 died, with $(parts) of 60 parts there"

# The same command collects and waits.
expect 0 sweep s.yaml --slurm --wait --quiet --json
json "json_extract(j, '\$.found')" 60
[ "$(count "SELECT count(*) FROM run WHERE status = 'done'")" = 60 ] ||
    wrong "not 60 runs: $(count "SELECT config_hash, count(*), group_concat(started) FROM run GROUP BY 1 HAVING count(*) > 1" | tr '\n' ';')"
[ "$(count "SELECT count(DISTINCT config_hash) FROM run WHERE status = 'done'")" = 60 ] || wrong 'not 60 different runs'
restarted=$(grep -c 'Requeue\|requeue' slurmctld.log)
[ "$restarted" -ge 1 ] || wrong 'no task was requeued'
expect 0 sweep s.yaml --slurm --quiet
says '60 runs: 0 done, 60 were in'
[ "$(parts)" = 0 ] || wrong 'parts are left'
finished
