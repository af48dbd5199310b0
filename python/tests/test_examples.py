"""The examples do what they say."""

import glob
import os
import py_compile
import signal
import unittest

from case import HELPER, Case

EXAMPLES = os.path.join(HELPER, "examples")


class Examples(Case):
    def example(self, name):
        return os.path.join(EXAMPLES, name)

    def test_the_plain_trainer_ends_with_the_same_loss_to_the_last_digit(self):
        plain = self.example("train_plain.py")
        elsewhere = os.path.join(self.folder, "undisturbed")
        unpaused, _ = self.run_script(0, "--steps", "300", script=plain, FERMATA_CHECKPOINT_DIR=elsewhere)
        final = unpaused.splitlines()[-1]
        self.assertRegex(final, r"^final loss 0\.\d{10,}$")
        code, pauses = 75, 0
        while code == 75:
            process = self.start(plain, ["--steps", "300", "--seconds-per-step", "0.01"])
            if pauses < 3:
                self.wait_for_report("step", self.attempt)
                process.send_signal(signal.SIGTERM)
            out, err = process.communicate(timeout=60)
            code = process.returncode
            pauses += code == 75
        self.assertEqual(code, 0, err)
        self.assertEqual(pauses, 3)
        self.assertEqual(out.splitlines()[-1], final)

    def test_the_loss_falls(self):
        out, _ = self.run_script(0, "--steps", "1000", script=self.example("train_plain.py"))
        losses = [float(line.split()[-1]) for line in out.splitlines()]
        self.assertLess(losses[-1], losses[0] / 4)

    def test_an_unchanged_script_saves_when_it_is_asked(self):
        script = self.example("train_unchanged.py")
        process = self.start(script, ["200", "0.01"])
        for line in process.stdout:
            if line.startswith("step 5 "):
                break
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=60)
        self.assertEqual(process.returncode, 0, err)
        out, _ = self.run_script(0, "200", "0", script=script)
        self.assertNotIn("step 5 ", out)
        undisturbed, _ = self.run_script(0, "200", "0", script=script, FERMATA_CHECKPOINT_DIR=self.folder)
        self.assertEqual(out.splitlines()[-1], undisturbed.splitlines()[-1])

    def test_all_of_them_are_python(self):
        for script in glob.glob(os.path.join(EXAMPLES, "*.py")):
            py_compile.compile(script, cfile=os.path.join(self.folder, "compiled"), doraise=True)

    def wait_for_report(self, kind, attempt):
        self.wait_until(lambda: len(self.reports("hello")) == attempt and self.reports()[-1]["type"] == kind)


if __name__ == "__main__":
    unittest.main()
