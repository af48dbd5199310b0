"""scripts/suspend-proof: unchanged programs, suspended again and again for trials, compared with undisturbed runs."""

import argparse
import collections
import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
import traceback

from . import machine
from .daemon import FINAL, Daemon
from .main import Log, save, unpack

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAMS = ("eager", "compiled", "loader", "stubborn", "large", "gang", "jax")
POLICIES = {"suspend": "fermata:pair=1", "checkpoint": "fermata:pair=1,suspend=false", "fifo": "fifo"}
LIMITS = ("shared", "managed", "mps")
TRIAL_SECONDS, LARGE_TRIAL_SECONDS = 3, 5


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="suspend-proof", description=__doc__)
    parser.add_argument("--out", required=True, help="folder for results.json, summary.txt and log.txt")
    parser.add_argument("--gpus", default="auto", help="auto, or virtual:1:H100+suspend to try it without a GPU")
    parser.add_argument("--plain", action="store_true", help="programs of the standard library, for machines without PyTorch")
    parser.add_argument("--programs", default=",".join(PROGRAMS), help="which programs; absent ones are left out")
    parser.add_argument("--steps", type=int, default=400, help="of each program")
    parser.add_argument("--trials", type=int, default=130, help="in each stage, at the same times in all")
    parser.add_argument("--every", type=float, default=2.6, help="mean seconds between trials, at random")
    parser.add_argument("--stages", default="suspend", help="of suspend, checkpoint, fifo, limits")
    parser.add_argument("--seconds", type=float, default=420, help="for a stage at most; what has not ended then counts up to then")
    parser.add_argument("--kills", type=int, default=3, help="how often the daemon is killed, at random, in the stage with suspensions")
    parser.add_argument("--python", default=sys.executable, help="the Python that has PyTorch")
    parser.add_argument("--fermata", default=os.path.join(ROOT, "fermata"))
    return parser.parse_args(arguments)


class Killed(Daemon):
    """A daemon that can be killed and started again on the same data."""

    def kill(self):
        os.kill(self.pid, signal.SIGKILL)
        self.process.wait(15)
        os.remove(os.path.join(self.environment["XDG_CONFIG_HOME"], "fermata", "client.json"))
        self.__enter__()


def command(options, program, steps):
    script = os.path.join(ROOT, "python", "gpu", "unchanged.py")
    name = "plain" if options.plain else "eager" if program == "mps" else program
    start = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node=2"] if name == "gang" else []
    return [options.python, *start, script, name, str(steps)]


