"""A daemon for one stage, called over its public API."""

import glob
import http.client
import json
import os
import socket
import subprocess
import time

FINAL = ("COMPLETED", "FAILED", "CANCELLED", "TIMEOUT", "OOM", "UNSATISFIABLE")


class LocalConnection(http.client.HTTPConnection):
    """To the daemon's Unix socket, which needs no token."""

    def __init__(self, path):
        super().__init__("localhost", timeout=30)
        self.path = path

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Daemon:
    """Runs during the `with` block; all of its jobs end with it."""

    def __init__(self, fermata, folder, gpus, policy, log):
        self.fermata, self.folder, self.gpus, self.policy = fermata, folder, gpus, policy
        self.log = log
        self.environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith("FERMATA_")},
            "XDG_CONFIG_HOME": os.path.join(folder, "config"),
            "XDG_DATA_HOME": os.path.join(folder, "share"),
            "XDG_CACHE_HOME": os.path.join(folder, "cache"),
        }

    def __enter__(self):
        os.makedirs(self.folder, exist_ok=True)
        self.out = open(os.path.join(self.folder, "up.txt"), "w+")
        command = [self.fermata, "up", "--port", "0", "--data", os.path.join(self.folder, "data"), "--run-as", "daemon"]
        command += ["--gpus", self.gpus, "--policy", self.policy]
        self.log("$ " + " ".join(command))
        self.process = subprocess.Popen(command, env=self.environment, stdout=self.out, stderr=subprocess.STDOUT, start_new_session=True)
        try:
            self._find()
        except BaseException:
            self.__exit__()
            raise
        return self

    def _find(self):
        client = os.path.join(self.environment["XDG_CONFIG_HOME"], "fermata", "client.json")
        until = time.monotonic() + 60
        while time.monotonic() < until:
            if self.process.poll() is not None:
                raise RuntimeError("the daemon ended: " + self.said())
            try:
                with open(client) as file:
                    found = json.load(file)
                self.socket = found["socket"]
                if self.get("diag")["phase"] == "LEADING":
                    self.pid = self.get("diag")["pid"]
                    return
            except (OSError, ValueError, KeyError, http.client.HTTPException):
                pass
            time.sleep(0.1)
        raise RuntimeError("the daemon does not answer: " + self.said())

    def said(self):
        self.out.flush()
        with open(self.out.name) as file:
            return file.read()[-2000:]

    def __exit__(self, *trouble):
        try:
            self.cancel_all()
        except Exception as e:  # it is stopped in any case
            self.log("while ending jobs: %s" % e)
        self.process.terminate()
        try:
            self.process.wait(15)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait(15)
        self.out.close()

    def cancel_all(self):
        for job in self.jobs():
            if job["state"] not in FINAL:
                self.call("DELETE", "jobs/%d" % job["id"])
        self.wait(lambda jobs: all(job["state"] in FINAL for job in jobs), 10)

    # Requests

    def call(self, method, path, body=None):
        text = self.text(path, method, body)
        return json.loads(text) if text else None

    def text(self, path, method="GET", body=None):
        connection = LocalConnection(self.socket)
        try:
            headers = {} if body is None else {"Content-Type": "application/json"}
            connection.request(method, "/api/v1/" + path, None if body is None else json.dumps(body).encode(), headers)
            answer = connection.getresponse()
            text = answer.read().decode(errors="replace")
        finally:
            connection.close()
        if answer.status >= 400:
            raise RuntimeError("%s %s: %s %s" % (method, path, answer.status, text[:500]))
        return text

    def get(self, path):
        return self.call("GET", path)

    def submit(self, document):
        answer = self.call("POST", "jobs", document)
        return answer["ids"][0]

    def jobs(self):
        """All jobs in any state; there are fewer than a page."""
        return self.get("jobs?state=live,ended&limit=1000")["items"]

    def events(self):
        items, cursor = [], ""
        while True:
            page = self.get("events?limit=1000" + cursor)
            items += page["items"]
            if not page.get("next"):
                return items
            cursor = "&cursor=" + page["next"]

    def describe(self, job):
        return self.get("jobs/%d" % job)

    def run(self, *words, seconds=60):
        """Runs a command as the daemon's user; (exit code, output), without a code after a timeout."""
        try:
            done = subprocess.run(
                [self.fermata, *words],
                env=self.environment,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                universal_newlines=True,
                timeout=seconds,
            )
        except subprocess.TimeoutExpired:
            return None, "no answer within %d s" % seconds
        return done.returncode, done.stdout

    def wait(self, holds, seconds, every=0.2):
        """Until holds(jobs) is true; False when the time is up."""
        until = time.monotonic() + seconds
        while True:
            if holds(self.jobs()):
                return True
            if time.monotonic() > until:
                return False
            time.sleep(every)

    # Cost

    def cpu_seconds(self):
        """(its own, of its nvidia-smi processes); None for unknown."""
        own = watching = 0.0
        for stat in glob.glob("/proc/[0-9]*/stat"):
            try:
                with open(stat) as file:
                    pid, rest = file.read().split(" (", 1)
            except OSError:
                continue  # it ended meanwhile
            name, fields = rest.rsplit(") ", 1)
            fields = fields.split()
            seconds = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
            if int(pid) == self.pid:
                own = seconds
            elif int(fields[1]) == self.pid and name.startswith("nvidia-smi"):
                watching += seconds
        return (own, watching) if own else None
