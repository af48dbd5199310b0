"""A paused loop continues with the same result, whenever the request comes."""

import os
import signal
import subprocess
import sys
import unittest

from case import Case


class Pausing(Case):
    def unpaused(self, **more):
        out, _ = self.run_script(0, FERMATA_CHECKPOINT_DIR=os.path.join(self.folder, "undisturbed"), FERMATA_REPORT=None, **more)
        return out

    def test_a_pause_at_every_step_gives_the_same_result(self):
        expected = self.unpaused(TOTAL=12)
        for step in range(12):
            out, err = self.run_script(75 if step < 11 else 0, TOTAL=12, KICK=step)
            if step < 11:
                self.assertEqual(out, "finally\n")
                self.assertIn("saved step %d" % (step + 1), err)
        self.assertEqual(out, expected)

    def test_a_pause_anywhere_gives_the_same_result(self):
        expected = self.unpaused()
        for step in (0, 7, 18):
            with self.subTest(step=step):
                where = os.path.join(self.folder, "at-%d" % step)
                self.run_script(75, KICK=step, FERMATA_CHECKPOINT_DIR=where)
                out, _ = self.run_script(0, FERMATA_CHECKPOINT_DIR=where)
                self.assertEqual(out, expected)

    def test_every_step_is_done_once(self):
        trail = os.path.join(self.folder, "trail")
        for kick in (3, 4, 11, ""):
            self.run_script(0 if kick == "" else 75, KICK=kick, TRAIL=trail)
        with open(trail) as file:
            self.assertEqual([int(line) for line in file], list(range(20)))

    def test_other_signals_work_too(self):
        self.run_script(75, KICK=5, FERMATA_SIGNAL="USR1")
        self.assertEqual(self.saved_steps(), [6])

    def test_an_unknown_signal_is_rejected(self):
        out, err = self.run_script(1, FERMATA_SIGNAL="TREM", KICK="", script=self.script_that("import fermata\nfermata.steps(3)"))
        self.assertIn("USR1, USR2 or INT is expected", err)

    def test_a_request_before_the_first_step_ends_it_at_once(self):
        out, err = self.run_script(75, KICK="before")
        self.assertEqual(out, "finally\n")
        self.assertEqual(self.saved_steps(), [])
        self.assertEqual([line["step"] for line in self.reports("step")], [])

    def test_a_request_while_loading_keeps_the_checkpoint(self):
        self.run_script(75, KICK=5)
        self.run_script(75, KICK="load")
        self.assertEqual(self.saved_steps(), [6])
        self.assertEqual(self.run_script(0)[0], self.unpaused())

    def test_a_request_while_saving_is_received(self):
        self.run_script(75, KICK="save", EVERY=4)
        self.assertEqual(self.saved_steps(), [4])
        self.assertEqual(self.run_script(0)[0], self.unpaused())

    def test_a_second_request_changes_nothing(self):
        self.run_script(75, KICK="5 twice")
        self.assertEqual(self.saved_steps(), [6])

    def test_a_request_in_the_last_step_lets_it_finish(self):
        out, _ = self.run_script(0, KICK=19)
        self.assertEqual(out, self.unpaused())
        self.assertEqual(self.reports()[-1]["type"], "finished")

    def test_a_request_after_the_loop_is_ignored(self):
        script = self.script_that(
            "import fermata, os, signal\n"
            "for step in fermata.steps(3): pass\n"
            "os.kill(os.getpid(), signal.SIGTERM)\n"
            "print('model written')\n"
        )
        self.assertEqual(self.run_script(0, script=script)[0], "model written\n")

    def test_leaving_the_loop_restores_the_signal(self):
        script = self.script_that(
            "import fermata, os, signal, time\n"
            "for step in fermata.steps(3): break\n"
            "os.kill(os.getpid(), signal.SIGTERM)\n"
            "time.sleep(60)\n"
        )
        self.run_script(-signal.SIGTERM, script=script)

    def test_a_finished_run_does_nothing_when_it_is_started_again(self):
        first, _ = self.run_script(0)
        trail = os.path.join(self.folder, "trail")
        again, _ = self.run_script(0, TRAIL=trail)
        self.assertEqual(again, first)
        self.assertFalse(os.path.exists(trail))

    def test_outside_the_main_thread_it_listens_after_listen(self):
        _, err = self.run_script(75, THREAD="listening", KICK=5, STEP_SECONDS=0.05)
        self.assertIn(self.saved_steps()[0], range(6, 19))
        self.assertNotIn("outside the main thread", err)

    def test_outside_the_main_thread_it_warns_without_listen(self):
        out, err = self.run_script(0, THREAD="deaf")
        self.assertIn("call fermata.listen() in the main thread first", err)
        self.assertIn("value", out)

    def test_forked_workers_survive_a_signal_to_the_whole_group(self):
        script = self.script_that(
            "import fermata, multiprocessing, os, signal, sys\n"
            "fork = multiprocessing.get_context('fork')\n"
            "fermata.listen()\n"
            "def square(x): return x * x\n"
            "with fork.Pool(2) as pool:\n"
            "    for step in fermata.steps(10):\n"
            "        if step == 4: os.killpg(0, signal.SIGUSR1)\n"
            "        print(pool.apply(square, (step,)), flush=True)\n"
        )
        process = subprocess.run(
            ["setsid", sys.executable, script],
            env=self.environment(FERMATA_SIGNAL="USR1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            timeout=60,
        )
        # Ends at all: the pool ends its workers with TERM, which they must handle.
        self.assertEqual((process.returncode, process.stdout), (75, "0\n1\n4\n9\n16\n"), process.stderr)

    def test_ctrl_c_saves_where_there_is_no_fermata(self):
        plain = dict(FERMATA_JOB_ID=None, FERMATA_CHECKPOINT_DIR=None, FERMATA_REPORT=None, FERMATA_ATTEMPT_DIR=None)
        process = self.start(STEP_SECONDS=0.02, TOTAL=1000, TRAIL=os.path.join(self.folder, "trail"), **plain)
        self.wait_for_steps(5)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out), (130, "finally\n"), err)
        self.assertEqual(len(self.saved_steps()), 1)  # ./checkpoints
        out, err = self.run_script(0, TOTAL=30, **plain)
        self.assertIn("going on at step", err)

    def test_a_second_ctrl_c_does_not_wait(self):
        plain = dict(FERMATA_JOB_ID=None, FERMATA_CHECKPOINT_DIR=None, FERMATA_REPORT=None, FERMATA_ATTEMPT_DIR=None)
        script = self.script_that(
            "import fermata, os, signal, time\n"
            "def nothing(path): pass\n"
            "for step in fermata.steps(3, save=nothing, load=nothing):\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "    os.kill(os.getpid(), signal.SIGINT)\n"
            "    time.sleep(60)\n"
        )
        _, err = self.run_script(-signal.SIGINT, script=script, **plain)
        self.assertIn("KeyboardInterrupt", err)

    def wait_for_steps(self, count):
        trail = os.path.join(self.folder, "trail")

        def there():
            if not os.path.exists(trail):
                return False
            with open(trail) as file:
                return len(file.readlines()) >= count

        self.wait_until(there)

    def script_that(self, text):
        path = os.path.join(self.folder, "own.py")
        with open(path, "w") as file:
            file.write(text)
        return path


