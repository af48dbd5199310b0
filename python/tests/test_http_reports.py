"""Reports by HTTP: the same as those in the file, and never a reason to fail."""

import http.server
import json
import os
import socket
import threading

from case import Case


class _Daemon(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, self.headers["Authorization"], body))
        self.send_response(self.server.status)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *arguments):
        pass


class HttpReports(Case):
    def daemon(self, status=204):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), _Daemon)
        server.daemon_threads = True
        server.status = status
        server.requests = []
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return server

    @staticmethod
    def told(port, **more):
        more.setdefault("FERMATA_REPORT", None)
        return dict(FERMATA_REPORT_URL="http://127.0.0.1:%d" % port, FERMATA_REPORT_TOKEN="fr_secret", **more)

    @staticmethod
    def types(server):
        return [report["type"] for _, _, body in server.requests for report in body["reports"]]

    def test_without_a_file_reports_go_to_the_daemon(self):
        server = self.daemon()
        self.run_script(0, **self.told(server.server_port))
        types = self.types(server)
        self.assertEqual(types[:2], ["hello", "loaded"])
        self.assertEqual(types[-1], "finished")
        self.assertIn("saved", types)
        self.assertEqual({path for path, _, _ in server.requests}, {"/api/v1/attempts/1.1/reports"})
        self.assertEqual({token for _, token, _ in server.requests}, {"Bearer fr_secret"})

    def test_a_file_that_is_reachable_is_preferred(self):
        server = self.daemon()
        open(self.report, "w").close()
        self.run_script(0, **self.told(server.server_port, FERMATA_REPORT=self.report))
        self.assertEqual(server.requests, [])
        self.assertEqual(self.reports()[-1]["type"], "finished")

    def test_a_file_that_is_not_here_is_not_made(self):
        server = self.daemon()
        self.run_script(0, **self.told(server.server_port, FERMATA_REPORT=self.report))
        self.assertFalse(os.path.exists(self.report))
        self.assertEqual(self.types(server)[-1], "finished")

    def test_a_daemon_that_is_away_is_no_reason_to_fail(self):
        with socket.socket() as closed:
            closed.bind(("127.0.0.1", 0))
            self.run_script(0, **self.told(closed.getsockname()[1]))

    def test_a_daemon_that_never_answers_is_no_reason_to_fail(self):
        with socket.socket() as mute:
            mute.bind(("127.0.0.1", 0))
            mute.listen()
            self.run_script(0, **self.told(mute.getsockname()[1]))

    def test_an_invalid_address_is_no_reason_to_fail(self):
        for url in ("", "nonsense", "http://[", "http://host:port"):
            self.run_script(0, FERMATA_REPORT=None, FERMATA_REPORT_URL=url, FERMATA_REPORT_TOKEN="fr_secret")

    def test_after_a_refusal_nothing_more_is_sent(self):
        server = self.daemon(status=401)
        _, err = self.run_script(0, **self.told(server.server_port))
        self.assertEqual(len(server.requests), 1)
        self.assertIn("refuses reports (status 401)", err)
        self.assertNotIn("fr_secret", err)

    def test_the_save_of_a_pause_is_reported_before_the_end(self):
        server = self.daemon()
        process = self.start(TOTAL=1000000, STEP_SECONDS=0.001, **self.told(server.server_port))
        self.wait_until(lambda: "loaded" in self.types(server))
        process.terminate()
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, 75)
        self.assertEqual(self.types(server)[-1], "saved")
