"""The stages: profile every program, the workload under one policy, and memory that does not fit. Each returns its figures."""

import glob
import json
import os
import re
import time

from . import figures
from .daemon import FINAL
from .machine import Gauge
from .workload import program_of

PROFILE_SECONDS = 3
"""Seconds of steps for each program: enough for a few samples of the GPU."""


class Stages:
    def __init__(self, programs, folder, log):
        self.programs, self.folder, self.log = programs, folder, log

    def records(self, stage):
        found = []
        for path in sorted(glob.glob(os.path.join(self.folder, stage, "*.json"))):
            with open(path) as file:
                found.append(json.load(file))
        return found

    def _record_into(self, stage):
        self.programs.record = os.path.join(self.folder, stage)
        os.makedirs(self.programs.record, exist_ok=True)

    # Profiles

    def profile(self, daemon, deadline, most=None):
        """Each program for a few steps, with the GPU to itself: by `fermata profile` where the daemon has it, else as a job."""
        self._record_into("profile")
        by_command = self._has_profile(daemon)
        programs = self.programs.names(most)
        self.log("profiling %d models by %s" % (len(programs), "fermata profile" if by_command else "running each alone"))
        trouble = {}
        for program in programs:
            if time.monotonic() > deadline:
                trouble[program] = "no time left"
                continue
            document = self.programs.document("alone-" + program, program, "batch", PROFILE_SECONDS, 1)
            began = time.monotonic()
            problem = self._by_command(daemon, program, document) if by_command else self._alone(daemon, document, deadline)
            if problem:
                trouble[program] = problem
            self.log("  %-16s %5.1f s%s" % (program, time.monotonic() - began, "  " + problem if problem else ""))
        records = self.records("profile")
        return {
            "how": "fermata profile" if by_command else "alone",
            "trouble": trouble,
            "programs": {program_of(record["job"]): self._measured(record) for record in records},
            "starts": figures.starts(records),
            "learned": self.learned(daemon),
        }

    @staticmethod
    def _measured(record):
        seconds = figures.step_seconds(record)
        keys = ("model", "batch", "idleMs", "parameters", "peakAllocatedMib", "peakReservedMib", "deviceUsedMib")
        return {"stepSeconds": seconds, **{key: record[key] for key in keys if key in record}}

    def _has_profile(self, daemon):
        code, said = daemon.run("--help")
        return code == 0 and re.search(r"^\s+profile\s", said, re.MULTILINE) is not None

    def _by_command(self, daemon, program, document):
        path = os.path.join(self.folder, "profile-%s.json" % program)
        with open(path, "w") as file:
            json.dump(document, file)
        steps = steps_of(document["run"])
        code, said = daemon.run("profile", "run", "--steps", str(steps), path, seconds=90)
        return "" if code == 0 else "exit %s: %s" % (code, said.strip()[-300:])

    def _alone(self, daemon, document, deadline):
        job = daemon.submit(document)
        if not daemon.wait(ended(job), max(1, min(90, deadline - time.monotonic()))):
            daemon.call("DELETE", "jobs/%d" % job)
            return "not done in time"
        found = daemon.describe(job)
        return "" if found["state"] == "COMPLETED" else "%s: %s" % (found["state"], found.get("detail", ""))

    @staticmethod
    def learned(daemon):
        """The profiles of the daemon; None where it keeps none."""
        try:
            return daemon.get("profiles")["items"]
        except (RuntimeError, KeyError):
            return None

    # The workload

    def workload(self, daemon, name, alone, deadline, most=None):
        self._record_into(name)
        jobs = self.programs.workload(most)
        self.log("%s: %d jobs under %s" % (name, len(jobs), daemon.policy))
        began = time.monotonic()
        quiet = Quiet(daemon)
        last = ""
        with Gauge() as gauge:
            waiting = list(jobs)
            while True:
                now = time.monotonic()
                while waiting and now - began >= waiting[0][0]:
                    daemon.submit(waiting.pop(0)[1])
                rows = [job for job in daemon.jobs() if is_of(job, jobs)]
                quiet.note(tuple((job["id"], job["state"], job["attempt"]) for job in rows))
                line = " ".join("%s:%s" % (job["name"][:2], job["state"][:4]) for job in reversed(rows) if job["state"] not in FINAL)
                if line != last:
                    last = line
                    self.log("  %5.1f s  %s" % (now - began, line))
                if not waiting and rows and all(job["state"] in FINAL for job in rows):
                    break
                if now > deadline:
                    self.log("  time is up; what still waits or runs is cancelled")
                    break
                time.sleep(0.2)
        seconds = time.monotonic() - began
        rows = [figures.job_row(daemon.describe(job["id"])) for job in reversed(rows)]
        daemon.cancel_all()
        steps = {document["name"]: steps_of(document["run"]) for _, document in jobs}
        return {
            "policy": daemon.policy,
            "seconds": round(seconds, 1),
            "summary": figures.summary(rows, steps, alone),
            "gpu": gauge.figures(),
            "daemonCpu": quiet.figures(),
            "starts": figures.starts(self.records(name)),
            "pauses": figures.pauses(rows),
            "coRuns": figures.co_runs(self.records(name), alone),
            "jobs": rows,
            "finals": {row["name"]: final_line(daemon, row) for row in rows},
        }

    def curves(self, shared, undisturbed):
        """Every paused job, compared with its run without pauses."""
        compared = []
        records = {name: by_job(self.records(name)) for name in ("shared", "fifo")}
        states = {row["name"]: row["state"] for row in undisturbed["jobs"]}
        for row in shared["jobs"]:
            name = row["name"]
            if not row["preemptions"] or states.get(name) != "COMPLETED":
                continue
            found = {"job": name, "pauses": row["preemptions"], "attempts": len(row["attempts"])}
            if name in records["shared"] and name in records["fifo"]:
                found.update(figures.same_curve(figures.curve(records["shared"][name]), figures.curve(records["fifo"][name])))
            else:
                mine, other = shared["finals"].get(name), undisturbed["finals"].get(name)
                found.update(steps=1 if mine else 0, equalToTheBit=int(bool(mine) and mine == other), missing=0 if mine else 1, final=mine)
            compared.append(found)
        return compared

    # Memory

    def memory(self, daemon, total, deadline):
        """A large job; one that does not fit on the GPU with it; one that exceeds its reservation."""
        self._record_into("memory")
        document = self.programs.document
        much, rest = int(total * 0.6), int(total * 0.45)
        neighbour = document("m1-resnet50-idle", "resnet50-idle", "batch", 24, 1, ballast(much * 0.9), much)
        large = document("m2-bert-base-idle", "bert-base-idle", "batch", 3, 1, ballast(rest * 0.9), rest)
        greedy = document("m3-unet-idle", "unet-idle", "batch", 60, 1, {"TRAIN_GROW_MIB": str(max(1, total // 70))})
        self.log("memory: a neighbour of %d MiB, one that would need %d MiB more, one that grows" % (much, rest))
        ids = {}
        with Gauge() as gauge:
            ids["neighbour"] = daemon.submit(neighbour)
            daemon.wait(lambda jobs: progress_of(jobs, ids["neighbour"]) > 0, remaining(deadline, 40))
            ids["large"] = daemon.submit(large)
            ids["greedy"] = daemon.submit(greedy)
            explained, together = None, set()

            def look(jobs):
                nonlocal explained
                states = {name: state_of(jobs, job) for name, job in ids.items()}
                on = {name for name, state in states.items() if state in ("STARTING", "RUNNING", "PREEMPTING")}
                together.update((a, b) for a in on for b in on if a < b)
                if explained is None and states["large"] == "PENDING" and "neighbour" in on:
                    explained = daemon.get("jobs/%d/explain" % ids["large"])
                return all(state in FINAL for state in states.values())

            complete = daemon.wait(look, remaining(deadline, 120))
        rows = {name: figures.job_row(daemon.describe(job)) for name, job in ids.items()}
        first = figures.curve([r for r in self.records("profile") if r["job"] == "alone-resnet50-idle"])
        mine = figures.curve([r for r in self.records("memory") if r["job"] == "m1-resnet50-idle"])
        return {
            "complete": complete,
            "totalMib": total,
            "reservedMib": {"neighbour": much, "large": rest},
            "together": sorted("%s + %s" % pair for pair in together),
            "largeExplained": explained,
            "gpu": gauge.figures(),
            "jobs": rows,
            "neighbourCurve": figures.same_curve(mine, first),
        }


def is_of(job, jobs):
    return any(job["name"] == document["name"] for _, document in jobs)


def ended(job):
    return lambda jobs: state_of(jobs, job) in FINAL


def state_of(jobs, job):
    return next((found["state"] for found in jobs if found["id"] == job), "PENDING")


def progress_of(jobs, job):
    found = next((found for found in jobs if found["id"] == job), {})
    return 1 if found.get("state") in FINAL else (found.get("progress") or {}).get("current", 0)


def remaining(deadline, most):
    return max(1, min(most, deadline - time.monotonic()))


def ballast(mib):
    return {"TRAIN_BALLAST_MIB": str(int(mib))}


def steps_of(command):
    return int(re.search(r"--steps (\d+)", command).group(1))


def by_job(records):
    jobs = {}
    for record in records:
        jobs.setdefault(record["job"], []).append(record)
    return jobs


class Quiet:
    """CPU use of the daemon while jobs only train: none is submitted, starts or ends."""

    def __init__(self, daemon):
        self.daemon, self.last = daemon, None
        self.seconds = self.own = self.watching = 0.0

    def note(self, state):
        cpu, now = self.daemon.cpu_seconds(), time.monotonic()
        if cpu and self.last and self.last[0] == state:
            _, before, then = self.last
            self.seconds += now - then
            self.own += cpu[0] - before[0]
            self.watching += max(0.0, cpu[1] - before[1])  # less when one of them was replaced
        self.last = (state, cpu, now) if cpu else None

    def figures(self):
        """Shares of one processor: of the daemon, which this script polls five times a second, and of its nvidia-smi processes."""
        if not self.seconds:
            return None
        return {
            "own": round(self.own / self.seconds, 4),
            "watching": round(self.watching / self.seconds, 4),
            "seconds": round(self.seconds, 1),
        }


def final_line(daemon, row):
    """The last line of programs that keep no record."""
    try:
        text = daemon.text("jobs/%d/logs?stream=stdout" % row["id"])
    except Exception:  # a missing log must not fail the stage
        return None
    lines = [line for line in text.splitlines() if line.startswith("final loss")]
    return lines[-1] if lines else None
