"""There is always a valid checkpoint, whatever is killed, damaged or full."""

import json
import os
import random
import resource
import subprocess
import sys
import time
import unittest

from case import HELPER, SCRIPT, Case

sys.path.insert(0, HELPER)
import fermata  # noqa: E402


class Checkpoints(Case):
    def good(self):
        """Checks every checkpoint there is and returns their steps."""
        folder = fermata._CheckpointFolder(self.checkpoints, 2)
        for step in folder.steps():
            self.assertIsNone(folder.check(step))
        return folder.steps()

    def test_killed_at_any_moment_it_goes_on_with_the_same_result(self):
        total, kills = 300, 40
        expected, _ = self.run_script(0, TOTAL=total, FERMATA_CHECKPOINT_DIR=os.path.join(self.folder, "undisturbed"))
        seed = int(os.environ.get("SEED", "1"))
        rng = random.Random(seed)
        reached = 0
        for kill in range(kills):
            before = self.checkpoints_now()
            process = self.start(TOTAL=total, EVERY=1, PAD=200_000, AS_FOLDER=kill % 2 or None)
            self.wait_until(lambda: self.checkpoints_now() != before or process.poll() is not None)
            time.sleep(rng.random() * 0.015)
            process.kill()
            process.communicate()
            steps = self.good()
            self.assertGreaterEqual(max(steps, default=0), reached, "seed %d" % seed)
            self.assertLessEqual(len(steps), 3)  # the third was about to be removed
            reached = max(steps, default=0)
        self.assertLess(reached, total, "it was never killed at the end only")
        out, _ = self.run_script(0, TOTAL=total)
        self.assertEqual(out, expected, "seed %d" % seed)
        self.assertEqual([name for name in os.listdir(self.checkpoints) if not name.startswith("step-")], [])

    def checkpoints_now(self):
        return sorted(os.listdir(self.checkpoints)) if os.path.isdir(self.checkpoints) else []

    def test_the_two_newest_are_kept(self):
        self.run_script(0, EVERY=3)
        self.assertEqual(self.saved_steps(), [18, 20])

    def test_saves_by_time(self):
        self.run_script(0, EVERY="0.05s", STEP_SECONDS=0.02, TOTAL=10)
        self.assertGreaterEqual(len(self.reports("saved")), 3)

    def test_fermata_may_set_the_save_interval(self):
        self.run_script(0, FERMATA_CHECKPOINT_SECONDS="0.05", STEP_SECONDS=0.02, TOTAL=10)
        self.assertGreaterEqual(len(self.reports("saved")), 3)

    def test_a_damaged_one_is_passed_over(self):
        undisturbed, _ = self.run_script(0, FERMATA_CHECKPOINT_DIR=os.path.join(self.folder, "undisturbed"))
        damages = {
            "cut off": lambda path: os.truncate(os.path.join(path, "state"), 10),
            "a bit turned": lambda path: self.turn_a_bit(os.path.join(path, "state")),
            "empty": lambda path: os.truncate(os.path.join(path, "state"), 0),
            "state gone": lambda path: os.remove(os.path.join(path, "state")),
            "manifest cut off": lambda path: os.truncate(os.path.join(path, "manifest.json"), 10),
            "manifest gone": lambda path: os.remove(os.path.join(path, "manifest.json")),
            "manifest of another kind": lambda path: self.overwrite(os.path.join(path, "manifest.json"), b"[1]"),
        }
        for name, damage in damages.items():
            with self.subTest(name):
                self.checkpoints = os.path.join(self.folder, name)
                self.run_script(75, KICK=14, EVERY=6)
                self.assertEqual(self.saved_steps(), [12, 15])
                damage(self.newest())
                out, err = self.run_script(0)
                self.assertIn("cannot be used", err)
                self.assertIn("using the one of step 12", err)
                self.assertEqual(out, undisturbed)
                self.assertIn("set-aside", os.listdir(self.checkpoints))
                self.assertEqual(self.saved_steps(), [12, 20])

    def test_without_any_good_one_it_does_not_start_over(self):
        self.run_script(75, KICK=14, EVERY=6)
        for step in self.saved_steps():
            os.truncate(os.path.join(self.checkpoints, "step-%09d" % step, "state"), 3)
        _, err = self.run_script(1)
        self.assertIn("To start from the beginning, remove or move away", err)
        self.assertEqual([line["type"] for line in self.reports()[-2:]], ["hello", "error"])
        self.assertEqual(self.saved_steps(), [12, 15])

    def test_one_that_the_script_cannot_read_is_passed_over(self):
        self.run_script(75, KICK=14, EVERY=6)
        state = os.path.join(self.newest(), "state")
        self.overwrite(state, b"no JSON")
        manifest = os.path.join(self.newest(), "manifest.json")
        self.overwrite(manifest, json.dumps({"step": 15, "files": {"state": fermata._fingerprint(state)}}).encode())
        _, err = self.run_script(0)
        self.assertIn("load(path) failed", err)
        self.assertIn("using the one of step 12", err)

    def test_a_full_disk_keeps_the_old_checkpoint_and_the_training(self):
        self.run_script(75, KICK=5)
        out, err = self.with_file_limit(100_000, 0, PAD=500_000, EVERY=5)
        self.assertIn("value", out)
        self.assertIn("going on, the checkpoint of step 6 is kept", err)
        self.assertEqual(self.good(), [6])
        self.assertIn("could not save step 10", self.reports("error")[0]["detail"])

    def test_a_full_disk_at_a_pause_is_an_error_that_keeps_the_old_checkpoint(self):
        self.run_script(75, KICK=5)
        out, err = self.with_file_limit(100_000, 74, PAD=500_000, KICK=9)
        self.assertEqual(out, "finally\n")
        self.assertIn("could not save step 10", err)
        self.assertEqual(self.good(), [6])
        self.assertEqual([name for name in os.listdir(self.checkpoints) if not name.startswith("step-")], [])
        self.assertEqual(self.reports()[-1]["type"], "error")

    def test_a_full_disk_does_not_stop_at_reports(self):
        _, err = self.with_file_limit(150, 0, EVERY=None, STEP_SECONDS=0.1, TOTAL=12)
        self.assertIn("cannot report to", err)

    def test_a_mistake_in_save_is_known_at_once(self):
        for body, message in (("1 / 0", "ZeroDivisionError"), ("pass", "without writing a file or a folder")):
            script = os.path.join(self.folder, "own.py")
            with open(script, "w") as file:
                file.write(
                    "import fermata\ndef save(path): %s\ndef load(path): pass\n"
                    "for step in fermata.steps(9, save, load, every=2): print(step)\n" % body
                )
            out, err = self.run_script(1, script=script)
            self.assertEqual(out, "0\n1\n")
            self.assertIn(message, err)

    def test_a_save_longer_than_the_grace_is_reported(self):
        _, err = self.run_script(0, EVERY=5, FERMATA_GRACE_SECONDS="0.0001")
        self.assertEqual(err.count("ask for more with preempt.grace"), 1)
        self.assertIn("a pause would lose work", self.reports("error")[0]["detail"])

    def with_file_limit(self, limit, expect, **more):
        self.attempt += 1
        process = subprocess.run(
            [sys.executable, SCRIPT],
            env=self.environment(**more),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=60,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)),
        )
        self.assertEqual(process.returncode, expect, process.stderr)
        return process.stdout, process.stderr

    @staticmethod
    def turn_a_bit(path):
        with open(path, "r+b") as file:
            file.seek(20)
            byte = file.read(1)[0]
            file.seek(20)
            file.write(bytes([byte ^ 1]))

    @staticmethod
    def overwrite(path, data):
        with open(path, "wb") as file:
            file.write(data)


