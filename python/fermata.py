"""Training loops that can be paused. Standard library only; copy this one file, or find it on PYTHONPATH in every Fermata job.

    import fermata

    def save(path): torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict()}, path)
    def load(path): ...

    for step in fermata.steps(10_000, save=save, load=load, every="10m"):
        loss = train_one_step()
        fermata.report(loss=loss)

The loop continues from the newest valid checkpoint and reports its progress to Fermata. On a pause request it ends the current
step, saves and exits with code 75 (an ordinary SystemExit: ``finally`` blocks run). Without Fermata it is a plain loop with
checkpoints in ./checkpoints; Ctrl-C saves and exits. docs/user/jobs.md has the contract.
"""

import atexit
import collections
import json
import math
import os
import re
import shutil
import signal
import sys
import threading
import time
import urllib.parse
import zlib

__all__ = ["steps", "report", "gpu", "shares", "local_batch", "loss_scale", "listen", "pause_requested", "seconds_left", "checkpoint_dir", "Paused", "CheckpointError", "PAUSED"]
__version__ = "0.1.0"

PAUSED = 75
"""Exit code of a script that has saved after a pause request."""
NOT_SAVED = 74
"""Exit code of a script that could not save after a pause request."""
INTERRUPTED = 130

_UP_SINCE = time.time()
"""When this file was imported: from here on Python is up, and the script builds its model."""

_STATE = "state"
_MANIFEST = "manifest.json"
_FOLDER = re.compile(r"step-(\d{9,})\Z")
_TEMPORARY = ".saving-"
_ASIDE = "set-aside"
_WHOLE_CHECKSUM_BYTES = 256 << 20
_EDGE_BYTES = 1 << 20
_PROFILE_SECONDS = 4.0


def __getattr__(name):
    """`fermata.submit` and its kin, where the client is installed (pip install ./python); a job needs only this file."""
    if name in ("submit", "connect", "Client", "Job", "FermataError", "JobFailed"):
        import fermata_client

        return getattr(fermata_client, name)
    raise AttributeError("module 'fermata' has no attribute %r" % name)


class Paused(SystemExit):
    """Ends a script after a pause request, when it has saved."""


class CheckpointError(Exception):
    """There are checkpoints, and none of them is valid. This is no fresh start: that would hide the loss of work."""


# ---------------------------------------------------------------------------------------------------------- the pause request


class _PauseListener:
    """Receives the pause request. The handler records the time and returns: everything else happens between two steps."""

    def __init__(self):
        self.requested_at = None
        self.by_keyboard = False
        self.installed = {}
        self.owner = None

    def listen(self):
        """Whether a request can be received from now on. Only the main thread can install the handler."""
        if threading.current_thread() is not threading.main_thread():
            return self.owner == os.getpid() and bool(self.installed)
        if self.owner != os.getpid():
            self.owner = os.getpid()
            self.installed = {}
        self._install(_signal_of_job(), self._requested)
        if not _inside() and signal.getsignal(signal.SIGINT) != signal.SIG_IGN:
            self._install(signal.SIGINT, self._interrupted)
        return True

    def _install(self, number, handler):
        if number not in self.installed:
            self.installed[number] = signal.signal(number, handler)

    def _requested(self, number, frame):
        if os.getpid() != self.owner:
            self._requested_in_child(number)
        elif self.requested_at is None:
            self.requested_at = time.monotonic()

    def _interrupted(self, number, frame):
        if os.getpid() != self.owner or self.requested_at is not None:
            raise KeyboardInterrupt  # the second Ctrl-C does not wait for the save
        self.by_keyboard = True
        self.requested_at = time.monotonic()
        os.write(2, b"\nfermata: interrupted; saving after this step (once more to exit at once)\n")

    def _requested_in_child(self, number):
        # Workers forked by the script inherit the handler. Their parent ends them with TERM; any other signal went to the
        # whole group, and the death of a worker would make the step fail.
        if number == signal.SIGTERM:
            signal.signal(number, signal.SIG_DFL)
            os.kill(os.getpid(), number)

    def restore(self, only=None):
        """Restores the former handlers; only in the main thread, since other threads install none."""
        if self.owner != os.getpid() or threading.current_thread() is not threading.main_thread():
            return
        for number in list(self.installed):
            if only in (None, number):
                signal.signal(number, self.installed.pop(number) or signal.SIG_DFL)


