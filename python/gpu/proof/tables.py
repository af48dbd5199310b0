"""The results as tables, next to earlier measurements."""

import json
import os

from .workload import PROGRAMS

NAMES = {"vit-b16": "vit_b_16"}


def reference(folder):
    """Earlier measurements by program and by pair; empty where there are none."""
    found = {"alone": {}, "pairs": {}, "start": {}, "resume": {}, "pause": {}}
    if not folder:
        return found
    for row in lines(os.path.join(folder, "h200_corun.jsonl")):
        if len(row["jobs"]) == 1:
            found["alone"][row["jobs"][0]] = {"stepSeconds": 1 / row["steps_per_s"][0], "reservedMib": row["reserved_mib"]}
        else:
            found["pairs"][" + ".join(row["jobs"])] = row["relative_speed"]
    for row in lines(os.path.join(folder, "h200_profile.jsonl")):
        seconds = row["seconds"]
        found[row["phase"]][row["model"]] = sum(value for name, value in seconds.items() if name != "exit")
        if "checkpoint" in row:
            saved = row["checkpoint"]
            found["pause"][row["model"]] = saved["write_s"] + saved["fsync_s"] + seconds["exit"]
    return found


def lines(path):
    with open(path) as file:
        return [json.loads(line) for line in file if line.strip()]


def measured_as(program):
    """The names of a program in earlier measurements: (model, model:batch+wait)."""
    if program not in PROGRAMS:
        return None, None
    model, batch, idle, _ = PROGRAMS[program]
    model = NAMES.get(model, model)
    return model, "%s:%d%s" % (model, batch, "+%dms" % idle if idle else "")


