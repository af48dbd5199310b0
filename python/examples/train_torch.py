"""A plain PyTorch loop with the helper: model, optimizer and random numbers are saved, on a GPU or without one.

    python3 train_torch.py --steps 2000
"""

import argparse
import random

import fermata

fermata.listen()  # importing torch takes seconds, and a request may come meanwhile

import torch  # noqa: E402
from torch import nn  # noqa: E402


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--steps", type=int, default=2000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--batch", type=int, default=256)
    options.add_argument("--width", type=int, default=256)
    options.add_argument("--every", default="10m", help="also save so often")
    options = options.parse_args()

    random.seed(options.seed)
    torch.manual_seed(options.seed)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")

    model = nn.Sequential(
        nn.Linear(2, options.width),
        nn.ReLU(),
        nn.Linear(options.width, options.width),
        nn.ReLU(),
        nn.Linear(options.width, 1),
    ).to(device)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, T_max=options.steps)
    loss_of = nn.BCEWithLogitsLoss()

    def save(path):
        state = {
            "model": model.state_dict(),
            "optimizer": optimizer.state_dict(),
            "schedule": schedule.state_dict(),
            "random": torch.get_rng_state(),
        }
        if device.type == "cuda":
            state["random_cuda"] = torch.cuda.get_rng_state()
        torch.save(state, path)

    def load(path):
        # Random states must be on the CPU; model and optimizer move what they load to where they are.
        state = torch.load(path, map_location="cpu")
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        schedule.load_state_dict(state["schedule"])
        torch.set_rng_state(state["random"])
        if device.type == "cuda" and "random_cuda" in state:
            torch.cuda.set_rng_state(state["random_cuda"])

    for step in fermata.steps(options.steps, save=save, load=load, every=options.every):
        points, labels = two_spirals(options.batch)
        loss = loss_of(model(points.to(device)), labels.to(device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        schedule.step()
        fermata.report(loss=loss)
        if step % 100 == 0:
            print(f"step {step} loss {loss.item():.4f}", flush=True)

    print(f"final loss {loss_on_fresh_points(model, loss_of, device)!r} on {device}", flush=True)


def two_spirals(count):
    labels = torch.randint(0, 2, (count, 1)).float()
    angle = 0.5 + 9 * torch.rand(count, 1).sqrt()
    turned = angle + torch.pi * labels
    points = torch.cat([angle * torch.cos(turned), angle * torch.sin(turned)], dim=1) / 5
    return points + 0.02 * torch.randn(count, 2), labels


def loss_on_fresh_points(model, loss_of, device):
    torch.manual_seed(4711)
    points, labels = two_spirals(4096)
    with torch.no_grad():
        return loss_of(model(points.to(device)), labels.to(device)).item()


if __name__ == "__main__":
    main()