_listener = _PauseListener()


def listen():
    """Receives pause requests from now on. `steps` does this itself; call it early from the main thread if loading takes
    long, or if the loop will run in another thread. Returns False, and does nothing, outside the main thread."""
    return _listener.listen()


def pause_requested():
    """Whether a pause was requested. For steps so long that they should end early."""
    return _listener.requested_at is not None


def seconds_left():
    """Seconds until Fermata kills the script; infinity without a request or a deadline."""
    grace = _grace()
    if _listener.requested_at is None or grace is None:
        return math.inf
    return max(0.0, grace - (time.monotonic() - _listener.requested_at))


def checkpoint_dir():
    """Where checkpoints are kept over all attempts of this job: FERMATA_CHECKPOINT_DIR, or ./checkpoints."""
    return os.environ.get("FERMATA_CHECKPOINT_DIR") or "checkpoints"


def _inside():
    return "FERMATA_JOB_ID" in os.environ


def _signal_of_job():
    name = os.environ.get("FERMATA_SIGNAL") or "TERM"
    name = name if name.startswith("SIG") else "SIG" + name
    try:
        return signal.Signals[name]
    except KeyError:
        raise ValueError("FERMATA_SIGNAL is %s, which is not a signal; TERM, USR1, USR2 or INT is expected" % name) from None


def _number_of(name):
    try:
        return float(os.environ[name])
    except (KeyError, ValueError):
        return None


def _grace():
    return _number_of("FERMATA_GRACE_SECONDS")


def _rank():
    return int(_number_of("RANK") or 0)


def _world():
    return int(_number_of("WORLD_SIZE") or 1)


def shares(parts=None):
    """The part of each batch for each rank (or each of `parts` equal groups of GPUs), in order; they add up to 1.

    GPUs of several types finish together when each gets its share. Equal without Fermata, and on GPUs of one type."""
    parts = parts or _world()
    text = os.environ.get("FERMATA_GPU_SHARES", "")
    try:
        gpus = [float(share) for share in text.split(",")] if text else []
    except ValueError:
        raise ValueError("FERMATA_GPU_SHARES is %r; numbers joined by commas are expected" % text) from None
    if not gpus:
        return [1.0 / parts] * parts
    if len(gpus) % parts or min(gpus) <= 0:
        raise ValueError("%d shares (FERMATA_GPU_SHARES) cannot be divided among %d ranks" % (len(gpus), parts))
    each = len(gpus) // parts
    sums = [math.fsum(gpus[part * each : (part + 1) * each]) for part in range(parts)]
    return [share / math.fsum(sums) for share in sums]


def local_batch(total, rank=None):
    """How many samples of a batch of `total` this rank computes. Over all ranks they add up to `total`."""
    exact = [total * share for share in shares()]
    counts = [math.floor(samples) for samples in exact]
    by_remainder = sorted(range(len(exact)), key=lambda k: (counts[k] - exact[k], k))
    for k in by_remainder[: total - sum(counts)]:
        counts[k] += 1
    return counts[_rank() if rank is None else rank]


def loss_scale(total):
    """What to multiply a rank's mean loss with, where gradients are averaged over ranks, as torch's DistributedDataParallel does.

    A rank with more samples must weigh more: then the averaged gradient is that of the whole batch."""
    return _world() * local_batch(total) / total


def _print(text):
    try:
        print("fermata: " + text, file=sys.stderr, flush=True)
    except (OSError, ValueError, AttributeError):
        pass  # stderr is closed, which must not end the training


# ------------------------------------------------------------------------------------------------------------------- reports


