"""Steps that take a known time and hardly any CPU, with real checkpoints: to a scheduler, a training.

    python3 sleep_steps.py --steps 100 --seconds-per-step 0.1
"""

import argparse
import json
import time

import fermata

options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
options.add_argument("--steps", type=int, required=True)
options.add_argument("--seconds-per-step", type=float, default=0.1)
options = options.parse_args()

state = {"steps": 0, "weights": [0.0] * 1000}


def save(path):
    with open(path, "w") as file:
        json.dump(state, file)


def load(path):
    with open(path) as file:
        state.update(json.load(file))


for step in fermata.steps(options.steps, save=save, load=load):
    time.sleep(options.seconds_per_step)
    state["steps"] += 1
    fermata.report(loss=1.0 / (step + 1))

assert state["steps"] == options.steps, "steps were lost or done twice: %d of %d" % (state["steps"], options.steps)
