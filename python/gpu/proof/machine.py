"""The machine: what it is, and what its GPU does while others use it."""

import os
import platform
import shutil
import statistics
import subprocess


def environment(python):
    """GPU, driver, PyTorch, processors. Never fails: what cannot be learned is absent."""
    found = {"system": platform.platform(), "python": platform.python_version(), "processors": os.cpu_count(), "java": shutil.which("java")}
    query = said(["nvidia-smi", "--query-gpu=name,memory.total,driver_version", "--format=csv,noheader,nounits"])
    if query:
        name, memory, driver = (part.strip() for part in query.splitlines()[0].split(","))
        found.update(gpu=name, gpuMemoryMib=int(memory), driver=driver)
    torch = said([python, "-c", "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"])
    if torch:
        found["torch"] = torch.splitlines()[-1]
    return found


def said(command, seconds=60):
    try:
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, universal_newlines=True, timeout=seconds)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 and done.stdout.strip() else None


class Gauge:
    """Watches GPU 0 while the `with` block lasts, by one nvidia-smi that goes on; silent where there is none."""

    def __enter__(self):
        self.process = None
        try:
            self.process = subprocess.Popen(
                ["nvidia-smi", "-i", "0", "--query-gpu=utilization.gpu,memory.used", "--format=csv,noheader,nounits", "-lms", "500"],
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                universal_newlines=True,
            )
        except OSError:
            pass
        return self

    def __exit__(self, *trouble):
        self.samples = []
        if self.process is None:
            return
        self.process.terminate()
        for line in self.process.communicate()[0].splitlines():
            parts = [part.strip() for part in line.split(",")]
            if len(parts) == 2 and all(part.isdigit() for part in parts):
                self.samples.append((int(parts[0]), int(parts[1])))

    def figures(self):
        if not self.samples:
            return {}
        return {
            "meanBusyPercent": round(statistics.mean(busy for busy, _ in self.samples), 1),
            "peakMemoryMib": max(memory for _, memory in self.samples),
            "samples": len(self.samples),
        }
