"""scripts/gpu-proof: runs the stages inside a time limit and always writes what it has."""

import argparse
import glob
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time
import traceback

from . import checks, machine, tables
from .daemon import Daemon
from .stages import Stages
from .workload import Programs

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
H200_MIB = 143771


def options_of(arguments):
    parser = argparse.ArgumentParser(
        prog="gpu-proof",
        description="Runs real training jobs under the daemon on this machine's GPU: profiled, shared, paused; then the same one by one.",
    )
    parser.add_argument("--out", default=None, help="folder for results.json, summary.md and log.txt")
    parser.add_argument("--reference", default=None, help="folder with h200_profile.jsonl and h200_corun.jsonl, to compare with")
    parser.add_argument("--minutes", type=float, default=9.0, help="for all of it; stages are cut short to keep to it")
    parser.add_argument("--stages", default="profile,shared,memory,fifo")
    parser.add_argument("--policy", default="fermata", help="of the shared stage")
    parser.add_argument("--gpus", default="auto", help="auto, or virtual:1:H200 to try it without a GPU")
    parser.add_argument("--scale", type=float, default=1.0, help="shorter (below 1) or longer jobs")
    parser.add_argument("--jobs", type=int, default=None, help="only the first so many of the workload")
    parser.add_argument("--python", default=sys.executable, help="the Python that has PyTorch")
    parser.add_argument("--small", action="store_true", help="tiny networks, for machines without a GPU")
    parser.add_argument("--plain", action="store_true", help="no PyTorch: the example of the standard library stands for every model")
    parser.add_argument("--fermata", default=os.path.join(ROOT, "fermata"), help="the program to run")
    parser.add_argument("--work", default=None, help="folder for checkpoints and logs of jobs; removed at the end")
    parser.add_argument("--markdown", default=None, metavar="RESULTS", help="only print the tables of a results.json")
    parser.add_argument("--into", default=None, metavar="PAGE", help="put those tables between the marks of a page instead")
    return parser.parse_args(arguments)


BEGIN, END = "<!-- results: begin -->\n", "<!-- results: end -->\n"


def put_into(page, text):
    with open(page) as file:
        before, mark, rest = file.read().partition(BEGIN)
    _, other, after = rest.partition(END)
    if not mark or not other:
        sys.exit("gpu-proof: %s has no lines %s and %s for the tables to go between" % (page, BEGIN.strip(), END.strip()))
    with open(page, "w") as file:
        file.write(before + BEGIN + text + END + after)


class Log:
    def __init__(self, path):
        self.file = open(path, "w")
        self.began = time.monotonic()

    def __call__(self, text):
        line = "[%6.1f] %s" % (time.monotonic() - self.began, text)
        print(line, flush=True)
        print(line, file=self.file, flush=True)


def main(arguments=None):
    options = options_of(arguments)
    if options.markdown:
        with open(options.markdown) as file:
            text = tables.markdown(json.load(file))
        if options.into:
            put_into(options.into, text)
        else:
            print(text)
        return 0
    if not options.out:
        sys.exit("gpu-proof: --out FOLDER is needed, for results.json, summary.md and log.txt")
    os.makedirs(options.out, exist_ok=True)
    log = Log(os.path.join(options.out, "log.txt"))
    work = options.work or tempfile.mkdtemp(prefix="fermata-gpu-")
    results = {"settings": {key: value for key, value in vars(options).items() if key not in ("markdown", "into", "work", "fermata", "out", "python")}}
    try:
        proof(options, results, work, log)
    except Exception:
        results["trouble"] = traceback.format_exc()
        log(results["trouble"])
    finally:
        write(options, results, log)
        keep_records(options, work)
        shutil.rmtree(work, ignore_errors=True)
    return 1 if "trouble" in results or not all(check["holds"] for check in results["checks"]) else 0


