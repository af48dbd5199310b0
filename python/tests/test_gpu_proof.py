"""What scripts/gpu-proof computes, without a GPU, without PyTorch and without a daemon."""

import json
import os
import random
import shlex
import sys
import unittest
from unittest import mock

from case import HELPER, Case

GPU = os.path.join(HELPER, "gpu")
sys.path.insert(0, GPU)

import train  # noqa: E402
from proof import checks, figures, main, tables, workload  # noqa: E402


def record(job, start, step, count, attempt=1, first=0, losses=None):
    times = [round(start + i * step, 4) for i in range(count)]
    losses = losses or [1 / (first + i + 1) for i in range(count)]
    phases = {"python": 0.1, "import_torch": 3.0, "first_step": 0.4}
    return {"job": job, "attempt": attempt, "first": first, "times": times, "losses": losses, "phases": phases}


def job(name, submitted, started, finished, state="COMPLETED", job_class="batch", **more):
    at = "2026-01-31T08:%02d:%06.3fZ"
    return {
        "id": 1,
        "name": name,
        "class": job_class,
        "state": state,
        "submitted": at % divmod(submitted, 60),
        "firstStart": None if started is None else at % divmod(started, 60),
        "finished": None if finished is None else at % divmod(finished, 60),
        **more,
    }


class Times(unittest.TestCase):
    def test_moments_keep_their_milliseconds(self):
        first, second = figures.moment("2026-01-31T08:00:00Z"), figures.moment("2026-01-31T08:00:01.25Z")
        self.assertEqual(second - first, 1.25)
        self.assertIsNone(figures.moment(None))

    def test_a_percentile_is_a_value_that_occurred(self):
        for seed in range(200):
            values = [random.Random(seed + i).random() for i in range(1 + seed % 30)]
            found = figures.share_below(values, 95)
            self.assertIn(found, values)
            self.assertGreaterEqual(sum(value <= found for value in values), 0.95 * len(values))
            self.assertLess(sum(value < found for value in values), 0.95 * len(values))

    def test_completion_and_throughput_of_a_stage(self):
        rows = [
            figures.job_row(job("01-gpt2", 0, 1, 11)),
            figures.job_row(job("02-resnet18-trial", 5, 5.5, 10, job_class="trial", preemptions=0)),
            figures.job_row(job("03-dcgan", 6, None, None, state="PENDING")),
        ]
        found = figures.summary(rows, {"01-gpt2": 100, "02-resnet18-trial": 40}, {"gpt2": 0.05, "resnet18": 0.025})
        self.assertEqual((found["jobs"], found["completed"], found["oom"]), (3, 2, 0))
        self.assertEqual(found["makespanSeconds"], 11)
        self.assertEqual(found["meanJctSeconds"], 8)
        self.assertEqual(found["meanTrialStartSeconds"], 0.5)
        self.assertEqual(found["stepsPerSecond"], round(140 / 11, 2))
        self.assertEqual(found["workPerSecond"], round(6 / 11, 3))

    def test_jobs_out_of_memory_are_counted(self):
        rows = [figures.job_row(job("01-unet-idle", 0, 1, 2, state=state, detail=text)) for state, text in (("OOM", ""), ("FAILED", "CUDA out of memory"))]
        self.assertEqual(figures.summary(rows, {}, {})["oom"], 2)