class Ranks(Case):
    def pause_three(self, saved_by):
        """Three ranks in lockstep get a pause request in the middle; the last step of each."""
        script = os.path.join(self.folder, "ranks.py")
        with open(script, "w") as file:
            file.write(
                "import fermata, os, sys, time\n"
                "rank, folder = int(os.environ['RANK']), sys.argv[1]\n"
                "def meet(step):\n"  # a barrier, as every synchronous step has one
                "    open(os.path.join(folder, 'at-%d-%d' % (step, rank)), 'w').close()\n"
                "    while not all(os.path.exists(os.path.join(folder, 'at-%d-%d' % (step, r))) for r in range(3)):\n"
                "        time.sleep(0.001)\n"
                "def save(path):\n"
                "    time.sleep(0.2 * rank)\n"
                "    open(path, 'w').write('x')\n"
                "    open(os.path.join(folder, 'saved-%d' % rank), 'w').close()\n"
                "def load(path): pass\n"
                "try:\n"
                "    for step in fermata.steps(2000, save=save, load=load, ranks=sys.argv[2]):\n"
                "        meet(step)\n"
                "        if rank == 2 and step == 20: print('ready', flush=True)\n"
                "        print(step, flush=True)\n"
                "finally:\n"
                "    print(sorted(name for name in os.listdir(folder) if name.startswith('saved-')), flush=True)\n"
            )
        ranks = []
        for rank in range(3):
            self.attempt = 0
            ranks.append(self.start(script, [self.folder, saved_by], RANK=rank, WORLD_SIZE=3))
        for line in ranks[2].stdout:
            if line.strip() == "ready":
                break
        for process in ranks:
            process.send_signal(signal.SIGTERM)
        last, saved = [], []
        for process in ranks:
            out, err = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 75, err)
            last.append(int(out.splitlines()[-2]))
            saved.append(out.splitlines()[-1])
        self.assertEqual(last, [last[0]] * 3)
        self.assertEqual({line["pid"] for line in self.reports("hello")}, {ranks[0].pid})
        return last[0] + 1, saved

    def test_all_ranks_stop_before_the_same_step(self):
        step, saved = self.pause_three("first")
        self.assertEqual(self.saved_steps(), [step])
        self.assertEqual(saved, ["['saved-0']"] * 3)

    def test_no_rank_exits_before_all_have_saved(self):
        step, saved = self.pause_three("all")
        self.assertEqual([self.saved_steps("rank-%d" % rank) for rank in range(3)], [[step]] * 3)
        self.assertEqual(saved, ["['saved-0', 'saved-1', 'saved-2']"] * 3)

    def test_ranks_that_save_for_themselves_begin_where_all_of_them_were(self):
        for rank, total in ((0, 12), (1, 8)):
            self.attempt = 0
            self.run_script(0, RANK=rank, WORLD_SIZE=2, SAVED_BY="all", EVERY=4, TOTAL=total)
        self.assertEqual(self.saved_steps("rank-0"), [8, 12])
        self.assertEqual(self.saved_steps("rank-1"), [4, 8])
        _, err = self.run_script(0, RANK=0, WORLD_SIZE=2, SAVED_BY="all", EVERY=4, TOTAL=12)
        self.assertIn("going on at step 8", err)

    def test_ranks_that_save_for_themselves_count_steps(self):
        _, err = self.run_script(1, RANK=0, WORLD_SIZE=2, SAVED_BY="all", EVERY="10s")
        self.assertIn("give every in steps", err)

    def test_an_agreement_of_the_script_is_asked_before_every_step(self):
        script = os.path.join(self.folder, "own.py")
        with open(script, "w") as file:
            file.write(
                "import fermata\n"
                "asked = []\n"
                "def agree(wish): asked.append(wish); return len(asked) == 4\n"
                "try:\n"
                "    for step in fermata.steps(10, agree=agree): print(step)\n"
                "finally: print(asked)\n"
            )
        out, _ = self.run_script(75, script=script)
        self.assertEqual(out, "0\n1\n2\n[False, False, False, False]\n")


if __name__ == "__main__":
    unittest.main()
