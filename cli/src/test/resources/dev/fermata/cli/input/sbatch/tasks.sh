#!/bin/bash
#SBATCH --ntasks=8 --gpus-per-task=1 --cpus-per-gpu=6 --mem-per-gpu=48G
#SBATCH --time=UNLIMITED
#SBATCH --signal=HUP@300
#SBATCH --export=ALL
#SBATCH --begin=now+1hour --constraint=h100 --comment="try it" --wait
#SBATCH --switches=2
python -m train