class Speeds(unittest.TestCase):
    def test_a_step_is_timed_once_it_is_warm(self):
        slow = record("01-gpt2", 0, 0.1, 20)
        slow["times"][: figures.WARM] = [-50, -30, -10]
        self.assertEqual(figures.step_seconds(slow), 0.1)
        self.assertIsNone(figures.step_seconds(record("01-gpt2", 0, 0.1, figures.WARM + 1)))

    def test_co_located_speeds_are_relative_to_alone(self):
        records = [record("01-gpt2", 100, 0.2, 101), record("02-dcgan", 100, 0.1, 201)]
        (pair,) = figures.co_runs(records, {"gpt2": 0.1, "dcgan": 0.1})
        self.assertEqual(pair["programs"], ["dcgan", "gpt2"])
        self.assertAlmostEqual(pair["speeds"][0], 1.0, delta=0.02)
        self.assertAlmostEqual(pair["speeds"][1], 0.5, delta=0.02)

    def test_time_with_a_third_and_time_alone_do_not_count(self):
        records = [record("01-gpt2", 100, 0.1, 301), record("02-dcgan", 110, 0.1, 101), record("03-lstm-idle", 112, 0.1, 41)]
        pairs = figures.co_runs(records, {"gpt2": 0.1, "dcgan": 0.1, "lstm-idle": 0.1})
        self.assertEqual([pair["programs"] for pair in pairs], [["dcgan", "gpt2"]])
        self.assertAlmostEqual(pairs[0]["seconds"], 10 - 4, delta=1)

    def test_pauses_and_starts_are_means_by_program(self):
        runs = [{"outcome": outcome, "preemptSeconds": seconds} for outcome, seconds in (("PREEMPTED", 1.0), ("PREEMPTED", 3.0), ("COMPLETED", 9.0))]
        rows = [figures.job_row(job("01-gpt2", 0, 1, 11, attempts=runs))]
        self.assertEqual(figures.pauses(rows), {"gpt2": {"count": 2, "meanSeconds": 2.0}})
        found = figures.starts([record("01-gpt2", 0, 1, 5), record("01-gpt2", 9, 1, 5, attempt=2, first=5), record("02-gpt2", 0, 1, 0)])
        self.assertEqual([(row["how"], row["count"], row["totalSeconds"]) for row in found], [("resume", 1, 3.5), ("start", 1, 3.5)])


class Curves(unittest.TestCase):
    def test_a_paused_run_is_put_together_from_its_attempts(self):
        rng = random.Random(7)
        losses = [rng.random() for _ in range(50)]
        for cut in range(51):
            paused = [record("a-x", 0, 1, cut, losses=losses[:cut]), record("a-x", 99, 1, 50 - cut, 2, cut, losses[cut:])]
            rng.shuffle(paused)
            found = figures.same_curve(figures.curve(paused), figures.curve([record("a-x", 0, 1, 50, losses=losses)]))
            self.assertEqual((found["steps"], found["missing"], found["equalToTheBit"]), (50, 0, 50))

    def test_work_done_again_counts_as_it_came_out_the_second_time(self):
        lost = [record("a-x", 0, 1, 30, losses=[9.0] * 30), record("a-x", 50, 1, 40, 2, 10, [1.0] * 40)]
        found = figures.same_curve(figures.curve(lost), {step: 1.0 for step in range(50)})
        self.assertEqual((found["equalToTheBit"], found["largestDifference"]), (40, 8.0))

    def test_steps_that_were_never_made_are_missing(self):
        found = figures.same_curve(figures.curve([record("a-x", 0, 1, 10)]), figures.curve([record("a-x", 0, 1, 12)]))
        self.assertEqual((found["steps"], found["missing"]), (10, 2))


class Jobs(Case):
    def test_every_program_is_there_and_every_job_is_of_one(self):
        programs = workload.Programs("python3", record=self.folder)
        jobs = programs.workload()
        self.assertGreaterEqual(len({workload.program_of(document["name"]) for _, document in jobs}), 6)
        self.assertEqual([at for at, _ in jobs], sorted(at for at, _ in jobs))
        self.assertTrue({"trial", "batch"} == {document["class"] for _, document in jobs})
        for _, document in jobs:
            self.assertIn(workload.program_of(document["name"]), [*programs.names(), "spiral"])
        self.assertEqual(programs.names(2), ["resnet50-idle", "gpt2-idle"])

    def test_commands_are_understood_by_the_program(self):
        for program in workload.PROGRAMS:
            words = shlex.split(workload.Programs("python3", small=True).command(program, 12, 3))
            options = train.options_of(words[2:])
            self.assertEqual((options.model, options.steps, options.seed), (workload.PROGRAMS[program][0], 12, 3))

    def test_what_a_job_hides_comes_by_its_environment(self):
        with mock.patch.dict(os.environ, {"TRAIN_BALLAST_MIB": "70", "TRAIN_GROW_MIB": "3", "TRAIN_RECORD": "here"}):
            options = train.options_of(["--model", "unet"])
        self.assertEqual((options.ballast_mib, options.grow_mib, options.record), (70, 3, "here"))

    def test_an_attempt_leaves_its_record_whole(self):
        options = train.options_of(["--model", "unet", "--record", self.folder])
        with mock.patch.dict(os.environ, {"FERMATA_JOB_NAME": "m3-unet", "FERMATA_ATTEMPT": "2"}):
            kept = train.Record(options, train.Phases())
        kept.step(0.5)
        kept.write(device="cpu")
        with open(os.path.join(self.folder, "m3-unet.2.json")) as file:
            found = json.load(file)
        self.assertEqual((found["losses"], found["attempt"], found["device"]), ([0.5], 2, "cpu"))
        self.assertGreaterEqual(found["phases"]["python"], 0)
        self.assertEqual(os.listdir(self.folder).count("m3-unet.2.json.new"), 0)


