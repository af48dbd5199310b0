"""The client, against a daemon that answers as the real one does."""

import asyncio
import http.server
import json
import os
import socket
import socketserver
import subprocess
import sys
import tempfile
import threading
import unittest

from case import HELPER

sys.path.insert(0, HELPER)
import fermata_client  # noqa: E402


class _Api(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "client"

    def _answer(self, status, value, kind="application/json"):
        body = value.encode() if isinstance(value, str) else json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.posts.append((self.path, dict(self.headers), body))
        if self.server.losses:
            self.server.losses -= 1
            self.close_connection = True
            return
        if body["jobs"][0]["run"] == "":
            self._answer(
                400, {"title": "invalid", "errors": [{"path": "run", "message": "must not be empty"}]}, "application/problem+json"
            )
        else:
            self._answer(201, {"ids": [7], "warnings": []})

    def do_DELETE(self):
        self._answer(409, {"title": "ended"}, "application/problem+json")

    def do_GET(self):
        if self.path.startswith("/api/v1/jobs?"):
            second = "cursor" in self.path
            items = [{"id": 8 if second else 9, "state": "RUNNING"}]
            self._answer(200, {"items": items} if second else {"items": items, "next": "more"})
        elif self.path.endswith("/logs?stream=stdout"):
            self._answer(200, "hello\n", "text/plain")
        else:
            states = self.server.states
            state = states.pop(0) if len(states) > 1 else states[0]
            final = state in ("COMPLETED", "FAILED")
            self._answer(200, {"id": 7, "name": "seven", "state": state, "final": final, "exitCode": 3 if final else None})

    def log_message(self, *arguments):
        pass


class _UnixServer(socketserver.ThreadingUnixStreamServer):
    daemon_threads = True


class ClientTest(unittest.TestCase):
    def serve(self, server, states=("PENDING", "RUNNING", "COMPLETED"), losses=0):
        server.daemon_threads = True
        server.posts = []
        server.states = list(states)
        server.losses = losses
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    def client(self, **how):
        self.server = self.serve(http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Api), **how)
        return fermata_client.Client("http://127.0.0.1:%d" % self.server.server_port, "fm_secret")

    def test_a_job_is_submitted_and_awaited(self):
        job = self.client().submit(["python", "a b.py"], gpus=2, name="seven", preempt="never", class_="trial", time=None)
        path, headers, body = self.server.posts[0]
        self.assertEqual(path, "/api/v1/jobs")
        self.assertEqual(headers["Authorization"], "Bearer fm_secret")
        self.assertEqual(
            body["jobs"],
            [{"run": "python 'a b.py'", "workdir": os.getcwd(), "gpus": 2, "name": "seven", "class": "trial", "preempt": {"maxTimes": 0}}],
        )
        self.assertEqual(job.wait(60).state, "COMPLETED")
        self.assertEqual(job.exit_code, 3)
        self.assertEqual(job.logs(), "hello\n")
        job.cancel()  # it has ended: nothing to do

    def test_waiting_blocks_no_event_loop(self):
        job = self.client().submit("true")
        turns = []

        async def both():
            async def turn():
                while not job.document.get("final"):
                    turns.append(1)
                    await asyncio.sleep(0.01)

            await asyncio.gather(job.wait_async(60), turn())

        asyncio.run(both())
        self.assertTrue(turns)
        self.assertEqual(job.state, "COMPLETED")

    def test_a_failed_job_raises(self):
        job = self.client(states=["FAILED"]).submit("false")
        with self.assertRaisesRegex(fermata_client.JobFailed, r"job 7 \(seven\) ended as FAILED"):
            job.wait(60)
        self.assertTrue(job.wait(60, check=False).ended)

    def test_a_wait_has_an_end(self):
        job = self.client(states=["RUNNING"]).submit("sleep 99")
        with self.assertRaises(TimeoutError):
            job.wait(0.2)

    def test_mistakes_are_said_as_the_daemon_says_them(self):
        with self.assertRaisesRegex(fermata_client.FermataError, "run: must not be empty") as caught:
            self.client().submit("")
        self.assertEqual(caught.exception.status, 400)

    def test_a_lost_answer_submits_nothing_twice(self):
        self.assertEqual(self.client(losses=1).submit("true").id, 7)
        keys = [headers["Idempotency-Key"] for _, headers, _ in self.server.posts]
        self.assertEqual(len(keys), 2)
        self.assertEqual(keys[0], keys[1])

    def test_lists_have_all_pages(self):
        self.assertEqual([job.id for job in self.client().jobs(state="live")], [9, 8])

    def test_the_socket_needs_no_token(self):
        folder = tempfile.mkdtemp(prefix="fermata-test-")
        path = os.path.join(folder, "api.sock")
        self.addCleanup(os.rmdir, folder)
        self.addCleanup(os.unlink, path)
        server = self.serve(_UnixServer(path, _Api))
        self.assertEqual(fermata_client.Client("unix:" + path, "").submit("true").id, 7)
        self.assertNotIn("Authorization", server.posts[0][1])

    def test_no_daemon_is_an_error_of_its_own(self):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            url = "http://127.0.0.1:%d" % free.getsockname()[1]
            with self.assertRaises(fermata_client.FermataError) as caught:
                fermata_client.Client(url, "").submit("true")
        self.assertEqual(caught.exception.status, 0)

    def test_the_helper_offers_the_client(self):
        code = "import fermata; print(fermata.submit.__module__, hasattr(fermata, 'no_such'))"
        out = subprocess.run(
            [sys.executable, "-c", code], env=dict(os.environ, PYTHONPATH=HELPER), stdout=subprocess.PIPE, check=True
        )
        self.assertEqual(out.stdout.decode().split(), ["fermata_client", "False"])


if __name__ == "__main__":
    unittest.main()