def markdown(results):
    before = results.get("reference") or reference(None)
    parts = [machine(results), checks(results)]
    if results.get("profile"):
        parts.append(programs(results["profile"], before))
    if results.get("shared") or results.get("fifo"):
        parts.append(side_by_side(results))
    stages = [results[name] for name in ("shared", "fifo") if results.get(name)]
    parts.append(startup(results, stages, before))
    parts.append(learned(results.get("learned") or []))
    parts.append(learned_of_pairs(results.get("learned") or []))
    for stage in stages[:1]:
        parts.append(pairs(stage, before))
        parts.append(jobs(stage, results.get("fifo")))
    if results.get("curves") is not None:
        parts.append(curves(results["curves"]))
    if results.get("memory"):
        parts.append(memory(results["memory"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def table(title, heads, rows):
    if not rows:
        return ""
    made = ["### " + title, "", "| " + " | ".join(heads) + " |", "|" + "---|" * len(heads)]
    made += ["| " + " | ".join("–" if cell is None else str(cell) for cell in row) + " |" for row in rows]
    return "\n".join(made)


def number(value, digits=2, unit=""):
    return None if value is None else "%.*f%s" % (digits, value, unit)


def machine(results):
    environment = results.get("environment", {})
    gpu = "%s, %s MiB, driver %s" % (environment.get("gpu"), environment.get("gpuMemoryMib"), environment.get("driver")) if "gpu" in environment else "no GPU"
    text = "%s; PyTorch %s; %s processors; Java on the PATH: %s." % (gpu, environment.get("torch"), environment.get("processors"), environment.get("java") or "none")
    return text + ("\n\nThe run broke off:\n\n```\n%s\n```" % results["trouble"].strip() if "trouble" in results else "")


def checks(results):
    return table(
        "Checks", ["", "holds", "seen"], [(c["name"], "yes" if c["holds"] else "**no**", c["detail"]) for c in results["checks"]]
    )


def programs(profile, before):
    rows = []
    for program, found in profile["programs"].items():
        earlier = before["alone"].get(measured_as(program)[1], {})
        step, was = found.get("stepSeconds"), earlier.get("stepSeconds")
        rows.append(
            (
                program,
                number(step and step * 1000, 1),
                number(was and was * 1000, 1),
                found.get("peakAllocatedMib"),
                found.get("peakReservedMib"),
                earlier.get("reservedMib"),
            )
        )
    heads = ["model", "step ms", "earlier", "allocated MiB", "reserved MiB", "earlier"]
    return table("Each model alone (by %s)" % profile["how"], heads, rows)


def side_by_side(results):
    stages = [(name, results[name]) for name in ("shared", "fifo") if results.get(name)]
    rows = []
    for label, key, digits in (
        ("jobs completed", "completed", 0),
        ("out of memory", "oom", 0),
        ("makespan s", "makespanSeconds", 1),
        ("jobs a minute", "jobsPerMinute", 2),
        ("steps a second", "stepsPerSecond", 1),
        ("work done, in GPUs with one job alone", "workPerSecond", 2),
        ("mean JCT s", "meanJctSeconds", 1),
        ("median JCT s", "medianJctSeconds", 1),
        ("p95 JCT s", "p95JctSeconds", 1),
        ("pauses", "preemptions", 0),
        ("trials start after s (mean)", "meanTrialStartSeconds", 2),
        ("trials start after s (worst)", "maxTrialStartSeconds", 2),
    ):
        rows.append([label] + [number(stage["summary"].get(key), digits) for _, stage in stages])
    rows.append(["GPU busy % (nvidia-smi)"] + [number(stage["gpu"].get("meanBusyPercent"), 1) for _, stage in stages])
    rows.append(["peak memory in use MiB"] + [stage["gpu"].get("peakMemoryMib") for _, stage in stages])
    for label, key in (("daemon, % of a core", "own"), ("its nvidia-smi processes, % of a core", "watching")):
        rows.append([label] + [number((stage["daemonCpu"] or {}).get(key, 0) * 100, 2) for _, stage in stages])
    return table("The same jobs, shared and one by one", [""] + ["%s (%s)" % (name, stage["policy"]) for name, stage in stages], rows)


def startup(results, stages, before):
    rows = []
    for stage in [results.get("profile")] * bool(results.get("profile")) + stages:
        label = "alone" if stage is results.get("profile") else stage["policy"]
        for start in stage["starts"]:
            model, _ = measured_as(start["program"])
            phases = ", ".join("%s %.2f" % item for item in start["phases"].items() if item[1] is not None)
            rows.append(
                (start["program"], start["how"], label, start["count"], number(start["totalSeconds"]), number(before[start["how"]].get(model)), phases)
            )
    pauses = []
    for stage in stages:
        for program, found in stage["pauses"].items():
            model, _ = measured_as(program)
            pauses.append((program, stage["policy"], found["count"], number(found["meanSeconds"]), number(before["pause"].get(model))))
    loads = table("From the process to the first step, in seconds", ["model", "", "run", "n", "load", "earlier", "phases"], rows)
    return "\n\n".join(part for part in (table("Pauses, in seconds", ["model", "run", "n", "pause", "earlier"], pauses), loads) if part)


LEARNED = [
    ("iterationMicros", "step ms", 1000, 1),
    ("busyPermille", "busy %", 10, 0),
    ("peakMemoryMib", "peak MiB", 1, 0),
    ("loadMillis", "load s", 1000, 2),
    ("preemptMillis", "pause s", 1000, 2),
    ("restoreMillis", "restore s", 1000, 2),
]


def learned(profiles):
    """The profiles of the daemon after the shared stage: values and numbers of measurements."""
    rows = []
    for profile in profiles:
        values = {metric["metric"]: metric for metric in profile["metrics"]}
        cells = []
        for key, _, unit, digits in LEARNED:
            found = values.get(key)
            cells.append(found and "%s (%d)" % (number(found["value"] / unit, digits), found["measurements"]))
        rows.append([("%(model)s %(command)s" % profile).strip(), profile["memoryReservationMib"] or None] + cells)
    return table("What the daemon learned (number of attempts)", ["model", "reservation MiB"] + [head for _, head, _, _ in LEARNED], rows)


def learned_of_pairs(profiles):
    """The speed of each profile on a GPU shared with others, as the daemon measured it."""
    rows = [
        (("%(model)s %(command)s" % profile).strip(), pair["neighbour"], "%.2f (%d)" % (pair["speed"], pair["measurements"]))
        for profile in profiles
        for pair in profile.get("coRuns", [])
    ]
    return table("What the daemon learned of co-located jobs: speed relative to alone (number of attempts)", ["model", "co-located with", "speed"], rows)


def pairs(stage, before):
    rows = []
    for pair in stage["coRuns"]:
        names = [measured_as(program)[1] for program in pair["programs"]]
        earlier = before["pairs"].get(" + ".join(map(str, names)))
        if earlier is None:
            backwards = before["pairs"].get(" + ".join(map(str, reversed(names))))
            earlier = list(reversed(backwards)) if backwards else None
        rows.append(
            (
                " + ".join(pair["programs"]),
                "%.2f + %.2f = %.2f" % (*pair["speeds"], pair["sum"]),
                "%.2f + %.2f = %.2f" % (*earlier, sum(earlier)) if earlier else None,
                pair["seconds"],
            )
        )
    return table("Speed side by side, relative to alone", ["pair", "seen", "earlier", "for s"], rows)


def jobs(stage, other):
    others = {row["name"]: row for row in (other or {}).get("jobs", [])}
    rows = []
    for row in stage["jobs"]:
        there = others.get(row["name"], {})
        rows.append(
            (row["name"], row["class"], row["state"], number(row["startSeconds"], 1), row["preemptions"], number(row["jctSeconds"], 1))
            + (number(there.get("startSeconds"), 1), number(there.get("jctSeconds"), 1))
        )
    return table("Job by job, in seconds", ["job", "class", "state", "start", "pauses", "JCT", "start, one by one", "JCT, one by one"], rows)


def curves(found):
    rows = [(c["job"], c["pauses"], c["steps"], c["equalToTheBit"], c.get("largestDifference"), c["missing"]) for c in found]
    return table("Losses of paused jobs against the unpaused run", ["job", "pauses", "steps", "equal to the bit", "largest difference", "missing"], rows)


def memory(found):
    rows = []
    for name, job in found["jobs"].items():
        ends = ", ".join(str(run.get("outcome")) for run in job["attempts"])
        rows.append((name, found["reservedMib"].get(name), job["state"], number(job["startSeconds"], 1), ends, job["detail"]))
    text = table("Memory: %d MiB in all" % found["totalMib"], ["job", "reserved MiB", "state", "start s", "attempts", "detail"], rows)
    explained = (found.get("largeExplained") or {}).get("message")
    return text + "\n\nCo-located: %s. Why the large one waited: %s" % (", ".join(found["together"]) or "none", explained)
