"""What the tests share: a folder, the script in its own process, its reports and its checkpoints."""

import json
import os
import signal
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
HELPER = os.path.dirname(HERE)
SCRIPT = os.path.join(HERE, "script.py")
TIMEOUT = 60


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="fermata-test-")
        self.addCleanup(shutil.rmtree, self.folder, ignore_errors=True)
        self.checkpoints = os.path.join(self.folder, "checkpoints")
        os.mkdir(self.checkpoints)
        self.report = os.path.join(self.folder, "report")
        self.attempt = 0

    def environment(self, **more):
        """That of a job, without whatever the tests themselves were started with."""
        mine = {key: value for key, value in os.environ.items() if not key.startswith(("FERMATA_", "SLURM_"))}
        for key in ("RANK", "WORLD_SIZE", "PYTHONPATH"):
            mine.pop(key, None)
        mine.update(
            PYTHONPATH=HELPER,
            PYTHONDONTWRITEBYTECODE="1",
            FERMATA_JOB_ID="1",
            FERMATA_ATTEMPT=str(self.attempt),
            FERMATA_CHECKPOINT_DIR=self.checkpoints,
            FERMATA_ATTEMPT_DIR=self.folder,
            FERMATA_REPORT=self.report,
        )
        mine.update({key: str(value) for key, value in more.items()})
        return {key: value for key, value in mine.items() if value != "None"}

    def start(self, script=SCRIPT, arguments=(), **more):
        self.attempt += 1
        process = subprocess.Popen(
            [sys.executable, script, *arguments],
            env=self.environment(**more),
            cwd=self.folder,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            # Tests in the background ignore Ctrl-C, and so would this process.
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        )
        self.addCleanup(self.end, process)
        return process

    @staticmethod
    def end(process):
        process.kill()
        process.communicate()

    def run_script(self, expect, *arguments, script=SCRIPT, **more):
        process = self.start(script, arguments, **more)
        out, err = process.communicate(timeout=TIMEOUT)
        self.assertEqual(process.returncode, expect, out + err)
        return out, err

    def wait_until(self, holds):
        until = time.monotonic() + TIMEOUT
        while not holds():
            self.assertLess(time.monotonic(), until, "timeout")
            time.sleep(0.001)

    def reports(self, kind=None):
        if not os.path.exists(self.report):
            return []
        with open(self.report) as file:
            lines = [json.loads(line) for line in file if line.endswith("\n") and line.strip()]
        return [line for line in lines if kind in (None, line["type"])]

    def saved_steps(self, below=""):
        folder = os.path.join(self.checkpoints, below)
        names = os.listdir(folder) if os.path.isdir(folder) else []
        return sorted(int(name[5:]) for name in names if name.startswith("step-"))

    def newest(self):
        return os.path.join(self.checkpoints, "step-%09d" % self.saved_steps()[-1])