class Reports(Case):
    def test_a_run_reports_its_phases(self):
        self.run_script(75, KICK=5)
        self.run_script(0)
        kinds = [line["type"] for line in self.reports()]
        self.assertEqual(
            [kind for i, kind in enumerate(kinds) if i == 0 or kind != kinds[i - 1]],
            ["hello", "loaded", "step", "saving", "saved", "hello", "loaded", "step", "saving", "saved", "finished"],
        )
        for line in self.reports():
            self.assertEqual(line["total"], 20)
            self.assertLess(abs(line["at"] - time.time() * 1000), 120_000)
        self.assertEqual([line["step"] for line in self.reports("loaded")], [0, 6])
        self.assertEqual(self.reports("step")[-1]["step"], 20)
        self.assertEqual(self.reports("step")[-1]["metric"], "loss")
        self.assertEqual(self.reports("finished")[0]["value"], self.reports("step")[-1]["value"])

    def test_a_run_reports_when_python_was_up_and_what_a_step_takes(self):
        began = int(time.time() * 1000)
        self.run_script(0, TOTAL=30, STEP_SECONDS=0.02)
        hello = self.reports("hello")[0]
        self.assertLessEqual(began, hello["up"])
        self.assertLessEqual(hello["up"], hello["at"])
        self.assertNotIn("iteration", self.reports("step")[0], "the first step warms up")
        self.assertGreaterEqual(self.reports("step")[-1]["iteration"], 0.02)
        self.assertLess(self.reports("step")[-1]["iteration"], 1)

    def test_at_most_two_lines_a_second(self):
        began = time.monotonic()
        self.run_script(0, TOTAL=150, STEP_SECONDS=0.01)
        seconds = time.monotonic() - began
        self.assertLessEqual(len(self.reports("step")), 2 * seconds + 2)
        self.assertEqual(self.reports("step")[0]["step"], 1)
        self.assertEqual(self.reports("step")[-1]["step"], 150)

    def test_figures_that_are_no_numbers_are_left_out(self):
        script = os.path.join(self.folder, "own.py")
        with open(script, "w") as file:
            file.write(
                "import fermata\n"
                "for step in fermata.steps(1): fermata.report(loss=float('nan'), accuracy=0.5, note='x')\n"
                "fermata.report(accuracy=0.75)\n"
            )
        self.run_script(0, script=script)
        line = self.reports("step")[0]
        self.assertEqual((line["metric"], line["value"]), ("loss", None))
        self.assertEqual(line["metrics"], {"loss": None, "accuracy": 0.5, "note": None})
        self.assertEqual(self.reports()[-1]["value"], 0.75)

    def test_invalid_arguments_are_rejected(self):
        nothing = lambda path: None  # noqa: E731
        for arguments in (
            dict(total=-1),
            dict(save=nothing),
            dict(save=nothing, load=nothing, every="often"),
            dict(save=nothing, load=nothing, every=0),
            dict(save=nothing, load=nothing, keep=1),
            dict(ranks="some"),
        ):
            with self.subTest(**arguments), self.assertRaises(ValueError):
                fermata.steps(**arguments)


if __name__ == "__main__":
    unittest.main()
