#!/bin/sh
# Supervises an attempt on a node of Slurm, under the account of the job.
#
#   attempt.sh FOLDER batch   the batch script of the Slurm job: claims the attempt, then executes the command, or srun
#   attempt.sh FOLDER rank    one rank that srun starts
#
# FOLDER is on storage that all nodes share. The protocol (docs/operator/engine-slurm.md):
#   plan, env     written by the daemon: what to execute, and its variables; values are quoted
#   claim/        made by one mkdir, whose caller owns the attempt; a second Slurm job for the same attempt exits at once
#   claim/job     the id of the Slurm job that owns it
#   begun         when the command began, in milliseconds
#   exit-request  written by the daemon before it signals: the grace time in seconds, and the job's signal
#   signalled-N   1 if a process handled the signal, else 0; by the script that forwarded it
#   killed        what was left after the grace time was killed
#   exit          the exit code, written last
# The daemon sends URG, which programs ignore, and this script sends the job's signal to those of its processes that handle
# it: Slurm would send it to all, and a shell between Slurm and the program would end and take the program with it.

folder=$1 mode=$2
received= child= deadline=
trap 'on_signal TERM' TERM
trap 'on_signal request' URG

on_signal() {
    received=$1
    [ -z "$child" ] || forward "$1"
}

umask 077
cd -- "$folder" || exit 125
fermata_marker= fermata_command= fermata_script= fermata_workdir= fermata_ranks=0 fermata_nodes=1 fermata_supervisor=
. ./plan || exit 125
if [ "$mode" = batch ]; then
    if ! mkdir claim 2>/dev/null; then
        echo "fermata: another Slurm job owns this attempt" >&2
        exit 125
    fi
    echo "$SLURM_JOB_ID" >claim/job.new && mv claim/job.new claim/job
    part=0
else
    part=$SLURM_PROCID
fi

# Writes a small file as a whole.
record() {
    echo "$2" >"$1.new" && mv "$1.new" "$1"
}

# Whether this script starts the command, rather than srun.
executes() {
    [ "$mode" = rank ] || [ "$fermata_ranks" -eq 0 ]
}

# Sets $members to the processes of this part of the attempt, found by their environment. What a script starts by an srun
# of its own has a step, and gets its signals from Slurm.
find_members() {
    members=
    for environ in $(grep -lasFxz "FERMATA_PART=$fermata_marker/$part" /proc/[0-9]*/environ 2>/dev/null); do
        [ "$mode" = rank ] || ! grep -qasz '^SLURM_STEP_ID=' "$environ" || continue
        pid=${environ#/proc/}
        members="$members ${pid%/environ}"
    done
}

# Whether process $1 handles signal $2; srun passes signals on by itself.
handles() {
    caught= name=
    while read -r key value _; do
        case $key in
        Name:) name=$value ;;
        SigCgt:) caught=$value ;;
        esac
    done 2>/dev/null <"/proc/$1/status"
    [ -n "$caught" ] && [ "$name" != srun ] || return 1
    [ $((0x${caught#????????} >> ($2 - 1) & 1)) -eq 1 ]
}

forward() {
    executes || return 0 # the ranks get it from Slurm
    signal=$1
    grace=
    read -r grace requested 2>/dev/null <exit-request || :
    [ "$signal" != request ] || signal=${requested:-TERM}
    start_deadline
    case $signal in
    INT) number=2 ;;
    USR1) number=10 ;;
    USR2) number=12 ;;
    *) number=15 ;;
    esac
    find_members
    tries=0
    while [ -z "$members" ] && [ "$tries" -lt 50 ] && kill -0 "$child" 2>/dev/null; do
        sleep 0.1 # the command is about to begin
        tries=$((tries + 1))
        find_members
    done
    listeners=
    for pid in $members; do
        if handles "$pid" "$number"; then listeners="$listeners $pid"; fi
    done
    # shellcheck disable=SC2086 # lists of pids
    if [ -n "$listeners" ]; then
        record "signalled-$part" 1
        kill -s "$signal" $listeners 2>/dev/null
    elif [ -n "$members" ]; then
        record "signalled-$part" 0
        kill -s "$signal" $members 2>/dev/null
    fi
}

# Kills what is left of this part when the grace time of the request is over, also when no daemon runs any more.
start_deadline() {
    [ -z "$deadline" ] && [ -n "$grace" ] || return 0
    (
        trap - TERM URG
        sleep "$grace"
        find_members
        if [ -n "$members" ]; then
            : >killed
            # shellcheck disable=SC2086 # a list of pids
            kill -s KILL $members 2>/dev/null
        fi
    ) &
    deadline=$!
}

execute() {
    trap - TERM URG
    umask 022
    . ./env || exit 125
    if [ "$mode" = rank ]; then
        while read -r rank node_rank local_rank world; do
            if [ "$rank" = "$part" ]; then
                export RANK="$rank" NODE_RANK="$node_rank" LOCAL_RANK="$local_rank" LOCAL_WORLD_SIZE="$world"
            fi
        done <ranks
    fi
    export FERMATA_PART="$fermata_marker/$part"
    [ -d "$FERMATA_CHECKPOINT_DIR" ] || mkdir -p -- "$FERMATA_CHECKPOINT_DIR" || exit 125
    if ! cd -- "$fermata_workdir"; then
        echo "fermata: cannot enter the working directory $fermata_workdir" >&2
        exit 125
    fi
    [ -z "$fermata_script" ] || exec "$fermata_script"
    exec /bin/sh -c "$fermata_command"
}

start_ranks() {
    trap - TERM URG
    # Every rank sees all GPUs of its node, as with any other engine.
    unset SLURM_GPUS_PER_TASK SLURM_GPU_BIND SLURM_NTASKS_PER_NODE SLURM_NTASKS SLURM_NPROCS
    export SLURM_HOSTFILE="$folder/hosts"
    exec srun --ntasks="$fermata_ranks" --nodes="$fermata_nodes" --distribution=arbitrary --overcommit \
        --kill-on-bad-exit=1 --output="$folder/stdout-%t.0" --error="$folder/stderr-%t.0" \
        /bin/sh "$fermata_supervisor" "$folder" rank
}

code=143 # it got a signal before its command began
if [ -z "$received" ]; then
    [ "$mode" = rank ] || record begun "$(date +%s%3N)"
    if executes; then execute & else start_ranks & fi
    child=$!
    [ -z "$received" ] || forward "$received"
    while kill -0 "$child" 2>/dev/null; do
        wait "$child" # a signal ends the wait before the child has ended
        code=$?
    done
fi

# Processes that got the signal keep their grace time, though the command has ended.
if [ -n "$deadline" ]; then
    find_members
    while [ -n "$members" ] && kill -0 "$deadline" 2>/dev/null; do
        sleep 0.2
        find_members
    done
    kill "$deadline" 2>/dev/null
fi
[ "$mode" = rank ] || record exit "$code"
exit "$code"