class Tables(Case):
    def results(self):
        rows = [figures.job_row(job("01-resnet50-idle", 0, 1, 30, preemptions=1)), figures.job_row(job("02-resnet18-trial", 5, 6, 9, job_class="trial"))]
        stage = {
            "policy": "fermata",
            "summary": figures.summary(rows, {}, {}),
            "gpu": {"meanBusyPercent": 71.5, "peakMemoryMib": 9000},
            "daemonCpu": {"own": 0.01, "watching": 0.002},
            "starts": figures.starts([record("01-resnet50-idle", 0, 1, 5)]),
            "pauses": {"resnet50-idle": {"count": 1, "meanSeconds": 1.5}},
            "coRuns": [{"programs": ["resnet18", "resnet50-idle"], "speeds": [0.7, 0.8], "sum": 1.5, "seconds": 12.0}],
            "jobs": rows,
        }
        programs = {program: {"stepSeconds": 0.05, "peakReservedMib": 3600} for program in list(workload.PROGRAMS)[:6]}
        curve = {"job": "01-resnet50-idle", "pauses": 1, "steps": 80, "equalToTheBit": 80, "missing": 0, "largestDifference": 0.0}
        return {
            "profile": {"how": "alone", "programs": programs, "starts": []},
            "shared": stage,
            "fifo": {**stage, "policy": "fifo"},
            "curves": [curve],
        }

    def test_earlier_measurements_are_shown_too(self):
        with open(os.path.join(self.folder, "h200_corun.jsonl"), "w") as file:
            file.write('{"jobs": ["resnet50:64+40ms"], "steps_per_s": [12.5], "reserved_mib": 3654}\n')
            file.write('{"jobs": ["resnet50:64+40ms", "resnet18:64"], "steps_per_s": [9, 50], "relative_speed": [0.72, 0.76], "sum": 1.48}\n')
        with open(os.path.join(self.folder, "h200_profile.jsonl"), "w") as file:
            file.write('{"model": "resnet50", "phase": "start", "seconds": {"python": 1, "build": 2, "exit": 4}, ')
            file.write('"checkpoint": {"write_s": 0.5, "fsync_s": 0.25}}\n')
        results = self.results()
        results["reference"] = tables.reference(self.folder)
        results["checks"] = checks.of(results)
        text = tables.markdown(results)
        self.assertIn("| resnet50-idle | 50.0 | 80.0 | – | 3600 | 3654 |", text)
        self.assertIn("| resnet18 + resnet50-idle | 0.70 + 0.80 = 1.50 | 0.76 + 0.72 = 1.48 | 12.0 |", text)
        self.assertIn("| resnet50-idle | fermata | 1 | 1.50 | 4.75 |", text)
        self.assertIn("| resnet50-idle | start | fermata | 1 | 3.50 | 3.00 |", text)

    def test_it_is_written_without_anything_to_compare_with(self):
        results = self.results()
        results["checks"] = checks.of(results)
        self.assertIn("| mean JCT s | 17.0 | 17.0 |", tables.markdown(results))
        self.assertIn("The run broke off", tables.markdown({"checks": [], "trouble": "no daemon"}))

    def test_pages_get_their_tables_between_the_marks(self):
        page = os.path.join(self.folder, "page.md")
        with open(page, "w") as file:
            file.write("before\n%sold\n%safter\n" % (main.BEGIN, main.END))
        for text in ("one\n", "two\n"):
            main.put_into(page, text)
            with open(page) as file:
                self.assertEqual(file.read(), "before\n%s%s%safter\n" % (main.BEGIN, text, main.END))
        with open(page, "w") as file:
            file.write("no marks")
        self.assertRaises(SystemExit, main.put_into, page, "three\n")

    def test_memory_checks_follow_the_outcomes(self):
        run = {"outcome": "COMPLETED", "started": "2026-01-31T08:00:00Z", "ended": "2026-01-31T08:00:30.5Z"}
        jobs = {
            name: figures.job_row(job("m1-" + name, 0, 1, 30, attempts=[dict(run)])) for name in ("neighbour", "large", "greedy")
        }
        jobs["greedy"]["attempts"] = [{**run, "outcome": "OOM", "detail": "CUDA out of memory"}]
        memory = {"jobs": jobs, "together": ["greedy + neighbour"], "neighbourCurve": {"steps": 9, "equalToTheBit": 9}}
        self.assertTrue(all(check["holds"] for check in checks.of({"memory": memory})))
        memory["together"].append("large + neighbour")
        jobs["greedy"]["attempts"][0]["outcome"] = "COMPLETED"
        memory["neighbourCurve"]["equalToTheBit"] = 8
        failed = [check["name"] for check in checks.of({"memory": memory}) if not check["holds"]]
        self.assertEqual(
            failed, ["a job that would not fit did not start", "a job above its memory reservation failed itself", "the co-located job was not harmed"]
        )

    def test_what_the_daemon_learned_of_pairs_is_shown(self):
        pair = {"neighbour": "gpt2 (train.py)", "speed": 0.824, "measurements": 2}
        profile = {"model": "resnet50", "command": "train.py", "metrics": [], "coRuns": [pair]}
        self.assertIn("| resnet50 train.py | gpt2 (train.py) | 0.82 (2) |", tables.learned_of_pairs([profile]))

    def test_what_the_daemon_learned_is_shown_with_its_count(self):
        busy = {"metric": "busyPermille", "value": 455, "source": "measured", "measurements": 3, "p50": 455, "p90": 460, "max": 470}
        profile = {"model": "resnet50", "command": "train.py --idle-ms=40", "memoryReservationMib": 5000, "metrics": [busy]}
        self.assertIn("| resnet50 train.py --idle-ms=40 | 5000 | – | 46 (3) | – | – | – | – |", tables.learned([profile]))

    def test_jobs_overlap_while_both_hold_the_gpu(self):
        runs = [{"started": "2026-01-31T08:00:%02dZ" % start, "ended": "2026-01-31T08:00:%02d.5Z" % end} for start, end in ((1, 5), (5, 9), (10, 12))]
        one, two, three = ({"attempts": [run]} for run in runs)
        self.assertTrue(checks.overlap(one, two))
        self.assertFalse(checks.overlap(two, three))
        self.assertTrue(checks.overlap(three, {"attempts": [{"started": "2026-01-31T08:00:11.2Z"}]}))

    def test_failed_checks_are_reported(self):
        results = self.results()
        outcomes = {check["name"]: check["holds"] for check in checks.of(results)}
        self.assertTrue(outcomes["paused jobs have the losses of unpaused ones, bit for bit"])
        self.assertFalse(outcomes["sharing finishes jobs earlier"])
        results["curves"][0]["equalToTheBit"] = 79
        results["shared"]["coRuns"] = []
        outcomes = {check["name"]: check["holds"] for check in checks.of(results)}
        self.assertFalse(outcomes["paused jobs have the losses of unpaused ones, bit for bit"])
        self.assertFalse(outcomes["jobs shared the GPU"])


if __name__ == "__main__":
    unittest.main()
