"""A training script as small as one can be, driven by the tests: its state is a number that depends on every step it took.

Tests control it by environment variables and read its stdout. TRAIL is a file to which it appends every step it did.
"""

import json
import os
import random
import signal
import sys
import threading
import time

import fermata

TOTAL = int(os.environ.get("TOTAL", "20"))
EVERY = os.environ.get("EVERY")
KICK = os.environ.get("KICK", "")  # where it signals itself: "load", "save", "STEP", "STEP twice", "before"
PAD = int(os.environ.get("PAD", "0"))  # bytes to make checkpoints larger
STEP_SECONDS = float(os.environ.get("STEP_SECONDS", "0"))
RANKS = os.environ.get("SAVED_BY", "first")

number = signal.Signals["SIG" + (os.environ.get("FERMATA_SIGNAL") or "TERM")]
state = {"value": 1, "random": random.Random(7).getstate()}
rng = random.Random(7)


def kick():
    # To the main thread, as a signal from outside goes.
    signal.pthread_kill(threading.main_thread().ident, number)


def save(path):
    if KICK == "save":
        kick()
    if PAD and os.environ.get("AS_FOLDER"):
        os.mkdir(path)
        with open(os.path.join(path, "padding"), "wb") as file:
            file.write(os.urandom(PAD))
        path = os.path.join(path, "state.json")
    with open(path, "w") as file:
        json.dump({"value": state["value"], "random": rng.getstate(), "padding": "x" * PAD}, file)


def load(path):
    if KICK == "load":
        kick()
    with open(os.path.join(path, "state.json") if os.path.isdir(path) else path) as file:
        read = json.load(file)
    state["value"] = read["value"]
    version, numbers, gauss = read["random"]
    rng.setstate((version, tuple(numbers), gauss))


def train():
    if KICK == "before":
        fermata.listen()
        kick()
    try:
        every = int(EVERY) if EVERY and EVERY.isdigit() else EVERY
        for step in fermata.steps(TOTAL, save=save, load=load, every=every, ranks=RANKS):
            if KICK.split(" ")[0] == str(step):
                kick()
            if KICK == "%d twice" % step:
                kick()
            state["value"] = (state["value"] * 31 + rng.randrange(1000) + step) % 1000003
            fermata.report(loss=state["value"])
            if "TRAIL" in os.environ:
                with open(os.environ["TRAIL"], "a") as trail:
                    trail.write("%d\n" % step)
            time.sleep(STEP_SECONDS)
        print("value", state["value"], flush=True)
    finally:
        print("finally", flush=True)


if os.environ.get("THREAD"):
    if os.environ["THREAD"] == "listening":
        fermata.listen()
    worker = threading.Thread(target=train)
    worker.start()
    worker.join()
    sys.exit(fermata.PAUSED if fermata.pause_requested() else 0)
train()
