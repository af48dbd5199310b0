"""Trains one of several real models on made-up data, can be paused at every step, and ends with the same losses either way.

    python3 train.py --model resnet50 --batch 64 --steps 200 --idle-ms 40
    python3 train.py --model gpt2-124m --small --steps 20          # without a GPU

Seeds decide everything: the same model, batch, steps and seed give the same loss in every step, to the last bit on one type of
GPU, however often it was paused. `--record DIR` writes what each attempt did, one file an attempt.
"""

import argparse
import json
import os
import sys
import time


def started_seconds_ago():
    """How long this process exists, from the kernel; the clock of the interpreter begins later. 0 for unknown."""
    try:
        with open("/proc/self/stat") as file:
            ticks = int(file.read().rsplit(")", 1)[1].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError, AttributeError):
        return 0.0


class Phases:
    """How long each part of a start took, in seconds."""

    def __init__(self):
        self.seconds = {"python": round(started_seconds_ago(), 3)}
        self.at = time.monotonic()

    def end(self, name):
        now = time.monotonic()
        self.seconds[name] = round(now - self.at, 3)
        self.at = now


def options_of(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True)
    parser.add_argument("--batch", type=int, default=None, help="samples in a step; the model's usual number")
    parser.add_argument("--steps", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--idle-ms", type=float, default=0, help="wait so long on the host in every step, as for data")
    parser.add_argument("--every", default=None, help="also save so often, such as 100 (steps) or 30s")
    # From the environment too, so that the command line does not show it to the scheduler.
    parser.add_argument(
        "--ballast-mib",
        type=int,
        default=int(os.environ.get("TRAIN_BALLAST_MIB", 0)),
        help="GPU memory to hold besides the model, as for a cached data set",
    )
    parser.add_argument(
        "--grow-mib",
        type=int,
        default=int(os.environ.get("TRAIN_GROW_MIB", 0)),
        help="GPU memory to take in every step and never give back: a leak",
    )
    parser.add_argument("--small", action="store_true", help="a tiny network of the same model, for machines without a GPU")
    parser.add_argument("--record", default=os.environ.get("TRAIN_RECORD"), metavar="DIR", help="where to write what this attempt did")
    options = parser.parse_args(arguments)
    if options.every and options.every.isdigit():
        options.every = int(options.every)
    return options


class Record:
    """What one attempt did: phases of its start, and time and loss of every step."""

    def __init__(self, options, phases):
        job = os.environ.get("FERMATA_JOB_NAME") or "job"
        attempt = os.environ.get("FERMATA_ATTEMPT") or "1"
        self.path = options.record and os.path.join(options.record, "%s.%s.json" % (job, attempt))
        self.results = {
            "job": job,
            "attempt": int(attempt),
            "model": options.model,
            "batch": options.batch,
            "idleMs": options.idle_ms,
            "steps": options.steps,
            "seed": options.seed,
            "phases": phases.seconds,
            "times": [],
            "losses": [],
        }

    def step(self, loss):
        self.results["times"].append(round(time.time(), 4))
        self.results["losses"].append(loss)

    def write(self, **more):
        self.results.update(more, ended=round(time.time(), 4))
        if self.path:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            with open(self.path + ".new", "w") as file:
                json.dump(self.results, file)
            os.replace(self.path + ".new", self.path)


def main():
    phases = Phases()
    options = options_of()
    import fermata

    fermata.listen()  # importing torch takes seconds, and a request may come meanwhile
    os.environ.setdefault("CUBLAS_WORKSPACE_CONFIG", ":4096:8")  # cuBLAS is deterministic only with this
    import torch

    import models

    phases.end("import_torch")
    if options.model not in models.MODELS:
        sys.exit("there is no model %s; one of %s is expected" % (options.model, ", ".join(models.MODELS)))
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if device.type == "cpu":
        torch.set_num_threads(1)  # sums in one order
    same_bits(torch)
    torch.manual_seed(options.seed)
    if device.type == "cuda":
        torch.zeros(1, device=device)
        torch.cuda.synchronize()
    phases.end("cuda_context")
    training = models.training(options.model, device, options.batch, options.small)
    options.batch = training.batch
    ballast = memory_of(torch, device, options.ballast_mib)
    phases.end("build")

    def save(path):
        state = {"training": training.state(), "random": torch.get_rng_state()}
        if device.type == "cuda":
            state["random_cuda"] = torch.cuda.get_rng_state()
        torch.save(state, path)

    def load(path):
        state = torch.load(path, map_location="cpu")
        training.load(state["training"])
        torch.set_rng_state(state["random"])
        if device.type == "cuda":
            torch.cuda.set_rng_state(state["random_cuda"])

    record = Record(options, phases)
    leak = []
    try:
        steps = fermata.steps(options.steps, save=save, load=load, every=options.every)
        phases.end("restore")
        for step in steps:
            if options.grow_mib:
                leak.append(memory_of(torch, device, options.grow_mib))
            began = time.monotonic()
            loss = training.step().item()
            record.step(loss)
            if device.type == "cpu":
                pretend(fermata, options, time.monotonic() - began, len(leak))
            if len(record.results["losses"]) == 1:
                phases.end("first_step")
                record.results["first"] = step
            fermata.report(loss=loss)
            if step % 50 == 0:
                print("step %d loss %r" % (step, loss), flush=True)
            if options.idle_ms:
                time.sleep(options.idle_ms / 1000)
        print("finished %s with loss %r on %s" % (options.model, record.results["losses"][-1:], device), flush=True)
    finally:
        record.write(parameters=training.parameters(), **memory_in_use(torch, device))
        del ballast


def pretend(fermata, options, seconds, grown):
    """Reports the memory and utilisation that a simulated GPU would have."""
    memory = 1024 + options.ballast_mib + options.grow_mib * grown
    fermata.gpu(memory_mib=memory, busy=seconds / (seconds + options.idle_ms / 1000))


def same_bits(torch):
    torch.set_deterministic_debug_mode("warn")  # the other way to say so imports the compiler, which takes seconds
    torch.backends.cudnn.benchmark = False
    torch.backends.cuda.enable_cudnn_sdp(False)
    torch.backends.cuda.enable_mem_efficient_sdp(False)
    torch.backends.cuda.enable_flash_sdp(False)  # sums long sequences in whatever order they come


def memory_of(torch, device, mib):
    """So much memory of the GPU, really touched; on a CPU a small part."""
    return torch.ones((mib << 20) if device.type == "cuda" else min(mib, 1), dtype=torch.uint8, device=device)


def memory_in_use(torch, device):
    if device.type != "cuda":
        return {"device": "cpu"}
    free, total = torch.cuda.mem_get_info()
    return {
        "device": torch.cuda.get_device_name(),
        "peakAllocatedMib": torch.cuda.max_memory_allocated() >> 20,
        "peakReservedMib": torch.cuda.max_memory_reserved() >> 20,
        "deviceUsedMib": (total - free) >> 20,
    }


if __name__ == "__main__":
    main()
