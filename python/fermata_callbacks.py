"""Callbacks by which trainers report their progress to Fermata and save when a pause is requested. Each framework is imported
only by its own class; without Fermata they do nothing harmful.

    from fermata_callbacks import HuggingFaceCallback, last_checkpoint
    trainer.add_callback(HuggingFaceCallback())
    trainer.train(resume_from_checkpoint=last_checkpoint(args.output_dir))

    from fermata_callbacks import LightningCallback
    pause = LightningCallback()
    Trainer(callbacks=[pause]).fit(model, ckpt_path=pause.last_checkpoint())

    from fermata_callbacks import AccelerateLoop
    loop = AccelerateLoop(accelerator, total=1000)
    for step in loop:
        loss = train_one_step()
        loop.report(loss=loss)

After a pause request the step ends, the state is saved, and the script exits with code 75, as `fermata.steps` does.
"""

from __future__ import annotations

import os
import re
import shutil
from typing import Any, Iterator, Optional

import fermata

__all__ = ["HuggingFaceCallback", "LightningCallback", "AccelerateLoop", "last_checkpoint"]

_STEP = re.compile(r"(?:checkpoint|step)-(\d+)(?:\.ckpt)?\Z")


def last_checkpoint(folder: Optional[str] = None, whole: str = "trainer_state.json") -> Optional[str]:
    """The newest checkpoint in a folder; None for none. A folder counts only with this file in it, which is written last."""
    folder = folder or fermata.checkpoint_dir()
    found = []
    for name in os.listdir(folder) if os.path.isdir(folder) else []:
        match = _STEP.match(name)
        path = os.path.join(folder, name)
        if match and (os.path.isfile(path) or os.path.exists(os.path.join(path, whole))):
            found.append((int(match.group(1)), path))
    return max(found)[1] if found else None


class _Progress:
    """What every callback shares: reports, and whether to pause."""

    def __init__(self) -> None:
        fermata.listen()
        self._reports = fermata._reports()
        self._reports.looping = True
        self._loaded = False

    def at(self, step: int, total: int) -> None:
        self._reports.step = step
        self._reports.total = max(0, total)
        if not self._loaded:
            self._loaded = True
            self._reports.write("loaded")
        self._reports.report_step()

    def saved(self) -> None:
        self._reports.write("saved")

    @staticmethod
    def leave() -> None:
        raise fermata.Paused(fermata.PAUSED)


def _base(module: str, name: str) -> type:
    """The framework's own base class; a plain one where it is not installed, so that importing this file never fails."""
    try:
        return getattr(__import__(module, fromlist=[name]), name)
    except ImportError:
        return object


def _any_rank(mine: bool, device: Any) -> bool:
    """Whether some process was asked to pause: all of them must save at the same step."""
    import torch

    if not (torch.distributed.is_available() and torch.distributed.is_initialized()):
        return mine
    flag = torch.tensor([1.0 if mine else 0.0], device=device)
    torch.distributed.all_reduce(flag, op=torch.distributed.ReduceOp.MAX)
    return bool(flag.item() > 0)


