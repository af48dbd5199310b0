#!/bin/sh
#SBATCH -J "my job" -p gpu,long
#SBATCH -N 1-2 --gres=gpu:a100:4,tmp:100
#SBATCH -n 4 -c2 -t 1-12
#SBATCH -d afterok:10:11,afterany:12,afternotok:13,singleton
#SBATCH -H --nice=50
#SBATCH -D /data/run
#SBATCH --export=NONE,LR=1e-4,SEED
#SBATCH --no-requeue
#SBATCH --mem-per-cpu=2000
#SBATCH --mail-type=END --exclusive
#SBATCH --partiton=wrong
#SBATCH stray
## a remark, and no directive:
##SBATCH --hold
torchrun --nproc-per-node=4 train.py
#SBATCH --time=5
