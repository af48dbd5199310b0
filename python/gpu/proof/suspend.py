"""scripts/suspend-proof: unchanged programs, suspended again and again for trials, compared with undisturbed runs."""

import argparse
import collections
import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import traceback

from . import machine
from .daemon import FINAL, Daemon
from .main import Log, save, unpack

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
PROGRAMS = ("eager", "compiled", "loader", "stubborn", "large", "jax")


def options_of(arguments):
    parser = argparse.ArgumentParser(prog="suspend-proof", description=__doc__)
    parser.add_argument("--out", required=True, help="folder for results.json, summary.txt and log.txt")
    parser.add_argument("--gpus", default="auto", help="auto, or virtual:1+suspend to try it without a GPU")
    parser.add_argument("--plain", action="store_true", help="programs of the standard library, for machines without PyTorch")
    parser.add_argument("--steps", type=int, default=700, help="of each program")
    parser.add_argument("--seconds", type=float, default=300, help="for the stage with suspensions")
    parser.add_argument("--other", type=float, default=70, help="for each of the two other stages")
    parser.add_argument("--kills", type=int, default=3, help="how often the daemon is killed meanwhile")
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
    name = "plain" if options.plain else program
    return [options.python, os.path.join(ROOT, "python", "gpu", "unchanged.py"), name, str(steps)]


def references(options, programs, log):
    """The output of undisturbed runs, all at once: what a program computes does not depend on its neighbours."""
    running = {p: subprocess.Popen(command(options, p, options.steps), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) for p in programs}
    found = {}
    for program, process in running.items():
        said = process.communicate()[0]
        if process.returncode == 0:
            found[program] = said.splitlines()
        log("reference of %s: exit %s, %d lines" % (program, process.returncode, len(said.splitlines())))
    return found


def stage(options, work, name, policy, programs, seconds, kills, log):
    """The programs as batch jobs on one GPU, and a trial whenever none is there."""
    result = {"policy": policy, "trialWaits": [], "kills": 0}
    with Killed(options.fermata, os.path.join(work, name), options.gpus, policy, log) as daemon:
        result["notices"] = daemon.get("diag").get("notices")
        began = time.monotonic()
        jobs = {}
        for program in programs:
            jobs[program] = daemon.submit({"name": program, "gpus": 1, "time": "20m", "run": " ".join(command(options, program, options.steps))})
        trials, last, killed = [], 0.0, 0
        while time.monotonic() - began < seconds:
            states = {job["id"]: job["state"] for job in daemon.jobs()}
            if all(states[job] in FINAL for job in jobs.values()):
                break
            if kills > killed and time.monotonic() - began > (killed + 1) * seconds / (kills + 2):
                killed += 1
                log("%s: killing the daemon (%d)" % (name, killed))
                daemon.kill()
            idle = not trials or states.get(trials[-1]) in FINAL
            if idle and "RUNNING" in states.values() and time.monotonic() - last > 2.5:
                trials.append(daemon.submit({"name": "trial", "class": "trial", "gpus": 1, "time": "1s", "run": "sleep 0.3"}))
                last = time.monotonic()
            time.sleep(0.1)
        log("%s: letting the programs end" % name)
        daemon.wait(lambda all: all_final(all), max(5, seconds * 0.5))
        result["seconds"] = time.monotonic() - began
        result["kills"] = killed
        collect(daemon, jobs, trials, result)
        result["outputs"] = {program: outputs(daemon, job) for program, job in jobs.items()}
    return result


def all_final(jobs):
    return all(job["state"] in FINAL for job in jobs)


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
    times = {"suspend": [], "lost": 0.0}
    for event in events:
        body = event.get("body", {})
        counts[event["type"]] += 1
        if event["type"] == "AttemptEnded":
            counts["ended " + body["outcome"]] += 1
            times["lost"] += body["usage"]["lostMillis"] / 1000
            if body["outcome"] == "SUSPENDED":
                times["suspend"].append(body["usage"]["preemptMillis"] / 1000)
    result["events"] = dict(counts)
    result["suspendSeconds"] = times["suspend"]
    result["lostGpuSeconds"] = times["lost"]
    described = {job["id"]: job for job in daemon.jobs()}
    result["states"] = {program: described[job]["state"] for program, job in jobs.items()}
    result["jctSeconds"] = {
        program: described[job]["waitSeconds"] + described[job]["runSeconds"] for program, job in jobs.items() if described[job]["state"] == "COMPLETED"
    }
    result["trialWaits"] = [described[trial].get("waitSeconds") for trial in trials if described[trial]["state"] == "COMPLETED"]
    result["failures"] = [event["body"]["cause"] for event in events if event["type"] in ("SuspendFailed", "SuspensionEnded", "StartFailed")]


def judge(results):
    """What must hold; the outputs are compared line by line."""
    checks = []
    suspended = results["suspend"]
    for program, expected in results["references"].items():
        got = suspended["outputs"].get(program, [])
        same = got == expected[: len(got)]
        checks.append({"what": "%s: every line as undisturbed, none twice" % program, "holds": same and len(got) > 0, "lines": len(got), "of": len(expected)})
    waits = sorted(suspended["trialWaits"])
    checks.append({"what": "trials started within 3 s", "holds": bool(waits) and waits[-1] <= 3, "count": len(waits), "worst": waits[-1] if waits else None})
    count = suspended["events"].get("ended SUSPENDED", 0)
    checks.append({"what": "at least 50 suspensions", "holds": count >= 50, "count": count})
    checks.append({"what": "no work lost", "holds": suspended["lostGpuSeconds"] == 0, "lostGpuSeconds": suspended["lostGpuSeconds"]})
    return checks


def summary(results):
    lines = []
    for check in results.get("checks", []):
        lines.append("%s: %s" % ("yes" if check["holds"] else "NO", {key: value for key, value in check.items() if key != "holds"}))
    for name in ("suspend", "checkpoint", "fifo"):
        found = results.get(name)
        if found:
            waits = sorted(wait for wait in found["trialWaits"] if wait is not None)
            p95 = waits[int(0.95 * (len(waits) - 1))] if waits else None
            out = found["suspendSeconds"]
            lines.append(
                "%s (%s): %s, %d trials, p95 trial wait %s s, lost %s GPU-s, mean JCT %.1f s, suspend median %s s, kills %d, states %s, failures %s"
                % (name, found["policy"], found["events"], len(waits), p95, round(found["lostGpuSeconds"], 1),
                   statistics.mean(list(found["jctSeconds"].values()) or [0]), round(statistics.median(out), 3) if out else None,
                   found["kills"], found["states"], sorted(set(found["failures"]))[:5])
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
        results["references"] = references(options, PROGRAMS, log)
        programs = list(results["references"])
        results["suspend"] = stage(options, work, "suspend", "fermata:pair=1", programs, options.seconds, options.kills, log)
        few = programs[:3]
        results["checkpoint"] = stage(options, work, "checkpoint", "fermata:pair=1,suspend=false", few, options.other, 0, log)
        results["fifo"] = stage(options, work, "fifo", "fifo", few, options.other, 0, log)
        results["checks"] = judge(results)
    except Exception:
        results["trouble"] = traceback.format_exc()
        log(results["trouble"])
    finally:
        for name in ("suspend", "checkpoint", "fifo"):
            up = os.path.join(work, name, "up.txt")
            if os.path.exists(up):
                shutil.copy(up, os.path.join(options.out, name + "-daemon.txt"))
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
