#!/bin/bash
# cluster.sh FOLDER NODES PORT: a Slurm of an ordinary user on loopback, with NODES fake nodes of 8 GPUs in two racks.
#
# Prints "ready", then reads commands from standard input: "stop ctld", "start ctld", "stop NODE", "start NODE"; each is answered by "done".
# At the end of input, so also when the process that holds the other end is killed, everything is ended.
set -u
folder=$1 nodes=$2 port=$3
export SLURM_CONF=$folder/slurm.conf PATH=$PATH:/usr/sbin:/sbin
mkdir -p "$folder"/{state,spool,run,log}
host=$(hostname -s 2>/dev/null || cat /proc/sys/kernel/hostname)
half=$((nodes / 2))
devices='/dev/tty[0-7]'
if [[ ! -c /dev/tty7 ]]; then # no consoles here: null devices, which need root
    mkdir -p "$folder/dev"
    for i in {0..7}; do mknod "$folder/dev/gpu$i" c 1 3 || exit 1; done
    devices="$folder/dev/gpu[0-7]"
fi
cat >"$folder/slurm.conf" <<CONF
ClusterName=fermatatest
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$port
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
AuthType=auth/none
CredType=cred/none
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool/%n
SlurmctldPidFile=$folder/run/ctld.pid
SlurmdPidFile=$folder/run/%n.pid
SlurmctldLogFile=$folder/log/ctld.log
SlurmdLogFile=$folder/log/%n.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=1
SlurmdTimeout=10
KillWait=2
MinJobAge=${MIN_JOB_AGE:-300}
MessageTimeout=5
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1,bf_interval=2,sched_min_interval=0,batch_sched_delay=0,default_queue_depth=1000
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
TopologyPlugin=topology/tree
GresTypes=gpu
NodeName=g[1-$nodes] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$((port + 1))-$((port + nodes))] CPUs=64 RealMemory=512000 Gres=gpu:h100:8
PartitionName=main Nodes=ALL Default=YES MaxTime=INFINITE State=UP
CONF
printf 'AutoDetect=off\nNodeName=g[1-%s] Name=gpu Type=h100 File=%s\n' "$nodes" "$devices" >"$folder/gres.conf"
printf 'SwitchName=r1 Nodes=g[1-%s]\nSwitchName=r2 Nodes=g[%s-%s]\nSwitchName=top Switches=r1,r2\n' "$half" "$((half + 1))" "$nodes" >"$folder/topology.conf"
echo CgroupAutomount=no >"$folder/cgroup.conf"

# Processes of this Slurm: daemons, step daemons and jobs know its configuration by their environment.
members() {
    grep -lasFxz "SLURM_CONF=$SLURM_CONF" /proc/[0-9]*/environ 2>/dev/null | tr -dc '0-9\n' | grep -vx "$$"
}

start() {
    if [[ $1 == ctld ]]; then
        slurmctld -D </dev/null >>"$folder/log/ctld.out" 2>&1 &
    else
        slurmd -D -N "$1" </dev/null >>"$folder/log/$1.out" 2>&1 &
    fi
    pids[$1]=$!
}

finish() {
    local i
    for i in {1..50}; do
        left=$(members)
        [[ -n $left ]] || break
        # shellcheck disable=SC2086 # a list of pids
        kill -KILL $left 2>/dev/null
        sleep 0.05
    done
    rm -rf "$folder"
}
trap finish EXIT
trap 'exit 1' TERM INT HUP

declare -A pids
start ctld
for ((i = 1; i <= nodes; i++)); do start "g$i"; done
for ((tries = 0; tries < 600; tries++)); do
    up=$(sinfo --noheader --Node --format=%T 2>/dev/null | grep -cx idle)
    [[ $up == "$nodes" ]] && break
    sleep 0.1
done
if [[ $up != "$nodes" ]]; then
    tail -n 5 "$folder"/log/*.out >&2
    exit 1
fi
echo ready
while read -r verb what; do
    case $verb in
    stop) kill -KILL "${pids[$what]}" && wait "${pids[$what]}" 2>/dev/null ;;
    start) start "$what" ;;
    esac
    echo done
done