class _HttpReports:
    """Sends reports to the daemon, from a thread of its own. It never makes the script wait, except briefly at its end."""

    LONGEST = 128  # what is kept while the daemon does not answer
    TIMEOUT = 5.0
    PERIOD = 0.5

    def __init__(self, url, token):
        self.url = url
        self.token = token
        self._reset()
        atexit.register(self._finish)

    def _reset(self):
        self.pid = os.getpid()
        self.changed = threading.Condition()
        self.waiting = collections.deque()
        self.thread = None
        self.connection = None
        self.refused = self.ending = False

    def add(self, report):
        if self.pid != os.getpid():
            self._reset()  # a forked process has no such thread
        with self.changed:
            if self.refused:
                return
            if report["type"] == "step" and self.waiting and self.waiting[-1]["type"] == "step":
                self.waiting.pop()  # the later one says more
            elif len(self.waiting) >= self.LONGEST:
                self.waiting.popleft()
            self.waiting.append(report)
            if self.thread is None:
                self.thread = threading.Thread(target=self._send_all, name="fermata-reports", daemon=True)
                self.thread.start()
            self.changed.notify_all()

    def _send_all(self):
        pause = self.PERIOD
        while True:
            with self.changed:
                while not self.waiting and not self.ending:
                    self.changed.wait()
                batch = list(self.waiting)
                self.waiting.clear()
            if not batch:
                return
            sent = self._send(batch)
            with self.changed:
                if self.refused or (self.ending and not sent):
                    self.waiting.clear()
                    return
                if not sent:
                    self.waiting.extendleft(reversed(batch[-max(0, self.LONGEST - len(self.waiting)) :]))
                pause = self.PERIOD if sent else min(30.0, 2 * pause)
                if not self.ending:
                    self.changed.wait_for(lambda: self.ending, timeout=pause)

    def _send(self, batch):
        """Whether the daemon has them. A refusal is final: the token holds for this attempt only."""
        try:
            if self.connection is None:
                self.connection = self._connect()
            path = "/api/v1/attempts/%s.%s/reports" % (os.environ["FERMATA_JOB_ID"], os.environ["FERMATA_ATTEMPT"])
            headers = {"Authorization": "Bearer " + self.token, "Content-Type": "application/json"}
            self.connection.request("POST", urllib.parse.urlsplit(self.url).path.rstrip("/") + path, json.dumps({"reports": batch}), headers)
            answer = self.connection.getresponse()
            answer.read()
            if answer.status in (408, 429) or answer.status >= 500:
                return False
            if answer.status >= 400:
                self.refused = True
                _print("the daemon refuses reports (status %d); going on without" % answer.status)
            return answer.status < 400
        except Exception:  # whatever the network does must not end the training
            if self.connection is not None:
                self.connection.close()
            self.connection = None
            return False

    def _connect(self):
        import http.client  # takes a while, and most jobs never need it

        address = urllib.parse.urlsplit(self.url)
        if address.scheme != "https":
            return http.client.HTTPConnection(address.hostname or "", address.port, timeout=self.TIMEOUT)
        import ssl

        certificate = os.environ.get("FERMATA_REPORT_CERT")
        context = ssl.create_default_context()
        if certificate:
            # Only this one certificate is trusted, so the name in it does not matter.
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            context.check_hostname = False
            context.load_verify_locations(cadata=certificate)
            context.verify_flags |= getattr(ssl, "VERIFY_X509_PARTIAL_CHAIN", 0)
        return http.client.HTTPSConnection(address.hostname or "", address.port, timeout=self.TIMEOUT, context=context)

    def _finish(self):
        """The last reports say whether the work was saved: they are worth a moment, but no more."""
        if self.pid != os.getpid() or self.thread is None:
            return
        with self.changed:
            self.ending = True
            self.changed.notify_all()
        self.thread.join(min(self.TIMEOUT, seconds_left() / 2))


def _http_reports():
    url, token = os.environ.get("FERMATA_REPORT_URL"), os.environ.get("FERMATA_REPORT_TOKEN")
    return _HttpReports(url, token) if url and token else None


