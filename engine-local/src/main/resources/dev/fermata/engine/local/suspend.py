"""Suspends and resumes CUDA processes from outside: the checkpoint calls of NVIDIA's driver (570 or later).

suspend.py probe                      whether this machine can; answers {"able": true} or a reason
suspend.py state PID...               what each process is: none (no CUDA), running, locked, suspended, failed
suspend.py suspend MILLIS MAX PID...  locks every CUDA process among them, then suspends all; undoes what it did when one refuses
suspend.py resume PID...              restores and unlocks, in reverse order, whatever each process still needs

Prints able, or why not, and exits with 0 (state: JSON); a crash or a signal leaves each process in a state that the next call sees and repairs.
Nothing is kept here: the driver knows the state of each process.
"""

import ctypes
import json
import sys
import time

STATES = {0: "running", 1: "locked", 2: "suspended", 3: "failed"}
CALLS = ("Lock", "Checkpoint", "Restore", "Unlock", "GetState")


class LockArgs(ctypes.Structure):
    _fields_ = [("timeoutMs", ctypes.c_uint), ("reserved0", ctypes.c_uint), ("reserved1", ctypes.c_uint64 * 7)]


class Refused(Exception):
    def __init__(self, step, pid, result):
        self.answer = {"able": False, "step": step, "pid": pid, "result": result}


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.missing = ["cuCheckpointProcess" + call for call in CALLS if not hasattr(self.library, "cuCheckpointProcess" + call)]

    def version(self):
        version = ctypes.c_int()
        self.library.cuDriverGetVersion(ctypes.byref(version))
        return version.value

    def begin(self):
        return self.library.cuInit(0)

    def call(self, name, pid, arguments=None):
        function = getattr(self.library, "cuCheckpointProcess" + name)
        return function(ctypes.c_int(pid), ctypes.byref(arguments) if arguments is not None else None)

    def state(self, pid):
        state = ctypes.c_int(-1)
        result = self.library.cuCheckpointProcessGetState(ctypes.c_int(pid), ctypes.byref(state))
        return "none" if result else STATES.get(state.value, "failed")

    def lock(self, pid, millis):
        return self.call("Lock", pid, LockArgs(timeoutMs=millis))


def probe(driver):
    if driver.missing:
        return {"able": False, "reason": "the driver has no %s; version 570 or later is needed" % driver.missing[0]}
    return {"able": True, "cuda": driver.version()}


def resume(driver, pids):
    """Does what each process still needs; safe to repeat."""
    refused = None
    for wanted, name in (("suspended", "Restore"), ("locked", "Unlock")):
        for pid in reversed(pids):
            if driver.state(pid) == wanted:
                result = driver.call(name, pid)
                if result and refused is None:
                    refused = Refused(name.lower(), pid, result)
    if refused is not None:
        raise refused


def suspend(driver, millis, most, pids):
    """All or none: also after a crash, when some are locked or suspended already."""
    cuda = [pid for pid in pids if driver.state(pid) != "none"]
    if len(cuda) > most:
        raise Refused("count", cuda[0], len(cuda))
    try:
        for pid in cuda:
            if driver.state(pid) == "running":
                result = driver.lock(pid, millis)
                if result:
                    raise Refused("lock", pid, result)
        for pid in cuda:
            if driver.state(pid) == "locked":
                result = driver.call("Checkpoint", pid)
                if result:
                    raise Refused("checkpoint", pid, result)
    except Refused:
        resume(driver, cuda)
        raise
    return cuda


def main(words):
    began = time.monotonic()
    try:
        driver = Driver()
    except OSError as trouble:
        return {"able": False, "reason": "no NVIDIA driver: %s" % trouble}
    found = probe(driver)
    if words[0] == "probe" or not found["able"]:
        return found
    try:
        if words[0] == "state":
            return {"able": True, "states": {pid: driver.state(int(pid)) for pid in words[1:]}}
        if words[0] == "suspend":
            pids = suspend(driver, int(words[1]), int(words[2]), [int(pid) for pid in words[3:]])
        else:
            pids = [int(pid) for pid in words[1:]]
            resume(driver, pids)
    except Refused as refused:
        return refused.answer
    return {"able": True, "pids": pids, "millis": round(1000 * (time.monotonic() - began))}


if __name__ == "__main__":
    answer = main(sys.argv[1:])
    if "-v" in sys.argv or answer.get("states"):
        print(json.dumps(answer), flush=True)
    elif answer["able"]:
        print("able", flush=True)
    else:
        print(answer.get("reason") or "the driver answers %(result)s to %(step)s of pid %(pid)s" % answer, flush=True)