def references(options, programs, log):
    """The output of undisturbed runs, all at once: what a program computes does not depend on its neighbours."""
    running = {p: subprocess.Popen(command(options, p, options.steps), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for p in programs}
    found = {}
    for program, process in running.items():
        said, errors = process.communicate()
        if process.returncode == 0:
            found[program] = said.splitlines()
        log("reference of %s: exit %s, %d lines %s" % (program, process.returncode, len(said.splitlines()), errors[-300:] if process.returncode else ""))
    return found


def arrivals(options):
    """When trials come: the same times in every stage."""
    draw, at, times = random.Random(7), 8.0, []
    for _ in range(options.trials):
        at += draw.uniform(0.4, 1.6) * options.every
        times.append(at)
    return times


def batch_job(options, program, **more):
    job = {"name": program, "gpus": 1, "time": "20m", "run": " ".join(command(options, program, options.steps)), **more}
    if program in ("gang", "compiled"):  # their processes share no CUDA memory; a worker of the compiler may use CUDA too
        job["preempt"] = {"suspend": "all"}
    return job


def trial_job(declares=True):
    """One that declares its memory may start while that of its victim is still on the GPU."""
    job = {"name": "trial", "class": "trial", "gpus": 1, "time": "1s", "run": "sleep 0.3"}
    return {**job, "gpuMemory": "1GiB"} if declares else job


def stage(options, work, name, programs, log):
    """The programs as batch jobs on one GPU, and trials at their times."""
    kills = options.kills if name == "suspend" else 0
    draw = random.Random(8)
    with Killed(options.fermata, os.path.join(work, name), options.gpus, POLICIES[name], log) as daemon:
        began = time.monotonic()
        jobs = {program: daemon.submit(batch_job(options, program)) for program in programs}
        last = arrivals(options)[-1] if options.trials else 0
        due = collections.deque([(at, "trial") for at in arrivals(options)])
        killing = sorted(draw.uniform(10, min(last, options.seconds)) for _ in range(kills))
        trials, killed = [], 0
        while time.monotonic() - began < options.seconds:
            elapsed = time.monotonic() - began
            if killing and elapsed > killing[0]:
                killing.pop(0)
                killed += 1
                log("%s: killing the daemon (%d)" % (name, killed))
                before = time.monotonic()
                daemon.kill()
                began += time.monotonic() - before  # no trial comes meanwhile
            if due and elapsed > due[0][0]:
                due.popleft()
                large = any(job["id"] == jobs.get("large") and job["state"] in ("RUNNING", "RESUMING") for job in daemon.jobs())
                trials.append(daemon.submit(trial_job(large or len(trials) % 2 == 0)))
            elif not due and all_final(daemon.jobs()):
                break
            time.sleep(0.05)
        result = {"policy": POLICIES[name], "seconds": time.monotonic() - began, "kills": killed}
        result["notices"] = daemon.get("diag").get("notices")
        collect(daemon, jobs, trials, result)
        result["outputs"] = {program: outputs(daemon, job) for program, job in jobs.items()}
        compact(daemon.events(), os.path.join(options.out, name + "-events.jsonl"))
    return result


def compact(events, path):
    with open(path, "w") as file:
        for event in events:
            file.write(json.dumps(event, separators=(",", ":"))[:600] + "\n")


def outputs(daemon, job):
    """The output of every process of a job, in the order of its attempts."""
    folder = os.path.join(daemon.folder, "data", "attempts", str(job))
    found = []
    if not os.path.isdir(folder):
        return found  # it never started
    for attempt in sorted((name for name in os.listdir(folder) if name.isdigit()), key=int):
        files = [name for name in os.listdir(os.path.join(folder, attempt)) if name.startswith("stdout.")]
        for name in sorted(files, key=lambda name: int(name.split(".")[1])):
            with open(os.path.join(folder, attempt, name)) as file:
                found += file.read().splitlines()
    return found


def collect(daemon, jobs, trials, result):
    events = daemon.events()
    counts = collections.Counter()
    suspends, lost, overhead = [], 0.0, 0.0
    victims = {}
    names = {job: program for program, job in jobs.items()}
    for event in events:
        body = event.get("body", {})
        counts[event["type"]] += 1
        if event["type"] == "Preempting":
            victims.setdefault(body.get("beneficiary"), set()).add(names.get(body.get("jobId", event.get("jobId"))))
        if event["type"] == "AttemptEnded":
            usage = body["usage"]
            counts["ended " + body["outcome"]] += 1
            lost += usage["lostMillis"] / 1000
            overhead += (usage["loadMillis"] + usage["preemptMillis"]) / 1000
            if body["outcome"] == "SUSPENDED":
                suspends.append(usage["preemptMillis"] / 1000)
    described = {job["id"]: job for job in daemon.jobs()}
    started = [trial for trial in trials if described[trial].get("attempt", 1)]
    result.update(
        events=dict(counts),
        suspendSeconds=suspends,
        lostGpuSeconds=lost,
        overheadGpuSeconds=overhead,
        states={program: described[job]["state"] for program, job in jobs.items()},
        jctSeconds={program: described[job]["waitSeconds"] + described[job]["runSeconds"] for program, job in jobs.items()},
        trialWaits=[described[trial]["waitSeconds"] for trial in started],
        largeWaits=[described[trial]["waitSeconds"] for trial in started if "large" in victims.get(trial, ())],
        trialsEnded=sum(described[trial]["state"] == "COMPLETED" for trial in trials),
        failures=dict(collections.Counter(e["body"]["cause"] for e in events if e["type"] in ("SuspendFailed", "SuspensionEnded", "StartFailed"))),
    )


def limits(options, work, log):
    """Programs that cannot be suspended: trials come, and they run on unharmed."""
    result = {"programs": {}}
    mps = None
    for program in LIMITS:
        if program == "mps" and (options.plain or not shutil.which("nvidia-cuda-mps-control")):
            result["programs"][program] = {"absent": "no nvidia-cuda-mps-control on this machine"}
            continue
        if program == "mps":
            folder = os.path.join(work, "mps")
            os.makedirs(folder)
            mps = {"CUDA_MPS_PIPE_DIRECTORY": folder, "CUDA_MPS_LOG_DIRECTORY": folder}
            subprocess.run(["nvidia-cuda-mps-control", "-d"], env={**os.environ, **mps})
        try:
            with Killed(options.fermata, os.path.join(work, program), options.gpus, POLICIES["suspend"], log) as daemon:
                job = daemon.submit(batch_job(options, program, env=mps or {}))
                daemon.wait(lambda all: len(outputs(daemon, job)) > 20 or all[0]["state"] in FINAL, 40)
                trial = daemon.submit(trial_job())
                daemon.wait(lambda all: all_final(all), 60)
                said = outputs(daemon, job)
                found = {"lines": len(said), "twice": len(said) - len(set(said)), "trial": daemon.describe(trial)["state"], "state": daemon.describe(job)["state"]}
                found["refusals"] = sorted({e["body"]["cause"] for e in daemon.events() if e["type"] == "SuspendFailed"})
                found["suspensions"] = sum(e["type"] == "AttemptEnded" and e["body"]["outcome"] == "SUSPENDED" for e in daemon.events())
                found["attempts"] = sum(e["type"] == "Started" for e in daemon.events()) - 1
                result["programs"][program] = found
                log("%s: %s" % (program, found))
        finally:
            if mps:
                subprocess.run(["nvidia-cuda-mps-control"], env={**os.environ, **mps}, input="quit\n", text=True)
    return result


def all_final(jobs):
    return all(job["state"] in FINAL for job in jobs)


def quantile(values, share):
    values = sorted(value for value in values if value is not None)
    return values[min(len(values) - 1, int(share * len(values)))] if values else None


def judge(results):
    """What must hold; the outputs are compared line by line."""
    checks = []
    suspended = results.get("suspend")
    if suspended:
        for program, expected in results["references"].items():
            got = suspended["outputs"].get(program, [])
            whole = suspended["states"].get(program) == "COMPLETED"
            same = got == expected if whole else got == expected[: len(got)]
            checks.append({"what": "%s: every line as undisturbed, none twice" % program, "holds": same and len(got) > 0, "lines": len(got), "of": len(expected)})
        waits, large = suspended["trialWaits"], suspended["largeWaits"]
        p95, worst = quantile(waits, 0.95), quantile(waits, 1)
        checks.append({"what": "every trial started within 3 s", "holds": worst is not None and worst <= TRIAL_SECONDS, "p95": p95, "worst": worst, "count": len(waits)})
        p95, worst = quantile(large, 0.95), quantile(large, 1)
        checks.append({"what": "with a victim of 20 GiB within 5 s", "holds": worst is None or worst <= LARGE_TRIAL_SECONDS, "p95": p95, "worst": worst, "count": len(large)})
        count = suspended["events"].get("ended SUSPENDED", 0)
        checks.append({"what": "at least 100 suspensions", "holds": count >= 100, "count": count})
        checks.append({"what": "no work lost", "holds": suspended["lostGpuSeconds"] == 0, "lostGpuSeconds": suspended["lostGpuSeconds"]})
    for program, found in results.get("limits", {}).get("programs", {}).items():
        unharmed = found.get("state") == "COMPLETED" and found.get("twice") == 0
        checks.append({"what": "%s: never harmed" % program, "holds": "absent" in found or unharmed, **found})
    return checks


def summary(results):
    lines = []
    for check in results.get("checks", []):
        lines.append("%s: %s" % ("yes" if check["holds"] else "NO", {key: value for key, value in check.items() if key != "holds"}))
    for name in POLICIES:
        found = results.get(name)
        if found:
            waits = found["trialWaits"]
            lines.append(
                "%s (%s, %.0f s): mean JCT %.1f s (%d of %d ended), %d trials (%d ended), wait median %s s p95 %s s worst %s s, lost %.1f GPU-s, overhead %.1f GPU-s,"
                " suspensions %d median %s s worst %s s, kills %d, states %s, failures %s, events %s"
                % (name, found["policy"], found["seconds"], statistics.mean(list(found["jctSeconds"].values()) or [0]),
                   sum(state == "COMPLETED" for state in found["states"].values()), len(found["states"]), len(waits), found["trialsEnded"],
                   quantile(waits, 0.5), quantile(waits, 0.95), quantile(waits, 1), found["lostGpuSeconds"], found["overheadGpuSeconds"],
                   len(found["suspendSeconds"]), quantile(found["suspendSeconds"], 0.5), quantile(found["suspendSeconds"], 1),
                   found["kills"], found["states"], found["failures"], found["events"])
            )
    return "\n".join(lines) + "\n"


def main(arguments=None):
    options = options_of(arguments)
    os.makedirs(options.out, exist_ok=True)
    log = Log(os.path.join(options.out, "log.txt"))
    work = tempfile.mkdtemp(prefix="fermata-suspend-")
    results = {}
    try:
        unpack(log)
        if not options.plain:
            results["environment"] = machine.environment(options.python)
            log("machine: " + json.dumps(results["environment"]))
        results["references"] = references(options, options.programs.split(","), log)
        for name in options.stages.split(","):
            log("stage " + name)
            results[name] = limits(options, work, log) if name == "limits" else stage(options, work, name, list(results["references"]), log)
        results["checks"] = judge(results)
    except Exception:
        results["trouble"] = traceback.format_exc()
        log(results["trouble"])
    finally:
        for name in os.listdir(work):
            up = os.path.join(work, name, "up.txt")
            if os.path.exists(up):
                shutil.copy(up, os.path.join(options.out, name + "-daemon.txt"))
            said = os.path.join(work, name, "data", "daemon.log")
            if os.path.exists(said):
                shutil.copy(said, os.path.join(options.out, name + "-daemon.log"))
        with tarfile.open(os.path.join(options.out, "details.tar.gz"), "w:gz") as packed:
            for name in sorted(os.listdir(options.out)):
                if name.endswith((".jsonl", ".log", "-daemon.txt")):
                    packed.add(os.path.join(options.out, name), name)
                    os.remove(os.path.join(options.out, name))
        text = summary(results)
        log("\n" + text)
        with open(os.path.join(options.out, "summary.txt"), "w") as file:
            file.write(text)
        for found in results.values():
            if isinstance(found, dict):
                found.pop("outputs", None)
        results.pop("references", None)
        save(os.path.join(options.out, "results.json"), results)
        shutil.rmtree(work, ignore_errors=True)
    return 0 if all(check["holds"] for check in results.get("checks", [{"holds": False}])) else 1
