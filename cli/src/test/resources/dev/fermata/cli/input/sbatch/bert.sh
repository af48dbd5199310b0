#!/bin/bash
#SBATCH --job-name=bert
#SBATCH --partition=train
#SBATCH --nodes=2 --gpus-per-node=8 --cpus-per-task=12 --mem=200G   # two whole machines
#SBATCH --time=12:00:00
#SBATCH --requeue --signal=B:USR1@120
#SBATCH --switches=1@00:10:00
#SBATCH --array=0-31%4
#SBATCH --output=%x-%j.out

srun python train.py