class HuggingFaceCallback(_base("transformers", "TrainerCallback")):  # type: ignore[misc]
    """For ``transformers.Trainer``: saves a checkpoint in its ``output_dir`` when a pause is requested, and exits."""

    def __init__(self) -> None:
        self._progress = _Progress()
        self._pausing = False

    def on_step_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> Any:
        self._progress.at(state.global_step, state.max_steps)
        if _any_rank(fermata.pause_requested(), args.device):
            self._pausing = True
            control.should_save = True
            control.should_training_stop = True
        return control

    def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **kwargs: Any) -> None:
        if logs and "loss" in logs:
            fermata.report(loss=logs["loss"])

    def on_save(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        self._progress.saved()

    def on_train_end(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        if self._pausing and state.global_step < state.max_steps:
            self._progress.leave()


class LightningCallback(_base("lightning.pytorch.callbacks", "Callback")):  # type: ignore[misc]
    """For ``lightning.Trainer``: saves ``step-N.ckpt`` in the job's checkpoint folder when a pause is requested, and exits.
    Lightning begins an interrupted epoch with its first batches again, unless the loader keeps its state.

    every    also save after so many steps; None: only when a pause is requested
    """

    def __init__(self, folder: Optional[str] = None, every: Optional[int] = None) -> None:
        self.folder = folder or fermata.checkpoint_dir()
        self.every = every
        self._progress: Optional[_Progress] = None

    def last_checkpoint(self) -> Optional[str]:
        """What ``fit(ckpt_path=…)`` continues from; None at first."""
        return last_checkpoint(self.folder)

    def on_train_start(self, trainer: Any, pl_module: Any) -> None:
        self._progress = _Progress()

    def on_train_batch_end(self, trainer: Any, pl_module: Any, outputs: Any, batch: Any, batch_idx: int) -> None:
        assert self._progress is not None
        total = trainer.estimated_stepping_batches
        step = trainer.global_step
        self._progress.at(step, int(total) if total < float("inf") else 0)
        loss = trainer.callback_metrics.get("loss", trainer.callback_metrics.get("train_loss"))
        if loss is not None:
            fermata.report(loss=loss)
        pausing = trainer.strategy.reduce_boolean_decision(fermata.pause_requested(), all=False)
        if pausing or (self.every and step and step % self.every == 0):
            self._save(trainer, step)
        if pausing:
            self._progress.leave()

    def _save(self, trainer: Any, step: int) -> None:
        assert self._progress is not None
        path = os.path.join(self.folder, "step-%d.ckpt" % step)
        trainer.save_checkpoint(path + ".part")
        trainer.strategy.barrier()
        if trainer.is_global_zero:
            if os.path.isdir(path):
                shutil.rmtree(path)
            os.replace(path + ".part", path)
            for name in os.listdir(self.folder):
                match = _STEP.match(name)
                if match and int(match.group(1)) < step and os.path.isfile(os.path.join(self.folder, name)):
                    os.unlink(os.path.join(self.folder, name))
        self._progress.saved()


class AccelerateLoop:
    """Counts the steps of a loop with an ``accelerate.Accelerator``, and saves its state when a pause is requested. What the
    accelerator does not know is registered with ``register_for_checkpointing``.

    total    number of steps
    every    also save after so many steps
    """

    _WHOLE = "fermata-step"

    def __init__(self, accelerator: Any, total: int, *, every: Optional[int] = None, folder: Optional[str] = None) -> None:
        self.accelerator = accelerator
        self.total = total
        self.every = every
        self.folder = folder or fermata.checkpoint_dir()
        self._progress = _Progress()

    def __iter__(self) -> Iterator[int]:
        first = self._load()
        for step in range(first, self.total):
            yield step
            done = step + 1
            self._progress.at(done, self.total)
            pausing = _any_rank(fermata.pause_requested(), self.accelerator.device) and done < self.total
            if pausing or (self.every and done % self.every == 0):
                self._save(done)
            if pausing:
                self._progress.leave()

    def report(self, **metrics: Any) -> None:
        fermata.report(**metrics)

    def _load(self) -> int:
        path = last_checkpoint(self.folder, self._WHOLE)
        if path is None:
            return 0
        self.accelerator.load_state(path)
        match = _STEP.match(os.path.basename(path))
        return int(match.group(1)) if match else 0

    def _save(self, step: int) -> None:
        path = os.path.join(self.folder, "step-%d" % step)
        self.accelerator.save_state(path)
        self.accelerator.wait_for_everyone()
        if self.accelerator.is_main_process:
            with open(os.path.join(path, self._WHOLE), "w", encoding="utf-8"):
                pass  # written last: the checkpoint is whole
            for name in os.listdir(self.folder):
                match = _STEP.match(name)
                if match and int(match.group(1)) < step:
                    shutil.rmtree(os.path.join(self.folder, name), ignore_errors=True)
        self._progress.saved()
