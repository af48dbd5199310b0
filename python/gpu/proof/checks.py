"""The checks of a run and their results."""

import math

from .figures import moment


def of(results):
    found = []

    def check(name, holds, detail):
        found.append({"name": name, "holds": bool(holds), "detail": detail})

    profile, shared, fifo, memory = (results.get(name) for name in ("profile", "shared", "fifo", "memory"))
    if profile:
        programs = [program for program, figures in profile["programs"].items() if figures.get("stepSeconds")]
        check("at least six models were profiled", len(programs) >= 6, "%d: %s" % (len(programs), ", ".join(sorted(programs))))
    if shared:
        all_of(check, "with sharing", shared)
        check("jobs shared the GPU", shared["coRuns"], "%d co-located pairs made steps" % len(shared["coRuns"]))
        paused = [row["name"] for row in shared["jobs"] if row["preemptions"]]
        check("batch jobs were paused and resumed", paused, ", ".join(paused) or "none")
        unprofiled = [row for row in shared["jobs"] if row["program"] == "spiral" and row["attempts"]]
        if unprofiled:
            sharing = sorted({other["name"] for row in unprofiled for other in shared["jobs"] if other is not row and overlap(row, other)})
            check("an unprofiled job had the GPU to itself", not sharing, "sharing it: " + (", ".join(sharing) or "none"))
        starts = [row["startSeconds"] for row in shared["jobs"] if row["class"] == "trial"]
        late = [start for start in starts if start is None or start > 10]
        check("trial jobs started at once (within a pause: 10 s)", starts and not late, ", ".join("%s s" % start for start in starts))
    if fifo:
        all_of(check, "one by one", fifo)
    if shared and fifo:
        compare(check, shared["summary"], fifo["summary"])
    curves = results.get("curves")
    if curves is not None:
        same = [c["job"] for c in curves if c["steps"] and not c["missing"] and c["equalToTheBit"] == c["steps"]]
        check("paused jobs have the losses of unpaused ones, bit for bit", curves and len(same) == len(curves), "%d of %d" % (len(same), len(curves)))
    if memory:
        of_memory(check, memory)
    return found


def overlap(one, other):
    """Whether two jobs ever held the GPU at the same time."""
    spans = [[(moment(a["started"]), moment(a.get("ended")) or math.inf) for a in job["attempts"]] for job in (one, other)]
    return any(a[0] < b[1] and b[0] < a[1] for a in spans[0] for b in spans[1])


def all_of(check, how, stage):
    figures = stage["summary"]
    check("all jobs completed, " + how, figures["completed"] == figures["jobs"], "%(completed)d of %(jobs)d" % figures)
    check("no job ran out of memory, " + how, not figures["oom"], "OOM: %d" % figures["oom"])


def compare(check, shared, fifo):
    if not shared.get("meanJctSeconds") or not fifo.get("meanJctSeconds"):
        return
    check(
        "sharing finishes jobs earlier",
        shared["meanJctSeconds"] < fifo["meanJctSeconds"],
        "mean JCT %.1f s against %.1f s" % (shared["meanJctSeconds"], fifo["meanJctSeconds"]),
    )
    check(
        "sharing gets more done",
        shared["jobsPerMinute"] > fifo["jobsPerMinute"],
        "%.2f jobs a minute against %.2f" % (shared["jobsPerMinute"], fifo["jobsPerMinute"]),
    )


def of_memory(check, memory):
    jobs, together = memory["jobs"], memory["together"]
    neighbour, large, greedy = jobs["neighbour"], jobs["large"], jobs["greedy"]
    check("a job that would not fit did not start", "large + neighbour" not in together, "together: " + (", ".join(together) or "none"))
    check("it started when there was room", large["state"] == "COMPLETED", large["state"])
    check("a job that fits shared the GPU with the large one", "greedy + neighbour" in together, "together: " + ", ".join(together))
    ends = [(run.get("outcome"), run.get("detail") or "") for run in greedy["attempts"]]
    first = ends[0] if ends else (None, "")
    short = first[0] == "OOM" or (first[0] == "FAILED" and "memory" in first[1])
    check("a job above its memory reservation failed itself", short, "; then ".join("%s %s" % end for end in ends) or "it never ran")
    curve = memory["neighbourCurve"]
    unharmed = neighbour["state"] == "COMPLETED" and len(neighbour["attempts"]) == 1
    check(
        "the co-located job was not harmed",
        unharmed and curve["equalToTheBit"] == curve["steps"],
        "%s, %d of %d losses as alone" % (neighbour["state"], curve["equalToTheBit"], curve["steps"]),
    )
