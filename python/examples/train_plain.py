"""Trains a small neural network on two spirals, with the standard library alone. Paused or not, it ends with the same loss.

    python3 train_plain.py --steps 600 --seconds-per-step 0.05
"""

import argparse
import json
import math
import random
import time

import fermata


class Network:
    """Two inputs, one hidden layer of tanh units, one logit; trained by mini-batches with momentum."""

    def __init__(self, hidden, rng):
        self.inner = [[rng.gauss(0, 1.5) for _ in range(3)] for _ in range(hidden)]  # weights for x, y and 1
        self.outer = [rng.gauss(0, 0.5) for _ in range(hidden + 1)]
        self.inner_speed = [[0.0] * 3 for _ in range(hidden)]
        self.outer_speed = [0.0] * (hidden + 1)

    def look(self, x, y):
        units = [math.tanh(a * x + b * y + c) for a, b, c in self.inner]
        logit = self.outer[-1] + sum(weight * unit for weight, unit in zip(self.outer, units))
        return units, 1 / (1 + math.exp(-max(-30.0, min(30.0, logit))))

    def learn(self, batch, rate, momentum=0.9):
        inner = [[0.0] * 3 for _ in self.inner]
        outer = [0.0] * len(self.outer)
        loss = 0.0
        for x, y, label in batch:
            units, guess = self.look(x, y)
            loss += cross_entropy(guess, label)
            error = (guess - label) / len(batch)
            outer[-1] += error
            for i, unit in enumerate(units):
                outer[i] += error * unit
                slope = error * self.outer[i] * (1 - unit * unit)
                inner[i][0] += slope * x
                inner[i][1] += slope * y
                inner[i][2] += slope
        for i, gradient in enumerate(outer):
            self.outer_speed[i] = momentum * self.outer_speed[i] - rate * gradient
            self.outer[i] += self.outer_speed[i]
        for weights, speeds, gradients in zip(self.inner, self.inner_speed, inner):
            for i, gradient in enumerate(gradients):
                speeds[i] = momentum * speeds[i] - rate * gradient
                weights[i] += speeds[i]
        return loss / len(batch)


def cross_entropy(guess, label):
    return -math.log(max(1e-12, guess if label else 1 - guess))


def two_spirals(points, rng):
    data = []
    for i in range(points):
        label = i % 2
        angle = 0.5 + 3 * math.pi * rng.random() ** 0.5
        radius = angle / (3 * math.pi)
        turned = angle + math.pi * label
        data.append((2 * radius * math.cos(turned) + rng.gauss(0, 0.04), 2 * radius * math.sin(turned) + rng.gauss(0, 0.04), label))
    return data


def main():
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--steps", type=int, default=600)
    options.add_argument("--seconds-per-step", type=float, default=0.0, help="as long as this at least, to look on")
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--hidden", type=int, default=16)
    options.add_argument("--batch", type=int, default=24)
    options.add_argument("--every", type=int, default=None, help="also save every so many steps")
    options = options.parse_args()

    data = two_spirals(240, random.Random(options.seed))
    rng = random.Random(options.seed + 1000)
    network = Network(options.hidden, rng)

    # JSON keeps every digit of a float, and the random numbers are part of the state.
    def save(path):
        version, numbers, gauss = rng.getstate()
        with open(path, "w") as file:
            json.dump({"network": vars(network), "random": [version, numbers, gauss]}, file)

    def load(path):
        with open(path) as file:
            state = json.load(file)
        vars(network).update(state["network"])
        version, numbers, gauss = state["random"]
        rng.setstate((version, tuple(numbers), gauss))

    for step in fermata.steps(options.steps, save=save, load=load, every=options.every):
        began = time.monotonic()
        loss = network.learn(rng.sample(data, options.batch), rate=0.05)
        fermata.report(loss=loss)
        if step % 50 == 0:
            print(f"step {step} loss {loss:.4f}", flush=True)
        time.sleep(max(0.0, options.seconds_per_step - (time.monotonic() - began)))

    final = sum(cross_entropy(network.look(x, y)[1], label) for x, y, label in data) / len(data)
    fermata.report(loss=final)
    print(f"final loss {final!r}", flush=True)


if __name__ == "__main__":
    main()
