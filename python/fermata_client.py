"""Submits and follows jobs of a Fermata daemon. Standard library only.

    import fermata

    job = fermata.submit("python train.py --epochs 3", gpus=1, name="baseline")
    job.wait()                      # or: await job.wait_async()
    print(job.state, job.exit_code)

The daemon is that of FERMATA_URL (http://, https:// or unix:/…/api.sock) with the token FERMATA_TOKEN; without them the one on
this machine.
"""

from __future__ import annotations

import asyncio
import http.client
import json
import os
import shlex
import socket
import ssl
import time
import urllib.parse
import uuid
from typing import Any, Dict, Iterable, List, Mapping, Optional, Sequence, Union

__all__ = ["Client", "Job", "FermataError", "JobFailed", "submit", "connect"]

DEFAULT_URL = "http://127.0.0.1:7070"
COMPLETED = "COMPLETED"


class FermataError(Exception):
    """The daemon refused a request, or cannot be reached.

    status    the HTTP status; 0 when there was no answer
    """

    def __init__(self, message: str, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


class JobFailed(FermataError):
    """A job ended otherwise than COMPLETED."""

    def __init__(self, job: "Job") -> None:
        super().__init__("job %d (%s) ended as %s" % (job.id, job.name, job.state))
        self.job = job


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self.path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


class Client:
    """A daemon, as one user sees it. Safe to use from several threads: each request has a connection of its own.

    url      http://, https:// or unix:/…/api.sock; default: FERMATA_URL, else the daemon of this machine
    token    default: FERMATA_TOKEN; a socket needs none
    ca       a file with the authority to trust for https
    """

    def __init__(
        self,
        url: Optional[str] = None,
        token: Optional[str] = None,
        *,
        ca: Optional[str] = None,
        timeout: float = 30.0,
    ) -> None:
        self.token = os.environ.get("FERMATA_TOKEN", "") if token is None else token
        named = url or os.environ.get("FERMATA_URL")
        self.url = named or ("" if self.token else _local_socket()) or DEFAULT_URL
        self.ca = ca
        self.timeout = timeout

    def submit(
        self,
        run: Union[str, Sequence[str]],
        *,
        gpus: Optional[int] = None,
        name: Optional[str] = None,
        env: Optional[Mapping[str, str]] = None,
        workdir: Optional[str] = None,
        **more: Any,
    ) -> "Job":
        """Submits one job and returns when the daemon has it for good.

        run      a shell command, or a list of words
        workdir  default: the current folder
        more     any other field of a job document, such as ``time="2h"``, ``queue="lab"``, ``after=[12]``, ``preempt="never"``;
                 ``class_`` stands for ``class``
        """
        document: Dict[str, Any] = {key.rstrip("_"): value for key, value in more.items() if value is not None}
        document["run"] = run if isinstance(run, str) else " ".join(shlex.quote(word) for word in run)
        document["workdir"] = workdir or os.getcwd()
        if gpus is not None:
            document["gpus"] = gpus
        if name is not None:
            document["name"] = name
        if env:
            document["env"] = dict(env)
        if document.get("preempt") == "never":
            document["preempt"] = {"maxTimes": 0}
        return self.submit_all([document])[0]

    def submit_all(self, documents: Iterable[Mapping[str, Any]]) -> List["Job"]:
        """Submits job documents: all of them or none. A lost connection submits nothing twice."""
        key = {"Idempotency-Key": uuid.uuid4().hex}
        body = {"jobs": [dict(document) for document in documents]}
        try:
            answer = self.request("POST", "/jobs", body, key)
        except FermataError as error:
            if error.status:
                raise
            answer = self.request("POST", "/jobs", body, key)
        return [Job(self, int(number)) for number in answer["ids"]]

    def job(self, number: int) -> "Job":
        """A job by its number."""
        return Job(self, number).refresh()

    def jobs(self, **filters: Any) -> List["Job"]:
        """The jobs in the list, the newest first; filters such as ``state="live"``, ``user="ada"``, ``name="sweep"``."""
        found: List[Job] = []
        cursor: Optional[str] = None
        while True:
            query = dict(filters, **({"cursor": cursor} if cursor else {}))
            page = self.request("GET", "/jobs?" + urllib.parse.urlencode(query))
            found.extend(Job(self, int(each["id"]), each) for each in page["items"])
            cursor = page.get("next")
            if not cursor:
                return found

    def request(
        self, method: str, path: str, body: Any = None, headers: Optional[Mapping[str, str]] = None
    ) -> Any:
        """One request below /api/v1; the answer as JSON, or as text where it is none."""
        sent = {"Accept": "application/json", **(headers or {})}
        if self.token:
            sent["Authorization"] = "Bearer " + self.token
        data = None
        if body is not None:
            data = json.dumps(body).encode()
            sent["Content-Type"] = "application/json"
        connection = self._connect()
        try:
            connection.request(method, "/api/v1" + path, data, sent)
            answer = connection.getresponse()
            content = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise FermataError("no answer from %s (%s)" % (self.url, error)) from error
        finally:
            connection.close()
        is_json = "json" in answer.headers.get("Content-Type", "")
        value = json.loads(content) if content and is_json else content.decode(errors="replace")
        if answer.status >= 400:
            raise FermataError(_problem(value) or answer.reason, answer.status)
        return value

    def _connect(self) -> http.client.HTTPConnection:
        if self.url.startswith("unix:"):
            return _UnixConnection(self.url[len("unix:"):], self.timeout)
        parts = urllib.parse.urlsplit(self.url)
        if parts.scheme == "https":
            context = ssl.create_default_context(cafile=self.ca)
            return http.client.HTTPSConnection(str(parts.hostname), parts.port, timeout=self.timeout, context=context)
        if parts.scheme != "http":
            raise FermataError("the address (%s) must begin with http:, https: or unix:" % self.url)
        return http.client.HTTPConnection(str(parts.hostname), parts.port, timeout=self.timeout)


class Job:
    """A submitted job. Its attributes are as of the last `refresh`; `document` has all that the daemon says."""

    def __init__(self, client: Client, number: int, document: Optional[Dict[str, Any]] = None) -> None:
        self.client = client
        self.id = number
        self.document: Dict[str, Any] = document or {}

    def __repr__(self) -> str:
        return "<fermata job %d %s>" % (self.id, self.document.get("state", ""))

    @property
    def state(self) -> str:
        """Such as PENDING, RUNNING, COMPLETED, FAILED."""
        return str(self._read("state"))

    @property
    def name(self) -> str:
        return str(self._read("name"))

    @property
    def ended(self) -> bool:
        return bool(self._read("final"))

    @property
    def exit_code(self) -> Optional[int]:
        """That of the last attempt; None while there is none."""
        return self._read("exitCode")

    @property
    def progress(self) -> Dict[str, Any]:
        """``current``, ``fraction``, ``metrics`` and more, as far as known."""
        return self._read("progress") or {}

    def _read(self, field: str) -> Any:
        if not self.document:
            self.refresh()
        return self.document.get(field)

    def refresh(self) -> "Job":
        self.document = self.client.request("GET", "/jobs/%d" % self.id)
        return self

    def wait(self, timeout: Optional[float] = None, *, check: bool = True) -> "Job":
        """Waits for the end. Raises `JobFailed` where that is not COMPLETED, unless ``check=False``, and TimeoutError."""
        for pause in self._pauses(timeout):
            if self.refresh().ended:
                return self._ended(check)
            time.sleep(pause)
        raise TimeoutError("job %d has not ended" % self.id)

    async def wait_async(self, timeout: Optional[float] = None, *, check: bool = True) -> "Job":
        """The same without blocking the event loop."""
        loop = asyncio.get_running_loop()
        for pause in self._pauses(timeout):
            await loop.run_in_executor(None, self.refresh)
            if self.ended:
                return self._ended(check)
            await asyncio.sleep(pause)
        raise TimeoutError("job %d has not ended" % self.id)

    @staticmethod
    def _pauses(timeout: Optional[float]) -> Iterable[float]:
        """Looks often at first; a job of hours is asked for twice a minute."""
        began = time.monotonic()
        while timeout is None or time.monotonic() - began <= timeout:
            waited = time.monotonic() - began
            pause = min(30.0, max(0.1, waited / 20))
            yield pause if timeout is None else max(0.01, min(pause, timeout - waited))

    def _ended(self, check: bool) -> "Job":
        if check and self.state != COMPLETED:
            raise JobFailed(self)
        return self

    def cancel(self) -> None:
        """Ends it. An ended job stays as it is."""
        try:
            self.client.request("DELETE", "/jobs/%d" % self.id)
        except FermataError as error:
            if error.status != 409:
                raise

    def logs(self, stream: str = "stdout") -> str:
        """What the last attempt printed; ``stdout`` or ``stderr``."""
        return str(
            self.client.request(
                "GET", "/jobs/%d/logs?stream=%s" % (self.id, stream), headers={"Accept": "text/plain"}
            )
        )

    def explain(self) -> Dict[str, Any]:
        """Why it waits or runs, in the daemon's words and figures."""
        return self.client.request("GET", "/jobs/%d/explain" % self.id)


_default: Optional[Client] = None


def connect(url: Optional[str] = None, token: Optional[str] = None, **more: Any) -> Client:
    """The daemon that `submit` uses from now on."""
    global _default
    _default = Client(url, token, **more)
    return _default


def submit(run: Union[str, Sequence[str]], **more: Any) -> Job:
    """Submits one job to the daemon of `connect`, else of the environment or of this machine; see `Client.submit`."""
    return (_default or Client()).submit(run, **more)


def _local_socket() -> str:
    """As the command line finds it: what `up` wrote for this user, else the usual places. Empty for none."""
    home = os.path.expanduser("~")
    config = os.environ.get("XDG_CONFIG_HOME") or os.path.join(home, ".config")
    data = os.environ.get("XDG_DATA_HOME") or os.path.join(home, ".local", "share")
    places = [os.path.join(data, "fermata", "api.sock"), "/var/lib/fermata/api.sock"]
    try:
        with open(os.path.join(config, "fermata", "client.json"), encoding="utf-8") as file:
            status = os.fstat(file.fileno())
            if status.st_uid in (0, os.getuid()) and not status.st_mode & 0o022:
                places.insert(0, json.load(file).get("socket") or "")
    except (OSError, ValueError):
        pass
    return next(("unix:" + place for place in places if place and os.path.exists(place)), "")


def _problem(value: Any) -> str:
    if not isinstance(value, dict):
        return str(value).strip()
    text = value.get("detail") or value.get("title") or ""
    errors = [
        "%s: %s" % (each.get("path", ""), each.get("message", ""))
        for each in value.get("errors", [])
        if str(each.get("message", "")) not in text
    ]
    return "; ".join([text, *errors] if text else errors)
