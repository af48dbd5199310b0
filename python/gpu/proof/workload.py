"""The workload: real models with and without waits for data, small trials in between, the same for every policy."""

import os
import shlex

HERE = os.path.dirname(os.path.abspath(__file__))
GPU = os.path.dirname(HERE)
EXAMPLES = os.path.join(os.path.dirname(GPU), "examples")

# program: (model, batch, idle milliseconds a step, usual step in seconds on an H200). The step is for declared times alone.
PROGRAMS = {
    "resnet18": ("resnet18", 64, 0, 0.017),
    "resnet50-idle": ("resnet50", 64, 40, 0.074),
    "vgg16-idle": ("vgg16", 64, 150, 0.184),
    "bert-base-idle": ("bert-base", 16, 60, 0.11),
    "gpt2-idle": ("gpt2-124m", 2, 100, 0.15),
    "gpt2": ("gpt2-124m", 8, 0, 0.065),
    "lstm-idle": ("lstm", 32, 30, 0.045),
    "dcgan": ("dcgan", 128, 0, 0.015),
    "unet-idle": ("unet", 16, 50, 0.075),
}

# (program, class, seconds after the beginning, seconds of training alone). The order is that of submission.
JOBS = [
    ("gpt2-idle", "batch", 0, 26),
    ("resnet50-idle", "batch", 0, 26),
    ("resnet18", "trial", 14, 1.5),
    ("vgg16-idle", "batch", 18, 8),
    ("bert-base-idle", "batch", 18, 8),
    ("unet-idle", "batch", 20, 6),
    ("resnet18", "batch", 20, 4),
    ("dcgan", "trial", 44, 1.5),
    ("bert-base-idle", "batch", 46, 5),
    ("dcgan", "batch", 48, 4),
    ("unet-idle", "batch", 50, 5),
    ("resnet18", "trial", 70, 1.5),
    ("spiral", "batch", 72, 3),
]


PEACE_SECONDS = 8
LOAD_SECONDS = 6
DECLARED = 2
"""Users declare generous times: this factor above the real ones."""


class Programs:
    """The command of each program: real models, or the standard-library example without PyTorch."""

    def __init__(self, python, plain=False, small=False, scale=1.0, record=None):
        self.python, self.plain, self.small, self.scale, self.record = python, plain, small, scale, record

    @staticmethod
    def names(most=None):
        """The profiled programs: all that occur except the spiral, which stays unprofiled."""
        return [program for program in PROGRAMS if any(job[0] == program for job in JOBS[:most])]

    def steps(self, program, seconds):
        if program == "spiral":
            return max(20, round(seconds * self.scale / (0.02 if self.small else 0.002)))
        return max(10, round(seconds * self.scale / PROGRAMS[program][3]))

    def command(self, program, steps, seed):
        if self.plain:
            each = 0.002 if program == "spiral" else PROGRAMS[program][3]
            words = [self.python, os.path.join(EXAMPLES, "train_plain.py"), "--steps", steps, "--seconds-per-step", each, "--seed", seed]
        elif program == "spiral":
            words = [self.python, os.path.join(EXAMPLES, "train_torch.py"), "--steps", steps, "--seed", seed, "--every", "10m"]
        else:
            model, batch, idle, _ = PROGRAMS[program]
            words = [self.python, os.path.join(GPU, "train.py"), "--model", model, "--idle-ms", idle]
            words += ["--small"] if self.small else ["--batch", batch]
            words += ["--steps", steps, "--seed", seed]
        return " ".join(shlex.quote(str(word)) for word in words)

    def document(self, name, program, job_class, seconds, seed, environment=None, memory=None, steps=None):
        steps = steps or self.steps(program, seconds)
        document = {
            "name": name,
            "class": job_class,
            "gpus": 1,
            "time": "%ds" % max(1, round(DECLARED * (seconds * self.scale + LOAD_SECONDS))),
            # Some seconds of training before a pause, however long loading takes: else there is nothing to save.
            "preempt": {"grace": "60s", "minRuntime": "%ds" % round(PEACE_SECONDS * self.scale)},
            # Not part of the command, so that the profile key is the same in every stage.
            "env": {**surroundings(), "TRAIN_RECORD": str(self.record), **(environment or {})},
            "run": self.command(program, steps, seed),
        }
        if memory:
            document["gpuMemory"] = "%dMiB" % memory
        return document

    def workload(self, most=None):
        """(seconds after the beginning, document) of each job."""
        jobs = []
        for number, (program, job_class, at, seconds) in enumerate(JOBS[:most], 1):
            name = "%02d-%s%s" % (number, program, "-trial" if job_class == "trial" else "")
            jobs.append((at * self.scale, self.document(name, program, job_class, seconds, number)))
        return jobs


def program_of(name):
    """The program of a job by its name: 07-spiral, 08-resnet18-trial, alone-gpt2."""
    program = name.split("-", 1)[1]
    return program[: -len("-trial")] if program.endswith("-trial") else program


def surroundings():
    """The variables that CUDA and Python need; jobs inherit no others from the daemon."""
    wanted = ("LD_LIBRARY_PATH", "VIRTUAL_ENV", "CUDA_HOME", "TORCH_HOME", "PYTHONDONTWRITEBYTECODE")
    return {name: os.environ[name] for name in wanted if os.environ.get(name)}
