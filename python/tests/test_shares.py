"""Ranks on GPUs of several types train as one GPU would: same batch, same gradient."""

import json
import os
import subprocess
import sys
import unittest

from case import Case

RANK = """
import fermata, json, os
total = int(os.environ["TOTAL"])
rank = int(os.environ["RANK"])
mine = fermata.local_batch(total)
first = sum(fermata.local_batch(total, r) for r in range(rank))
samples = [(0.5 * k, 1.0 + k) for k in range(first, first + mine)]
w = 0.25
gradient = sum(2 * (w * x - y) * x for x, y in samples) / mine if mine else 0.0
print(json.dumps([mine, gradient * fermata.loss_scale(total)]))
"""


class Shares(Case):
    def script_that(self, text):
        path = os.path.join(self.folder, "rank.py")
        with open(path, "w") as file:
            file.write(text)
        return path

    def ranks(self, world, total, given):
        """What each rank, a process of its own, computes and how it scales its gradient."""
        script = self.script_that(RANK)
        running = []
        for rank in range(world):
            more = dict(os.environ, RANK=str(rank), WORLD_SIZE=str(world), TOTAL=str(total))
            more["PYTHONPATH"] = os.path.join(os.path.dirname(__file__), os.pardir)
            more.pop("FERMATA_GPU_SHARES", None)
            if given:
                more["FERMATA_GPU_SHARES"] = given
            running.append(subprocess.Popen([sys.executable, script], env=more, stdout=subprocess.PIPE, text=True))
        results = []
        for process in running:
            out, _ = process.communicate(timeout=60)
            self.assertEqual(process.returncode, 0)
            results.append(json.loads(out))
        return results

    def whole_gradient(self, total):
        return sum(2 * (0.25 * 0.5 * k - (1.0 + k)) * 0.5 * k for k in range(total)) / total

    def test_ranks_compute_their_share_and_the_average_is_the_gradient_of_the_batch(self):
        for given, expected in (("0.666667,0.222222,0.111111", [66, 22, 11]), ("", [33, 33, 33])):
            with self.subTest(given=given):
                results = self.ranks(3, 99, given)
                self.assertEqual([mine for mine, _ in results], expected)
                averaged = sum(scaled for _, scaled in results) / 3  # as an all-reduce with mean does
                self.assertAlmostEqual(averaged, self.whole_gradient(99), places=9)

    def test_the_sample_left_over_goes_to_the_largest_remainder(self):
        results = self.ranks(3, 10, "0.5,0.25,0.25")
        self.assertEqual([mine for mine, _ in results], [5, 3, 2])
        self.assertAlmostEqual(sum(scaled for _, scaled in results) / 3, self.whole_gradient(10), places=9)

    def test_a_rank_with_several_gpus_gets_their_shares_together(self):
        results = self.ranks(2, 100, "0.4,0.2,0.3,0.1")
        self.assertEqual([mine for mine, _ in results], [60, 40])

    def test_shares_that_do_not_fit_the_ranks_are_rejected(self):
        script = self.script_that("import fermata\nfermata.shares()")
        for given in ("0.5,0.3,0.2", "0.5,x", "1,0"):
            out, err = self.run_script(1, FERMATA_GPU_SHARES=given, WORLD_SIZE="2", script=script)
            self.assertIn("FERMATA_GPU_SHARES", err)


if __name__ == "__main__":
    unittest.main()
