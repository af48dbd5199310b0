#!/bin/sh
# The shim: supervises one attempt of a job, and outlives the daemon that started it.
#
#   shim.sh FOLDER STEP RANKS UID GID DATA_KIB CHUNK FIRST LAST
#
# Everything about the job is in files of FOLDER, never in this text. The arguments are numbers, except for the folder and
# for STEP, the script that executes the job. UID is - when the job runs under the account of this process.
#
# The protocol, in this order (docs/operator/engine-local.md):
#   pid        written first: the pid and start time of this shim, so that a reused pid is never mistaken for it
#   claim/     created by one mkdir, whose caller owns the attempt: this shim, or a daemon that found no live shim. If the
#              daemon was first, this shim exits.
#   job        a line for each rank: its number, pid and start time; each rank leads its own session
#   exit       the exit code, written in place into an existing file: a full disk cannot lose it
# The daemon reads standard output until "running". A daemon that adopts this attempt opens alive, a pipe that only the shim
# holds open for writing, and reads the end of file when the shim has exited, however it did.

folder=$1 step=$2 ranks=$3 uid=$4 gid=$5 data=$6 chunk=$7 first=$8 last=$9

umask 077
cd -- "$folder" || exit 125
trap : PIPE # the daemon may be gone; caught, not ignored, so that the job starts with the default

# Sets $start to the start time of a process, field 22 of its stat; the name in field 2 may hold spaces and brackets.
start_of() {
    start=
    read -r stat 2>/dev/null <"/proc/$1/stat" || return 0
    set -f
    # shellcheck disable=SC2086 # split into fields
    set -- ${stat##*) }
    start=${20}
}

# Sets $bytes to the number of bytes that dd reports as copied; 0 when it failed before.
bytes_of() {
    bytes=${1##*records out}
    bytes=${bytes%% byte*}
    bytes=${bytes#?}
    case $bytes in
    '' | *[!0-9]*) bytes=0 ;;
    esac
}

# Copies standard input into files named STREAM.OFFSET, and keeps the first and the last of them: at most
# (first + last + 1) files of little more than chunk bytes. A job never waits for a full disk: output that cannot be written
# is dropped, and the next file's offset shows the gap.
collect() {
    stream=$1
    shift # from here on the arguments are the offsets of the last files, oldest first
    begin=0 size=0 heads=0 blocks=$((chunk / 32768))
    [ "$blocks" -gt 0 ] || blocks=1
    while :; do
        copied=$(LC_ALL=C dd bs=8k count="$blocks" 2>&1 >>"$stream.$begin")
        status=$?
        case $copied in
        *'records in'*) ;;
        *) exec cat >/dev/null ;; # the folder is gone
        esac
        bytes_of "$copied"
        size=$((size + bytes))
        if [ "$status" -ne 0 ]; then
            copied=$(LC_ALL=C dd bs=8k count="$blocks" 2>&1 >/dev/null)
            bytes_of "$copied"
            [ "$bytes" -gt 0 ] || break
            lost=$bytes
        elif [ "$bytes" -eq 0 ]; then
            break
        elif [ "$size" -ge "$chunk" ]; then
            lost=0
        else
            continue
        fi
        if [ "$heads" -lt "$first" ]; then
            heads=$((heads + 1))
        else
            set -- "$@" "$begin"
            if [ $# -gt "$last" ]; then
                rm -f -- "$stream.$1"
                shift
            fi
        fi
        begin=$((begin + size + lost)) size=0
    done
    [ "$size" -gt 0 ] || [ "$begin" -eq 0 ] || rm -f -- "$stream.$begin"
}

# Joins the control groups of the attempt. In brackets a test; without them the process cannot run outside its limits.
join() {
    [ -s cgroups ] || return 0
    while read -r group; do
        echo 0 2>/dev/null >"$group/cgroup.procs" || return 1
    done <cgroups
}

# Executes the job: joins its control groups while it may, sets its limits, leads a new session, and drops every privilege
# that its user does not have, for good. When memory is short, the kernel ends a job before the daemon.
become() {
    join || exit 125
    echo 500 2>/dev/null >/proc/self/oom_score_adj
    [ "$data" -eq 0 ] || ulimit -d "$data"
    if [ "$uid" = - ]; then
        exec setsid /bin/sh "$step" "$folder" "$1"
    fi
    exec setsid setpriv --reuid="$uid" --regid="$gid" --init-groups --inh-caps=-all --no-new-privs \
        /bin/sh "$step" "$folder" "$1"
}

# Starts a rank; its pid is then in $!. Streams and pipes carry the rank's number when there are several.
launch() {
    part=
    [ "$ranks" -eq 1 ] || part=-$1
    # In brackets, because a shell that redirects a function keeps copies of closed descriptors; no other process may hold alive open.
    (collect "stdout$part") <"out$part" >/dev/null 2>&1 7>&- 8>&- 9>&- &
    (collect "stderr$part") <"err$part" >/dev/null 2>&1 7>&- 8>&- 9>&- &
    (become "$1") </dev/null >"out$part" 2>"err$part" 7>&- 8>&- 9>&- &
}

# Waits for a rank, then kills the rest of its process group, unless the daemon requested its exit: then the group keeps its
# grace time. Sets $code.
await() {
    wait "$1"
    code=$?
    [ -e exit-request ] || kill -s KILL -- "-$1" 2>/dev/null
}

# Ends the remaining ranks: TERM first, KILL ten seconds later.
end_others() {
    while read -r _ pid _; do
        kill -s TERM -- "-$pid" 2>/dev/null
    done <job
    (
        sleep 10
        while read -r _ pid _; do
            kill -s KILL -- "-$pid" 2>/dev/null
        done <job
    ) >/dev/null 2>&1 7>&- 8>&- 9>&- &
}

start_of $$
echo "$$ $start" >pid || exit 125
mkdir claim 2>/dev/null || exit 0
(join) || {
    echo "it cannot join its control groups" >&2
    exit 125
}
pipes=alive
n=0
while [ "$n" -lt "$ranks" ]; do
    part=
    [ "$ranks" -eq 1 ] || part=-$n
    pipes="$pipes out$part err$part"
    n=$((n + 1))
done
# shellcheck disable=SC2086 # fixed names
mkfifo $pipes || exit 125
# shellcheck disable=SC2086 # a job that opens /dev/stderr opens its pipe again, under its own account
[ "$uid" = - ] || chown "$uid" ${pipes#alive} || exit 125
exec 8<>alive 9<>exit

if [ "$ranks" -eq 1 ]; then
    launch 0
    start_of "$!"
    echo "0 $! $start" >job
    echo running
    exec >/dev/null
    await "$!"
else
    # POSIX shells cannot wait for the first child to exit, so each rank has a waiter that writes its code to a pipe.
    mkfifo ends
    exec 7<>ends
    n=0
    while [ "$n" -lt "$ranks" ]; do
        (
            launch "$n"
            start_of "$!"
            echo "$n $! $start" >>job
            await "$!"
            echo "$code" >&7
        ) >/dev/null 8>&- 9>&- &
        n=$((n + 1))
    done
    echo running
    exec >/dev/null
    result=0
    while [ "$n" -gt 0 ]; do
        read -r code <&7
        n=$((n - 1))
        if [ "$code" -ne 0 ] && [ "$result" -eq 0 ]; then
            result=$code
            [ "$n" -eq 0 ] || [ -e exit-request ] || end_others
        fi
    done
    code=$result
fi

printf '%-15s\n' "$code" >&9
exit "$code"
