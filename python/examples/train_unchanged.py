"""Trains without the helper: all it knows of Fermata is a signal and a folder. Usage: train_unchanged.py [STEPS [SECONDS]]"""

import json
import os
import signal
import sys
import time

steps = int(sys.argv[1]) if len(sys.argv) > 1 else 300
seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 0.05
checkpoint = os.path.join(os.environ.get("FERMATA_CHECKPOINT_DIR", "."), "state.json")
asked = False


def ask(number, frame):
    global asked
    asked = True


signal.signal(signal.SIGTERM, ask)

# Fits y = 3x + 2 by gradient descent.
state = {"step": 0, "slope": 0.0, "offset": 0.0}
if os.path.exists(checkpoint):
    with open(checkpoint) as file:
        state = json.load(file)

points = [(i / 50, 3 * i / 50 + 2) for i in range(100)]
while state["step"] < steps and not asked:
    errors = [(state["slope"] * x + state["offset"] - y, x) for x, y in points]
    state["slope"] -= 0.2 * sum(error * x for error, x in errors) / len(points)
    state["offset"] -= 0.2 * sum(error for error, _ in errors) / len(points)
    loss = sum(error * error for error, _ in errors) / len(points)
    print("step %d loss %.6f" % (state["step"], loss), flush=True)
    state["step"] += 1
    time.sleep(seconds)

# Written to another file and renamed: a kill in the middle leaves the old one.
with open(checkpoint + ".new", "w") as file:
    json.dump(state, file)
    file.flush()
    os.fsync(file.fileno())
os.replace(checkpoint + ".new", checkpoint)
print("finished: loss %r" % loss if not asked else "saved at step %d" % state["step"], flush=True)