class _Reporter:
    """Reports as JSON lines in $FERMATA_REPORT, else by HTTP: at most two a second, fewer in long runs. It never fails a script."""

    def __init__(self):
        self.path = os.environ.get("FERMATA_REPORT") if _rank() == 0 else None
        self.http = _http_reports() if _rank() == 0 else None
        self.metrics = {}
        self.durations = collections.deque(maxlen=33)
        self.step = 0
        self.total = 0
        self.looping = False
        self.began = time.monotonic()
        self.reported_at = -math.inf
        self.broken_line = False
        self.failure_shown = False

    def due(self):
        now = time.monotonic()
        return now - self.reported_at >= min(10.0, max(0.5, (now - self.began) / 1000))

    def report_step(self, now=False):
        if now or self.due():
            self.reported_at = time.monotonic()
            self.write("step")

    def write(self, type_, **more):
        if not self.path and not self.http:
            return
        line = {"at": int(time.time() * 1000), "type": type_, "step": self.step, "total": self.total}
        figures = {name: _figure(value) for name, value in self.metrics.items()}
        for name, value in list(figures.items())[:1]:
            line.update(metric=name, value=value)
        if len(figures) > 1:
            line["metrics"] = figures
        line.update(_gpu_figures())
        if self.durations:
            # The median: one step that waited for data says nothing about the next.
            line["iteration"] = round(sorted(self.durations)[len(self.durations) // 2], 6)
        line.update(more)
        if self.path:
            self._append(line)
        if not self.path and self.http:
            self.http.add(line)

    def _append(self, line):
        data = (json.dumps(line) + "\n").encode()
        try:
            # One write to a file opened for appending: lines of several processes do not mix.
            # Where reports can go by HTTP, a missing file means that the daemon's files are not here.
            create = 0 if self.http else os.O_CREAT
            file = os.open(self.path, os.O_WRONLY | os.O_APPEND | create | os.O_CLOEXEC, 0o644)
            try:
                data = b"\n" + data if self.broken_line else data
                self.broken_line = os.write(file, data) != len(data)
            finally:
                os.close(file)
        except OSError as error:
            if self.http:
                self.path = None
            elif not self.failure_shown:
                self.failure_shown = True
                _print("cannot report to %s (%s); going on without" % (self.path, error.strerror))


def _figure(value):
    """A number that JSON can hold, or None. Converted when a line is written, so that a loss on a GPU is rarely waited for."""
    try:
        value = float(value)
    except (TypeError, ValueError, RuntimeError):
        return None
    return value if math.isfinite(value) else None


_reporter = None


def _reports():
    global _reporter
    if _reporter is None:
        _reporter = _Reporter()
    return _reporter


def report(**metrics):
    """Records metrics of the current step, such as ``report(loss=0.31, accuracy=0.9)``; users see the first one.
    Cheap enough for every step: at most two lines a second are written."""
    reporter = _reports()
    # A tensor with its graph would keep the whole graph in memory.
    reporter.metrics = {name: value.detach() if hasattr(value, "detach") else value for name, value in metrics.items()}
    if not reporter.looping:
        reporter.report_step()


# ---------------------------------------------------------------------------------------------------------------- GPU memory

_CONTEXT_MIB = 800
"""GPU memory of a CUDA process besides torch's own: its context and libraries (766 MiB on an H200, torch 2.11)."""
_reported_gpu = {}


def gpu(memory_mib=None, busy=None):
    """For scripts that measure their GPUs themselves: the peak memory on one of them so far, everything included, and the share
    of the time (0 to 1) in which they are busy. With torch the memory is reported anyway, and the daemon samples the GPUs."""
    if memory_mib is not None:
        _reported_gpu["memoryMib"] = int(memory_mib)
    if busy is not None:
        _reported_gpu["busy"] = round(min(1.0, max(0.0, float(busy))), 3)


def _torch():
    """torch, if this script has imported it and initialised its GPUs. The helper itself never does either."""
    torch = sys.modules.get("torch")
    try:
        return torch if torch is not None and torch.cuda.is_initialized() else None
    except Exception:  # half imported, or built without CUDA
        return None


def _gpu_figures():
    figures = dict(_reported_gpu)
    torch = _torch()
    if torch is not None and "memoryMib" not in figures:
        try:
            peaks = [torch.cuda.max_memory_reserved(device) for device in range(torch.cuda.device_count())]
            if max(peaks) > 0:
                figures["memoryMib"] = (max(peaks) >> 20) + _CONTEXT_MIB
        except Exception:  # a failure of the driver must not end the training
            pass
    return figures


class _MemoryReservation:
    """On a shared GPU a job may use its memory reservation (FERMATA_GPU_MEMORY_MIB) and no more. The limit is set as soon as torch
    uses GPUs, so that a script above it fails itself, not the co-located job."""

    def __init__(self):
        self.mib = _number_of("FERMATA_GPU_MEMORY_MIB")

    def enforce(self):
        torch = _torch() if self.mib else None
        if torch is None:
            return
        try:
            for device in range(torch.cuda.device_count()):
                total = torch.cuda.get_device_properties(device).total_memory / (1 << 20)
                share = max(0.01, min(1.0, (self.mib - _CONTEXT_MIB) / total))
                torch.cuda.set_per_process_memory_fraction(share, device)
            self.mib = None
        except Exception as error:
            _print("cannot limit torch to its GPU memory reservation (%s); going on" % error)
            self.mib = None


# --------------------------------------------------------------------------------------------------------------- checkpoints


def _flush(path):
    file = os.open(path, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _files_below(path):
    if not os.path.isdir(path):
        return [path]
    return [os.path.join(folder, name) for folder, _, names in os.walk(path) for name in sorted(names)]


def _fingerprint(path):
    """Size and checksum. For files too large to be read again during a pause, the checksum covers both ends."""
    size = os.path.getsize(path)
    total = 0
    with open(path, "rb") as file:
        if size <= _WHOLE_CHECKSUM_BYTES:
            for block in iter(lambda: file.read(_EDGE_BYTES), b""):
                total = zlib.crc32(block, total)
        else:
            total = zlib.crc32(file.read(_EDGE_BYTES))
            file.seek(-_EDGE_BYTES, os.SEEK_END)
            total = zlib.crc32(file.read(_EDGE_BYTES), total)
    return [size, total]


class _CheckpointFolder:
    """A folder of checkpoints: step-000000410/{manifest.json,state}. Each appears by a rename, complete or not at all."""

    def __init__(self, folder, keep):
        self.folder = folder
        self.keep = keep

    def at(self, step):
        return os.path.join(self.folder, "step-%09d" % step)

    def steps(self):
        """The steps with a checkpoint, newest first."""
        try:
            names = os.listdir(self.folder)
        except FileNotFoundError:
            return []
        found = (_FOLDER.match(name) for name in names)
        return sorted((int(match.group(1)) for match in found if match), reverse=True)

    def sweep(self):
        """Removes unfinished checkpoints of a killed process."""
        for name in os.listdir(self.folder) if os.path.isdir(self.folder) else []:
            if name.startswith(_TEMPORARY):
                shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)

    def add(self, step, save):
        """Calls save(path) and adds the checkpoint; returns its bytes. A failure changes no other checkpoint."""
        os.makedirs(self.folder, exist_ok=True)
        temporary = os.path.join(self.folder, "%s%d-%d" % (_TEMPORARY, step, os.getpid()))
        shutil.rmtree(temporary, ignore_errors=True)
        try:
            os.mkdir(temporary)
            state = os.path.join(temporary, _STATE)
            save(state)
            if not os.path.exists(state):
                raise CheckpointError("save(path) returned without writing a file or a folder at path (%s)" % state)
            files = {}
            for path in _files_below(state):
                _flush(path)
                files[os.path.relpath(path, temporary)] = _fingerprint(path)
            manifest = os.path.join(temporary, _MANIFEST)
            with open(manifest, "w") as file:
                json.dump({"step": step, "at": int(time.time() * 1000), "files": files}, file)
            _flush(manifest)
            for folder, _, _ in os.walk(temporary):
                _flush(folder)
            os.rename(temporary, self.at(step))
            _flush(self.folder)
        except BaseException:
            shutil.rmtree(temporary, ignore_errors=True)
            raise
        self._prune(step)
        return sum(size for size, _ in files.values())

    def _prune(self, newest):
        older = [step for step in self.steps() if step < newest]
        for step in older[self.keep - 1 :]:
            # Renamed first, so that a half removed checkpoint is never visible.
            away = os.path.join(self.folder, "%sold-%d" % (_TEMPORARY, step))
            try:
                os.rename(self.at(step), away)
            except OSError:
                continue
            shutil.rmtree(away, ignore_errors=True)

    def set_aside_after(self, step):
        """Moves newer ones away: damaged, or of ranks that got further than others. The latest is kept for inspection."""
        newer = [other for other in self.steps() if other > step]
        for other in reversed(newer):
            shutil.rmtree(os.path.join(self.folder, _ASIDE), ignore_errors=True)
            os.rename(self.at(other), os.path.join(self.folder, _ASIDE))

    def check(self, step):
        """The defect of a checkpoint, or None."""
        try:
            with open(os.path.join(self.at(step), _MANIFEST)) as file:
                files = json.load(file)["files"]
            for name, expected in files.items():
                path = os.path.join(self.at(step), name)
                if not os.path.exists(path):
                    return name + " is missing"
                if _fingerprint(path) != expected:
                    return name + " is not what was saved"
        except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
            return "%s: %s" % (_MANIFEST, error)
        return None

    def load(self, load, candidates):
        """Loads the newest valid checkpoint and returns its step; 0 when there is no checkpoint."""
        reasons = []
        last = None
        for step in candidates:
            reason = self.check(step)
            if reason is None:
                try:
                    load(os.path.join(self.at(step), _STATE))
                    return step, reasons
                except Exception as error:  # raised by the script's own code
                    reason, last = "load(path) failed: %s: %s" % (type(error).__name__, error), error
            reasons.append("%s cannot be used (%s)" % (self.at(step), reason))
        if reasons:
            raise CheckpointError(
                "; ".join(reasons) + ". To start from the beginning, remove or move away %s" % self.folder
            ) from last
        return 0, reasons


# --------------------------------------------------------------------------------------------------------------------- ranks


class _RankAgreement:
    """Makes ranks that train together stop at the same step: rank 0 writes the step into a file of this attempt, one step ahead.
    A rank in the same step cannot end it without rank 0, and reads the file before it begins the next."""

    def __init__(self, rank):
        self.rank = rank
        folder = os.environ.get("FERMATA_ATTEMPT_DIR") or os.environ.get("FERMATA_RUN_DIR")  # its name in 0.1.0
        self.path = folder and os.path.join(folder, "pause-%s" % os.environ.get("FERMATA_ATTEMPT", "1"))
        self.stop = None

    def stops_before(self, step):
        if self.path is None:
            return pause_requested()
        if self.stop is None and self.rank == 0 and pause_requested():
            self.stop = step + 1
            _write_whole(self.path, str(self.stop))
        elif self.stop is None and self.rank != 0:
            try:
                with open(self.path) as file:
                    self.stop = int(file.read())
            except FileNotFoundError:
                pass
        return self.stop is not None and step >= self.stop

    def saved(self):
        if self.path is not None:
            _write_whole(self._mark(self.rank), "")

    def wait_for_saves(self, ranks):
        """Launchers kill the other ranks when the first exits, so each waits until all saving ranks have saved."""
        until = time.monotonic() + min(seconds_left(), 3600)
        while self.path is not None and not all(os.path.exists(self._mark(rank)) for rank in ranks):
            if time.monotonic() >= until:
                return
            time.sleep(0.02)

    def _mark(self, rank):
        return "%s-saved-%d" % (self.path, rank)


def _write_whole(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.replace(path + ".new", path)


# ------------------------------------------------------------------------------------------------------------------ the loop


def steps(total=None, save=None, load=None, every=None, *, dir=None, keep=2, ranks="first", agree=None):
    """Yields the remaining steps: 0 … total-1, from the newest valid checkpoint on.

    total    how many steps there are in all; None for a loop that the script ends itself with ``break``
    save     save(path): write the state (model, optimizer, random numbers …) to a file or a new folder at path
    load     load(path): read it back. Checkpoints are complete or absent; a damaged one is passed over for the one before
    every    also save at an interval of steps (100) or of time ("10m"); None: only on a pause request, and at the end
    dir      where checkpoints are kept; two loops in one script need two folders. Otherwise `checkpoint_dir()`
    keep     how many of them are kept
    ranks    which ranks save: "first" (rank 0, for all) or "all" (each its own state, in dir/rank-N)
    agree    agree(requested) -> bool, called by every rank before every step: true for all once it is true for one, such as an
             all-reduce. Without it rank 0 writes the step at which all stop to a file in FERMATA_ATTEMPT_DIR
    """
    if (save is None) != (load is None):
        raise ValueError("save and load belong together: give both or neither")
    if total is not None and total < 0:
        raise ValueError("total is %d; 0 or more steps are expected" % total)
    if keep < 2:
        raise ValueError("keep is %d; at least 2 are needed, so that one is left when the newest is damaged" % keep)
    if ranks not in ("first", "all"):
        raise ValueError("ranks is %r; 'first' or 'all' is expected" % (ranks,))
    period = _period(every)
    if ranks == "all" and _world() > 1 and period[1]:
        if every is not None:
            raise ValueError("ranks that save for themselves must do it at the same step: give every in steps")
        period = (None, None)
    loop = _Loop(total, save, load, period, agree)
    if not _listener.listen():
        _print(
            "steps() runs outside the main thread and cannot receive the pause request by itself; "
            "call fermata.listen() in the main thread first"
        )
    loop.load(dir or checkpoint_dir(), keep, ranks)
    # The handler is installed and the state loaded by now, not at the first step.
    return loop.run()


def _period(every):
    """(steps, seconds) between periodic saves; None for never."""
    if every is None:
        return None, _number_of("FERMATA_CHECKPOINT_SECONDS")
    if isinstance(every, bool) or not isinstance(every, (int, str)):
        raise TypeError("every is %r; a number of steps, or a time such as '30s', '10m', '1h', is expected" % (every,))
    if isinstance(every, int):
        if every < 1:
            raise ValueError("every is %d; at least 1 step is expected" % every)
        return every, None
    match = re.match(r"(\d+(?:\.\d+)?)\s*([smh])\Z", every)
    if not match:
        raise ValueError("every is %r; a time such as '30s', '10m', '1h' is expected" % every)
    return None, float(match.group(1)) * {"s": 1, "m": 60, "h": 3600}[match.group(2)]


class _Loop:
    def __init__(self, total, save, load, period, agree):
        self.total = total
        self.save_state = save
        self.load_state = load
        self.every_steps, self.every_seconds = period
        self.agree = agree
        self.rank, self.world = _rank(), _world()
        self.agreement = _RankAgreement(self.rank) if self.world > 1 else None
        self.reporter = _reports()
        self.reporter.total = total or 0
        self.done = self.saved = 0
        self.saved_at = time.monotonic()
        self.longest_step = 0.0
        self.reservation = _MemoryReservation()
        self.profile_steps = int(_number_of("FERMATA_PROFILE_STEPS") or 0)
        if self.profile_steps:
            # A profiling run: no checkpoint is read or written.
            self.save_state = self.load_state = None
        self.saving_works = False
        self.warned = False

    # The beginning

    def load(self, folder, keep, ranks):
        apart = ranks == "all" and self.world > 1
        self.savers = [] if self.save_state is None else range(self.world) if apart else [0]
        self.saves = self.rank in self.savers
        self.checkpoints = _CheckpointFolder(_of_rank(folder, self.rank) if apart else folder, keep)
        self.reservation.enforce()
        self.reporter.step = 0
        self.reporter.write("hello", pid=os.getpid(), version=__version__, up=int(_UP_SINCE * 1000))
        began = time.monotonic()
        step = self._load(folder, keep, apart) if self.load_state is not None else 0
        seconds = time.monotonic() - began
        self.done = self.saved = self.reporter.step = step
        # Reported even when there was nothing to load: from here on the script trains.
        self.reporter.write("loaded", seconds=round(seconds, 3))
        if step and self.rank == 0:
            _print("going on at step %d, loaded from %s in %.1f s" % (step, self.checkpoints.at(step), seconds))

    def _load(self, folder, keep, apart):
        if self.saves:
            self.checkpoints.sweep()
        candidates = self.checkpoints.steps()
        if apart:
            # The newest that all ranks have; a rank that fell back further alone would train another state.
            per_rank = [set(_CheckpointFolder(_of_rank(folder, rank), keep).steps()) for rank in range(self.world)]
            candidates = sorted(set.intersection(*per_rank), reverse=True)[:1]
        try:
            step, passed_over = self.checkpoints.load(self.load_state, candidates)
        except CheckpointError as error:
            self.reporter.write("error", detail=str(error))
            raise
        for reason in passed_over:
            self._warn(reason + ("; using the one of step %d" % step))
        if self.saves:
            self.checkpoints.set_aside_after(step)
        return step

    # The middle

    def run(self):
        self.looping_since = time.monotonic()
        self.reporter.looping = True
        self.saved_at = time.monotonic()
        first = True
        try:
            while self.total is None or self.done < self.total:
                if self._stops_here():
                    self._pause()
                began = time.monotonic()
                yield self.done
                took = time.monotonic() - began
                self.longest_step = max(self.longest_step, took)
                if not first:  # the first one warms up
                    self.reporter.durations.append(took)
                self.done += 1
                self.reporter.step = self.done
                self.reporter.report_step(now=first or self.done == self.total)
                self.reservation.enforce()
                first = False
                if self._profiled():
                    self._end_profile()
                if self._save_is_due():
                    self._save_or_go_on()
            if self.saves and self.saved != self.done:
                self._save_or_go_on()
            self.reporter.write("finished")
            # From here on a pause request is ignored: the script ends within its grace time.
        except GeneratorExit:
            _listener.restore()
            raise
        finally:
            if not _inside():
                _listener.restore(signal.SIGINT)
            self.reporter.looping = False
            self.reporter.reported_at = -math.inf

    def _stops_here(self):
        if self.agree is not None:
            return bool(self.agree(pause_requested()))
        return self.agreement.stops_before(self.done) if self.agreement else pause_requested()

    def _save_is_due(self):
        if not self.saves or self.done == self.total:
            return False
        if self.every_steps:
            return self.done % self.every_steps == 0
        return bool(self.every_seconds) and time.monotonic() - self.saved_at >= self.every_seconds

    def _save(self):
        self.reporter.write("saving")
        self.saved_at = time.monotonic()
        size = self.checkpoints.add(self.done, self.save_state)
        seconds = time.monotonic() - self.saved_at
        self.saved_at = time.monotonic()
        self.saved = self.done
        self.saving_works = True
        self.reporter.write("saved", seconds=round(seconds, 3), bytes=size)
        self._compare_with_grace(seconds)
        return seconds

    def _save_or_go_on(self):
        """A full disk may have room later: it must not end a training whose last checkpoint is valid."""
        try:
            self._save()
        except Exception as error:
            if not isinstance(error, OSError) and not self.saving_works:
                raise  # more likely a mistake in save(): report it now, not at a pause
            self._warn("could not save step %d (%s); going on, %s" % (self.done, error, self._what_is_kept()))

    def _compare_with_grace(self, seconds):
        grace = _grace()
        if grace is not None and not self.warned and self.longest_step + seconds > grace:
            self.warned = True
            self._warn(
                "a step (%.1f s) and a save (%.1f s) take longer than the grace (%.1f s): "
                "a pause would lose work; ask for more with preempt.grace" % (self.longest_step, seconds, grace)
            )

    # The end

    def _profiled(self):
        # Long enough for samples of the GPU; ranks, which must stop together, only count steps.
        enough = self.world > 1 or time.monotonic() - self.looping_since >= _PROFILE_SECONDS
        return self.profile_steps and self.done >= self.profile_steps and enough

    def _end_profile(self):
        self.reporter.report_step(now=True)
        self.reporter.write("finished")
        if self.rank == 0:
            _print("profiled for %d steps; nothing was saved" % self.done)
        raise SystemExit(0)

    def _pause(self):
        try:
            self._save_for_pause()
        finally:
            if self.agreement:
                if self.saves:
                    self.agreement.saved()
                self.agreement.wait_for_saves(self.savers)
        raise Paused(INTERRUPTED if _listener.by_keyboard else PAUSED)

    def _save_for_pause(self):
        if self.save_state is None:
            _print("pause requested at step %d; nothing is saved, since steps() was given no save" % self.done)
        elif self.saves and self.saved == self.done:
            self.reporter.write("saved", seconds=0)
            _print("pause requested at step %d, with nothing new to save" % self.done)
        elif self.saves:
            try:
                seconds = self._save()
            except Exception as error:
                self._warn("pause requested, but could not save step %d (%s); %s" % (self.done, error, self._what_is_kept()))
                raise SystemExit(NOT_SAVED) from error
            if self.rank == 0:
                _print("pause requested: saved step %d in %.1f s; exiting" % (self.done, seconds))

    def _what_is_kept(self):
        kept = self.checkpoints.steps()
        return "the checkpoint of step %d is kept" % kept[0] if kept else "and there is no earlier checkpoint"

    def _warn(self, text):
        _print(text)
        self.reporter.write("error", detail=text)


def _of_rank(folder, rank):
    return os.path.join(folder, "rank-%d" % rank)