def proof(options, results, work, log):
    end = time.monotonic() + options.minutes * 60
    unpack(log)
    results["environment"] = machine.environment(options.python)
    log("machine: " + json.dumps(results["environment"]))
    records = os.path.join(work, "records")
    programs = Programs(options.python, options.plain, options.small, options.scale)
    stages = Stages(programs, records, log)
    wanted = options.stages.split(",")

    def left(part):
        return time.monotonic() + part * (end - time.monotonic())

    alone = {}
    shared = os.path.join(work, "shared")
    with Daemon(options.fermata, shared, options.gpus, options.policy, log) as daemon:
        results["diag"] = daemon.get("diag")
        if "profile" in wanted:
            results["profile"] = stages.profile(daemon, left(0.35), options.jobs)
            alone = {program: found["stepSeconds"] for program, found in results["profile"]["programs"].items() if found["stepSeconds"]}
        if "shared" in wanted:
            results["shared"] = stages.workload(daemon, "shared", alone, left(0.42), options.jobs)
            results["learned"] = stages.learned(daemon)
        if "memory" in wanted:
            total = results["environment"].get("gpuMemoryMib", H200_MIB)
            results["memory"] = stages.memory(daemon, total, left(0.35))
        ask_everything(daemon, os.path.join(work, "asked"), COMMANDS if "profile" in wanted else ())
    shutil.rmtree(os.path.join(shared, "data", "attempts"), ignore_errors=True)  # checkpoints are large
    if "fifo" in wanted:
        with Daemon(options.fermata, os.path.join(work, "fifo"), options.gpus, "fifo", log) as daemon:
            results["fifo"] = stages.workload(daemon, "fifo", alone, end, options.jobs)
    if "shared" in results and "fifo" in results:
        results["curves"] = stages.curves(results["shared"], results["fifo"])


def unpack(log):
    """What scripts/make-runtime packed, if it was copied here; unpacked every time, since it may be newer."""
    packed, unpacked = os.path.join(ROOT, "target", "carried.tgz"), os.path.join(ROOT, "target", "carried")
    if os.path.exists(packed):
        log("unpacking " + packed)
        shutil.rmtree(unpacked, ignore_errors=True)
        with tarfile.open(packed) as file:
            file.extractall(ROOT, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))


def write(options, results, log):
    """The parts that may fail come last, after the measured figures are on disk."""
    results.setdefault("checks", [])
    path = os.path.join(options.out, "results.json")
    save(path, results)
    try:
        results["reference"] = tables.reference(options.reference)
        results["checks"] = checks.of(results)
        save(path, results)
        text = tables.markdown(results)
        with open(os.path.join(options.out, "summary.md"), "w") as file:
            file.write(text)
        log("\n" + text)
    except Exception:
        results["trouble"] = results.get("trouble", "") + traceback.format_exc()
        save(path, results)
        log(results["trouble"])


def save(path, results):
    with open(path + ".new", "w") as file:
        json.dump(results, file, indent=1, sort_keys=True)
    os.replace(path + ".new", path)


COMMANDS = ("profile ls", "preemptions", "diag estimates", "nodes", "diag")


def ask_everything(daemon, folder, commands):
    """The history and the output of commands at the end, to explain figures later."""
    os.makedirs(folder, exist_ok=True)
    save(os.path.join(folder, "events.json"), daemon.events())
    save(os.path.join(folder, "jobs.json"), [daemon.describe(job["id"]) for job in daemon.jobs()])
    for command in commands:
        code, said = daemon.run(*command.split(), "-o", "json")
        with open(os.path.join(folder, command.replace(" ", "-") + ".txt"), "w") as file:
            file.write("exit %s\n%s" % (code, said))


def keep_records(options, work):
    """Every step of every attempt, and the files and output of the daemons, in one file."""
    with tarfile.open(os.path.join(options.out, "records.tgz"), "w:gz") as file:
        for name in ("records", "asked"):
            if os.path.exists(os.path.join(work, name)):
                file.add(os.path.join(work, name), name)
        for stage in ("shared", "fifo"):
            for path in glob.glob(os.path.join(work, stage, "data", "*")):
                if os.path.isfile(path) and not path.endswith(".key"):
                    file.add(path, os.path.join(stage, os.path.basename(path)))
