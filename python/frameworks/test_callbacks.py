"""The callbacks with the real frameworks: pause in the middle, resume, end with the same weights as a run without a pause."""

import json
import os
import signal
import sys
import textwrap
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "tests"))
from case import Case  # noqa: E402

HEAD = """
import os, sys, time, torch
torch.manual_seed(0); torch.set_num_threads(1)
data = [{"x": torch.randn(4), "y": torch.randn(1)} for _ in range(64)]
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__(); self.line = torch.nn.Linear(4, 1)
    def forward(self, x, y):
        time.sleep(float(os.environ["STEP_SECONDS"])); out = self.line(x)
        return {"loss": ((out - y) ** 2).mean(), "out": out}
"""

TRANSFORMERS = HEAD + """
from transformers import Trainer, TrainingArguments
from fermata_callbacks import HuggingFaceCallback, last_checkpoint
folder = os.environ["FERMATA_CHECKPOINT_DIR"]
args = TrainingArguments(output_dir=folder, max_steps=40, per_device_train_batch_size=4, save_strategy="no", use_cpu=True,
                         logging_steps=5, report_to=[], disable_tqdm=True, seed=1, data_seed=1)
net = Net()
trainer = Trainer(net, args, train_dataset=data, callbacks=[HuggingFaceCallback()])
trainer.train(resume_from_checkpoint=last_checkpoint(folder))
print("weights", [round(v, 5) for v in net.line.weight.flatten().tolist()])
"""

LIGHTNING = HEAD + """
import logging, lightning
from fermata_callbacks import LightningCallback
class Module(lightning.LightningModule):
    def __init__(self):
        super().__init__(); self.net = Net()
    def training_step(self, batch, index):
        loss = self.net(batch["x"], batch["y"])["loss"]; self.log("loss", loss); return loss
    def configure_optimizers(self):
        return torch.optim.Adam(self.parameters(), 0.01)
pause = LightningCallback()
module = Module()
trainer = lightning.Trainer(max_steps=40, accelerator="cpu", logger=False, enable_checkpointing=False, callbacks=[pause],
                            enable_progress_bar=False, enable_model_summary=False)
trainer.fit(module, torch.utils.data.DataLoader(data, batch_size=64), ckpt_path=pause.last_checkpoint())
print("weights", [round(v, 5) for v in module.net.line.weight.flatten().tolist()])
"""

ACCELERATE = HEAD + """
from accelerate import Accelerator
from fermata_callbacks import AccelerateLoop
accelerator = Accelerator(cpu=True)
net = Net()
net, optimizer = accelerator.prepare(net, torch.optim.Adam(net.parameters(), 0.01))
loop = AccelerateLoop(accelerator, total=40)
for step in loop:
    part = data[step % 16 * 4:step % 16 * 4 + 4]
    loss = net(torch.stack([each["x"] for each in part]), torch.stack([each["y"] for each in part]))["loss"]
    accelerator.backward(loss); optimizer.step(); optimizer.zero_grad(); loop.report(loss=loss)
print("weights", [round(v, 5) for v in accelerator.unwrap_model(net).line.weight.flatten().tolist()])
"""


class Callbacks(Case):
    def reports(self, kind):
        if not os.path.exists(self.report):
            return []
        with open(self.report, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file if line.strip()]
        return [line for line in lines if line["type"] == kind]

    def run_script(self, script, pause_at=None):
        path = os.path.join(self.folder, "train.py")
        with open(path, "w", encoding="utf-8") as file:
            file.write(textwrap.dedent(script))
        began = len(self.reports("step"))
        process = self.start(path, HOME=self.folder, STEP_SECONDS="0.1" if pause_at else "0", HF_HUB_OFFLINE="1")
        deadline = time.monotonic() + 300
        while pause_at and process.poll() is None and time.monotonic() < deadline:
            if any(line["step"] >= pause_at for line in self.reports("step")[began:]):
                process.send_signal(signal.SIGTERM)
                break
            time.sleep(0.05)
        out, err = process.communicate(timeout=300)
        return process.returncode, out, err

    def check_pause(self, script):
        code, whole, err = self.run_script(script)
        self.assertEqual(code, 0, err)
        self.assertTrue(self.reports("loaded"), "it says when it has loaded")
        os.unlink(self.report)
        code, out, err = self.run_script(script, pause_at=5)
        self.assertEqual(code, 75, err)
        self.assertNotIn("weights", out)
        saved = self.reports("saved")[-1]["step"]
        self.assertTrue(5 <= saved < 40, saved)
        self.assertEqual(self.reports("step")[-1]["total"], 40)
        os.unlink(self.report)
        code, resumed, err = self.run_script(script)
        self.assertEqual(code, 0, err)
        self.assertGreater(self.reports("step")[0]["step"], saved, "it goes on where it was paused")
        self.assertEqual(resumed.split("weights")[1], whole.split("weights")[1])

    def test_transformers(self):
        self.check_pause(TRANSFORMERS)

    def test_lightning(self):
        self.check_pause(LIGHTNING)

    def test_accelerate(self):
        self.check_pause(ACCELERATE)


if __name__ == "__main__":
    unittest.main()
