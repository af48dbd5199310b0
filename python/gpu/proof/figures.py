"""Derives figures from the records: completion times, speeds of co-located jobs, loss curves, start-up. No clock, no files."""

import datetime
import statistics

from .workload import program_of

WARM = 3
"""Steps at the beginning of an attempt that say nothing about its speed."""


def moment(text):
    """Seconds since 1970 of an RFC 3339 time; None where there is none."""
    if not text:
        return None
    whole, dot, rest = text.rstrip("Z").partition(".")
    at = datetime.datetime.strptime(whole, "%Y-%m-%dT%H:%M:%S").replace(tzinfo=datetime.timezone.utc).timestamp()
    return at + (float("0." + rest) if dot else 0.0)


def share_below(values, part):
    """The smallest value that at least this part of all is not above."""
    ordered = sorted(values)
    return ordered[max(0, -(-len(ordered) * part // 100) - 1)] if ordered else None


def job_row(job):
    """One job of a stage, in seconds since its submission."""
    submitted = moment(job["submitted"])
    finished, first = moment(job.get("finished")), moment(job.get("firstStart"))
    return {
        "id": job["id"],
        "name": job["name"],
        "program": program_of(job["name"]),
        "class": job["class"],
        "state": job["state"],
        "submitted": submitted,
        "startSeconds": None if first is None else round(first - submitted, 3),
        "jctSeconds": None if finished is None else round(finished - submitted, 3),
        "finished": finished,
        "waitSeconds": job.get("waitSeconds"),
        "preemptions": job.get("preemptions", 0),
        "exitCode": job.get("exitCode"),
        "detail": job.get("detail", ""),
        "attempts": [
            {key: attempt.get(key) for key in ATTEMPT_KEYS if attempt.get(key) is not None} for attempt in job.get("attempts") or []
        ],
    }


ATTEMPT_KEYS = (
    "attemptId attempt started running preempting ended outcome exitCode detail loadSeconds usefulSeconds lostSeconds "
    "preemptSeconds beneficiary gainSeconds costSeconds"
).split()


def summary(rows, steps, alone):
    """Completion times and throughput of a stage. steps: how many of each job were done; alone: seconds a step by program."""
    done = [row for row in rows if row["state"] == "COMPLETED"]
    trials = [row for row in rows if row["class"] == "trial" and row["startSeconds"] is not None]
    jct = [row["jctSeconds"] for row in done]
    figures = {
        "jobs": len(rows),
        "completed": len(done),
        "oom": sum(row["state"] == "OOM" or "out of memory" in (row["detail"] or "").lower() for row in rows),
        "failed": sum(row["state"] in ("FAILED", "TIMEOUT", "OOM") for row in rows),
        "preemptions": sum(row["preemptions"] for row in rows),
        "meanTrialStartSeconds": mean([row["startSeconds"] for row in trials]),
        "maxTrialStartSeconds": max((row["startSeconds"] for row in trials), default=None),
    }
    if not done:
        return figures
    makespan = max(row["finished"] for row in done) - min(row["submitted"] for row in rows)
    work = sum(steps.get(row["name"], 0) * alone.get(row["program"], 0) for row in done)
    figures.update(
        makespanSeconds=round(makespan, 2),
        meanJctSeconds=mean(jct),
        medianJctSeconds=round(statistics.median(jct), 2),
        p95JctSeconds=round(share_below(jct, 95), 2),
        jobsPerMinute=round(len(done) / makespan * 60, 2),
        stepsPerSecond=round(sum(steps.get(row["name"], 0) for row in done) / makespan, 2),
        workPerSecond=round(work / makespan, 3),
    )
    return figures


def mean(values):
    values = [value for value in values if value is not None]
    return round(sum(values) / len(values), 3) if values else None


# ------------------------------------------------------------------------------------------------------------------ speeds


def step_seconds(record):
    """Median time of a step once it is warm; None where there are too few."""
    times = record["times"][WARM:]
    gaps = [after - before for before, after in zip(times, times[1:])]
    return round(statistics.median(gaps), 5) if gaps else None


def co_runs(records, alone, shortest=1.5):
    """Speeds of pairs while exactly two attempts were making steps on the one GPU, relative to each alone.

    [{"programs": [a, b], "speeds": [x, y], "sum": x + y, "seconds": observed}], longest first; pairs seen for less than `shortest`
    seconds are left out.
    """
    spans = [(record["times"][WARM], record["times"][-1], record) for record in records if len(record["times"]) > WARM + 2]
    edges = sorted({edge for start, end, _ in spans for edge in (start, end)})
    seen = {}
    for left, right in zip(edges, edges[1:]):
        there = [record for start, end, record in spans if start <= left and end >= right]
        if len(there) != 2 or right <= left:
            continue
        there.sort(key=lambda record: program_of(record["job"]))
        programs = tuple(program_of(record["job"]) for record in there)
        if any(not alone.get(program) for program in programs):
            continue
        counts = seen.setdefault(programs, [0.0, 0, 0])
        counts[0] += right - left
        for i, record in enumerate(there):
            counts[i + 1] += sum(left < at <= right for at in record["times"])
    pairs = []
    for programs, (seconds, *steps) in seen.items():
        if seconds >= shortest:
            speeds = [round(count / seconds * alone[program], 3) for count, program in zip(steps, programs)]
            pairs.append({"programs": list(programs), "speeds": speeds, "sum": round(sum(speeds), 3), "seconds": round(seconds, 1)})
    return sorted(pairs, key=lambda pair: -pair["seconds"])


# ------------------------------------------------------------------------------------------------------------------ curves


def curve(records):
    """Loss by step over all attempts of one job; of repeated steps the latest counts."""
    losses = {}
    for record in sorted(records, key=lambda record: record["attempt"]):
        for i, loss in enumerate(record["losses"]):
            losses[record.get("first", 0) + i] = loss
    return losses


def same_curve(paused, undisturbed):
    """The difference of two curves over the steps that both have."""
    steps = sorted(set(paused) & set(undisturbed))
    apart = [abs(paused[step] - undisturbed[step]) for step in steps]
    return {
        "steps": len(steps),
        "missing": len(set(undisturbed) - set(paused)),
        "equalToTheBit": sum(distance == 0 for distance in apart),
        "largestDifference": max(apart, default=None),
    }


# ---------------------------------------------------------------------------------------------------------------- start-up


def starts(records):
    """Mean seconds of each phase of a start, by program: first attempts, and those that resumed from a checkpoint."""
    rows = {}
    for record in records:
        if record["times"]:
            how = "resume" if record.get("first", 0) > 0 else "start"
            rows.setdefault((program_of(record["job"]), how), []).append(record["phases"])
    return [
        {
            "program": program,
            "how": how,
            "count": len(phases),
            "phases": {name: mean([phase.get(name) for phase in phases]) for name in phases[0]},
            "totalSeconds": mean([sum(phase.values()) for phase in phases]),
        }
        for (program, how), phases in sorted(rows.items())
    ]


def pauses(rows):
    """Seconds from the request to the free GPU, by program."""
    found = {}
    for row in rows:
        for attempt in row["attempts"]:
            if attempt.get("outcome") == "PREEMPTED":
                found.setdefault(row["program"], []).append(attempt.get("preemptSeconds"))
    return {program: {"count": len(seconds), "meanSeconds": mean(seconds)} for program, seconds in sorted(found.items())}
