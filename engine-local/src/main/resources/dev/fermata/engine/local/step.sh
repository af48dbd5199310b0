#!/bin/sh
# Executes the job's command under the job's account. FOLDER/env, written by the daemon for this user alone, sets the
# variables, the working directory and the command: its values are quoted, so that none of them is interpreted.

folder=$1 rank=$2
umask 022
cd -- "$folder" || exit 125
. ./env || exit 125
if [ "$fermata_ranks" -gt 1 ]; then
    export RANK="$rank" LOCAL_RANK="$rank"
    [ "$fermata_batch" -eq 0 ] || export SLURM_PROCID="$rank" SLURM_LOCALID="$rank" SLURM_NODEID=0
fi
[ -d "$FERMATA_CHECKPOINT_DIR" ] || mkdir -p -- "$FERMATA_CHECKPOINT_DIR" || exit 125
if ! cd -- "$fermata_workdir"; then
    echo "fermata: cannot enter the working directory $fermata_workdir" >&2
    exit 125
fi
if [ -n "$fermata_script" ]; then
    exec "$fermata_script"
fi
exec /bin/sh -c "$fermata_command"
