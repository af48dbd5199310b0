"""Suspends and resumes CUDA processes from outside: the checkpoint calls of NVIDIA's driver (570 or later).

suspend.py probe                                  whether this machine can
suspend.py state PID...                           what each process is: none (no CUDA), running, locked, suspended, failed
suspend.py suspend MILLIS MAX ROOM GPUS PID...    locks every CUDA process among them, then suspends all; or undoes what it did
suspend.py resume PID...                          restores and unlocks, in reverse order, whatever each process still needs

MAX is how many CUDA processes there may be: processes that share CUDA memory are suspended without an error and can never be
restored, and no call tells. GPUS are the numbers of their GPUs, "-" for unknown. Where ROOM MiB (-1 for none) are free there, the
processes are only locked: they use no GPU then, and their memory stays there until this is called again without ROOM.

Prints "able" or "locked FREE_MIB", and the CUDA processes after it, or "not now: WHY", or "never: WHY" for a program that can never be suspended; state
prints JSON. A crash or a signal leaves each process in a state that the next call sees and repairs. Nothing is kept here: the
driver knows the state of each process.
"""

import ctypes
import json
import sys
import time

STATES = {0: "running", 1: "locked", 2: "suspended", 3: "failed"}
CALLS = ("Lock", "Checkpoint", "Restore", "Unlock", "GetState")
NOT_SUPPORTED = 801
MIB = 2**20
COUNT_SECONDS = 1.5
SPARE_MIB = 1024


class LockArgs(ctypes.Structure):
    _fields_ = [("timeoutMs", ctypes.c_uint), ("reserved0", ctypes.c_uint), ("reserved1", ctypes.c_uint64 * 7)]


class MemoryInfo(ctypes.Structure):
    _fields_ = [("total", ctypes.c_ulonglong), ("free", ctypes.c_ulonglong), ("used", ctypes.c_ulonglong)]


class Refused(Exception):
    def __init__(self, why, lasting=False):
        super().__init__(why)
        self.lasting = lasting


def refusal(step, pid, result):
    why = "the driver answers %d to %s of pid %d" % (result, step, pid)
    return Refused(why + ": managed memory and MPS are not supported" if result == NOT_SUPPORTED else why, result == NOT_SUPPORTED)


class Driver:
    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.missing = ["cuCheckpointProcess" + call for call in CALLS if not hasattr(self.library, "cuCheckpointProcess" + call)]

    def version(self):
        version = ctypes.c_int()
        self.library.cuDriverGetVersion(ctypes.byref(version))
        return version.value

    def call(self, name, pid, arguments=None):
        function = getattr(self.library, "cuCheckpointProcess" + name)
        return function(ctypes.c_int(pid), ctypes.byref(arguments) if arguments is not None else None)

    def state(self, pid):
        state = ctypes.c_int(-1)
        result = self.library.cuCheckpointProcessGetState(ctypes.c_int(pid), ctypes.byref(state))
        return "none" if result else STATES.get(state.value, "failed")

    def lock(self, pid, millis):
        return self.call("Lock", pid, LockArgs(timeoutMs=millis))

    def memory(self, gpus):
        """(free MiB of the fullest of these GPUs, used MiB of all); None for unknown."""
        try:
            library = ctypes.CDLL("libnvidia-ml.so.1")
        except OSError:
            return None
        if library.nvmlInit_v2():
            return None
        free, used = None, 0
        for gpu in gpus:
            device, info = ctypes.c_void_p(), MemoryInfo()
            if library.nvmlDeviceGetHandleByIndex_v2(gpu, ctypes.byref(device)) or library.nvmlDeviceGetMemoryInfo(device, ctypes.byref(info)):
                return None
            free = info.free // MIB if free is None else min(free, info.free // MIB)
            used += info.used // MIB
        return None if free is None else (free, used)


def available_mib():
    """RAM that processes can still get."""
    with open("/proc/meminfo") as file:
        for line in file:
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) // 1024
    return None


def probe(driver):
    if driver.missing:
        return {"able": False, "reason": "the driver has no %s; version 570 or later is needed" % driver.missing[0]}
    return {"able": True, "cuda": driver.version()}


def resume(driver, pids):
    """Does what each process still needs; safe to repeat. None is unlocked before all are restored: a gang goes on together."""
    for wanted, name in (("suspended", "Restore"), ("locked", "Unlock")):
        refused = None
        for pid in reversed(pids):
            if driver.state(pid) == wanted:
                result = driver.call(name, pid)
                if result and refused is None:
                    refused = refusal(name.lower(), pid, result)
        if refused is not None:
            raise refused


def cuda_processes(driver, pids, most):
    """Those with CUDA. A child that was forked to start another program looks like its parent until it does, so one look is not enough."""
    until = time.monotonic() + COUNT_SECONDS
    while True:
        cuda = [pid for pid in pids if driver.state(pid) != "none"]
        if len(cuda) <= most:
            return cuda
        if time.monotonic() > until:
            raise Refused("%d of its processes use CUDA, and they may share CUDA memory" % len(cuda))
        time.sleep(0.1)


def suspend(driver, millis, most, room, gpus, pids):
    """All or none: also after a crash, when some are locked or suspended already. Returns them, and the free MiB where they are only locked."""
    cuda = cuda_processes(driver, pids, most)
    memory = driver.memory(gpus) if gpus and cuda else None
    ram = available_mib()
    if memory is not None and ram is not None and memory[1] + SPARE_MIB > ram:
        raise Refused("the host has %d MiB of RAM available, and up to %d MiB of GPU memory would go there" % (ram, memory[1]))
    began = [pid for pid in cuda if driver.state(pid) == "running"]
    try:
        for pid in began:
            result = driver.lock(pid, millis)
            if result:
                raise refusal("lock", pid, result)
        if room >= 0 and memory is not None and memory[0] - SPARE_MIB >= room:
            return cuda, memory[0] - SPARE_MIB
        for pid in cuda:
            if driver.state(pid) == "locked":
                result = driver.call("Checkpoint", pid)
                if result:
                    raise refusal("checkpoint", pid, result)
    except Refused:
        resume(driver, began)
        raise
    return cuda, None


def main(words):
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
            gpus = [] if words[4] == "-" else [int(gpu) for gpu in words[4].split(",")]
            cuda, free = suspend(driver, int(words[1]), int(words[2]), int(words[3]), gpus, [int(pid) for pid in words[5:]])
            return {"able": True, "locked": free, "pids": cuda}
        else:
            resume(driver, [int(pid) for pid in words[1:]])
    except Refused as refused:
        return {"able": False, "reason": ("never: " if refused.lasting else "not now: ") + str(refused)}
    return {"able": True}


if __name__ == "__main__":
    answer = main(sys.argv[1:])
    if "states" in answer:
        print(json.dumps(answer), flush=True)
    else:
        words = ["able"] if answer.get("locked") is None else ["locked", answer["locked"]]
        print(*(words + answer.get("pids", []) if answer["able"] else [answer["reason"]]), flush=True)
