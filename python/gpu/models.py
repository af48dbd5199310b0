"""The models in plain PyTorch, and the training step of each.

Each model makes a `Training`: networks and optimizers by name (that is what a checkpoint holds) and a step that returns its
loss. Inputs are drawn again in every step, on the device, from the random numbers whose state is saved too. Everything keeps to
operations that give the same bits twice.
"""

import torch
import torch.nn.functional as F
from torch import nn


class AdamW:
    """Adam with decoupled weight decay. torch.optim has it too, and imports torch's compiler for it: six seconds of every start."""

    def __init__(self, parameters, lr, betas=(0.9, 0.999), decay=0.01):
        self.parameters = list(parameters)
        self.lr, self.betas, self.decay = lr, betas, decay
        self.steps = 0
        self.means = [torch.zeros_like(p) for p in self.parameters]
        self.squares = [torch.zeros_like(p) for p in self.parameters]

    def zero_grad(self):
        for p in self.parameters:
            p.grad = None

    @torch.no_grad()
    def step(self):
        self.steps += 1
        slow, slower = self.betas
        gradients = [p.grad for p in self.parameters]
        torch._foreach_mul_(self.parameters, 1 - self.lr * self.decay)
        torch._foreach_lerp_(self.means, gradients, 1 - slow)
        torch._foreach_mul_(self.squares, slower)
        torch._foreach_addcmul_(self.squares, gradients, gradients, 1 - slower)
        scale = torch._foreach_sqrt(self.squares)
        torch._foreach_div_(scale, (1 - slower**self.steps) ** 0.5)
        torch._foreach_add_(scale, 1e-8)
        torch._foreach_addcdiv_(self.parameters, self.means, scale, -self.lr / (1 - slow**self.steps))

    def state_dict(self):
        return {"steps": self.steps, "means": self.means, "squares": self.squares}

    def load_state_dict(self, state):
        self.steps = state["steps"]
        for mine, saved in zip(self.means + self.squares, state["means"] + state["squares"]):
            mine.copy_(saved)


class Training:
    """One network, one optimizer: loss_of(network, inputs) of inputs drawn by draw(batch)."""

    def __init__(self, network, draw, loss_of, batch, device):
        self.networks = {"network": network.to(device)}
        self.optimizers = {"network": AdamW(network.parameters(), lr=3e-4)}
        self.draw, self.loss_of = draw, loss_of
        self.batch, self.device = batch, device

    def step(self):
        network, optimizer = self.networks["network"], self.optimizers["network"]
        with self.half():
            loss = self.loss_of(network, self.draw(self.batch, self.device))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        return loss

    def half(self):
        # Not every CPU has the instructions for it.
        return torch.autocast(self.device.type, dtype=torch.bfloat16, enabled=self.device.type == "cuda")

    def parameters(self):
        return sum(p.numel() for network in self.networks.values() for p in network.parameters())

    def state(self):
        every = {**self._named("networks"), **self._named("optimizers")}
        return {name: part.state_dict() for name, part in every.items()}

    def load(self, state):
        for name, part in {**self._named("networks"), **self._named("optimizers")}.items():
            part.load_state_dict(state[name])

    def _named(self, group):
        return {group + "/" + name: part for name, part in getattr(self, group).items()}


# ----------------------------------------------------------------------------------------------------------------- images


class Shortcut(nn.Module):
    """A residual block; three convolutions (1, 3, 1) where it is a bottleneck, else two of size 3."""

    def __init__(self, before, width, stride, bottleneck):
        super().__init__()
        after = width * (4 if bottleneck else 1)
        if bottleneck:
            shapes = [(before, width, 1, 1), (width, width, 3, stride), (width, after, 1, 1)]
        else:
            shapes = [(before, width, 3, stride), (width, after, 3, 1)]
        layers = []
        for inward, outward, size, by in shapes:
            layers += [nn.Conv2d(inward, outward, size, by, size // 2, bias=False), nn.BatchNorm2d(outward), nn.ReLU()]
        self.body = nn.Sequential(*layers[:-1])
        self.around = nn.Identity()
        if stride != 1 or before != after:
            self.around = nn.Sequential(nn.Conv2d(before, after, 1, stride, bias=False), nn.BatchNorm2d(after))

    def forward(self, x):
        return F.relu(self.body(x) + self.around(x))


class ResNet(nn.Module):
    def __init__(self, blocks, bottleneck, width=64, classes=1000):
        super().__init__()
        self.stem = nn.Sequential(
            nn.Conv2d(3, width, 7, 2, 3, bias=False), nn.BatchNorm2d(width), nn.ReLU(), nn.MaxPool2d(3, 2, 1)
        )
        stages, before = [], width
        for stage, count in enumerate(blocks):
            for i in range(count):
                stages.append(Shortcut(before, width << stage, 2 if stage and not i else 1, bottleneck))
                before = (width << stage) * (4 if bottleneck else 1)
        self.stages = nn.Sequential(*stages)
        self.head = nn.Linear(before, classes)

    def forward(self, x):
        return self.head(self.stages(self.stem(x)).mean((2, 3)))


class Vgg(nn.Module):
    def __init__(self, side, width=64, classes=1000):
        super().__init__()
        layers, before = [], 3
        for convolutions, wide in ((2, 1), (2, 2), (3, 4), (3, 8), (3, 8)):
            for _ in range(convolutions):
                layers += [nn.Conv2d(before, wide * width, 3, 1, 1), nn.ReLU()]
                before = wide * width
            layers.append(nn.MaxPool2d(2))
        self.features = nn.Sequential(*layers)
        self.head = nn.Sequential(
            nn.Flatten(),
            nn.Linear(before * (side // 32) ** 2, 64 * width),
            nn.ReLU(),
            nn.Dropout(),
            nn.Linear(64 * width, 64 * width),
            nn.ReLU(),
            nn.Dropout(),
            nn.Linear(64 * width, classes),
        )

    def forward(self, x):
        return self.head(self.features(x))


class UNet(nn.Module):
    def __init__(self, width=32, depth=4):
        super().__init__()
        widths = [width << i for i in range(depth + 1)]
        self.down = nn.ModuleList(self._pair(before, after) for before, after in zip([3] + widths, widths))
        self.up = nn.ModuleList(nn.ConvTranspose2d(w * 2, w, 2, 2) for w in reversed(widths[:-1]))
        self.join = nn.ModuleList(self._pair(w * 2, w) for w in reversed(widths[:-1]))
        self.head = nn.Conv2d(width, 1, 1)

    @staticmethod
    def _pair(before, after):
        layers = []
        for inward in (before, after):
            layers += [nn.Conv2d(inward, after, 3, 1, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
        return nn.Sequential(*layers)

    def forward(self, x):
        kept = []
        for i, down in enumerate(self.down):
            x = down(F.max_pool2d(x, 2) if i else x)
            kept.append(x)
        for up, join, skip in zip(self.up, self.join, reversed(kept[:-1])):
            x = join(torch.cat([up(x), skip], 1))
        return self.head(x)


class Gan(Training):
    """Two networks that train against each other, an optimizer each."""

    def __init__(self, batch, device, width=64, noise=100):
        self.batch, self.device, self.noise = batch, device, noise
        steps = [width * 8, width * 4, width * 2, width]
        layers = [nn.ConvTranspose2d(noise, steps[0], 4, 1, 0, bias=False), nn.BatchNorm2d(steps[0]), nn.ReLU()]
        for before, after in zip(steps, steps[1:]):
            layers += [nn.ConvTranspose2d(before, after, 4, 2, 1, bias=False), nn.BatchNorm2d(after), nn.ReLU()]
        painter = nn.Sequential(*layers, nn.ConvTranspose2d(width, 3, 4, 2, 1), nn.Tanh())
        layers = [nn.Conv2d(3, width, 4, 2, 1), nn.LeakyReLU(0.2)]
        for after, before in zip(reversed(steps[:-1]), reversed(steps[1:])):
            layers += [nn.Conv2d(before, after, 4, 2, 1, bias=False), nn.BatchNorm2d(after), nn.LeakyReLU(0.2)]
        critic = nn.Sequential(*layers, nn.Conv2d(steps[0], 1, 4, 1, 0), nn.Flatten())
        self.networks = {"painter": painter.to(device), "critic": critic.to(device)}
        self.optimizers = {
            name: AdamW(network.parameters(), lr=2e-4, betas=(0.5, 0.999)) for name, network in self.networks.items()
        }

    def step(self):
        painter, critic = self.networks["painter"], self.networks["critic"]
        real = torch.randn(self.batch, 3, 64, 64, device=self.device).tanh()
        with self.half():
            painted = painter(torch.randn(self.batch, self.noise, 1, 1, device=self.device))
            seen = F.softplus(-critic(real)).mean() + F.softplus(critic(painted.detach())).mean()
        self._learn("critic", seen)
        with self.half():
            fooled = F.softplus(-critic(painted)).mean()
        self._learn("painter", fooled)
        return seen.detach() + fooled.detach()

    def _learn(self, name, loss):
        self.optimizers[name].zero_grad()
        loss.backward()
        self.optimizers[name].step()


# --------------------------------------------------------------------------------------------------------------- sequences


class Layer(nn.Module):
    def __init__(self, width, heads, causal, dropout):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.before, self.between = nn.LayerNorm(width), nn.LayerNorm(width)
        self.mix, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.think = nn.Sequential(nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width))
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        batch, length, width = x.shape
        parts = self.mix(self.before(x)).view(batch, length, 3, self.heads, width // self.heads)
        q, k, v = parts.permute(2, 0, 3, 1, 4)
        seen = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.drop(self.out(seen.transpose(1, 2).reshape(batch, length, width)))
        return x + self.drop(self.think(self.between(x)))


class Transformer(nn.Module):
    """BERT-like or, where it is causal, GPT-like; what reads words also writes them."""

    def __init__(self, words, length, width, layers, heads, causal, dropout=0.1):
        super().__init__()
        self.words, self.places = nn.Embedding(words, width), nn.Embedding(length, width)
        self.layers = nn.Sequential(*(Layer(width, heads, causal, dropout) for _ in range(layers)))
        self.after = nn.LayerNorm(width)
        nn.init.normal_(self.words.weight, std=0.02)

    def forward(self, tokens):
        places = torch.arange(tokens.shape[1], device=tokens.device)
        x = self.after(self.layers(self.words(tokens) + self.places(places)))
        return F.linear(x, self.words.weight)


class Vit(nn.Module):
    def __init__(self, side, patch=16, width=768, layers=12, heads=12, classes=1000):
        super().__init__()
        self.cut = nn.Conv2d(3, width, patch, patch)
        self.places = nn.Parameter(torch.randn(1, (side // patch) ** 2, width) * 0.02)
        self.layers = nn.Sequential(*(Layer(width, heads, False, 0.0) for _ in range(layers)))
        self.after, self.head = nn.LayerNorm(width), nn.Linear(width, classes)

    def forward(self, x):
        x = self.cut(x).flatten(2).transpose(1, 2) + self.places
        return self.head(self.after(self.layers(x)).mean(1))


class Lstm(nn.Module):
    def __init__(self, words, width, layers=2):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.memory = nn.LSTM(width, width, layers, dropout=0.2, batch_first=True)
        self.out = nn.Linear(width, words)

    def forward(self, tokens):
        return self.out(self.memory(self.words(tokens))[0])


# ------------------------------------------------------------------------------------------------------------------- models


def images(side, classes=1000):
    def draw(batch, device):
        return torch.randn(batch, 3, side, side, device=device), torch.randint(classes, (batch,), device=device)

    return draw, lambda network, pair: F.cross_entropy(network(pair[0]).float(), pair[1])


def masks(side):
    def draw(batch, device):
        picture = torch.randn(batch, 3, side, side, device=device)
        return picture, (picture[:, :1] > 0).float()

    return draw, lambda network, pair: F.binary_cross_entropy_with_logits(network(pair[0]).float(), pair[1])


def next_words(words, length):
    def draw(batch, device):
        return torch.randint(words, (batch, length + 1), device=device)

    def loss_of(network, tokens):
        guesses = network(tokens[:, :-1])
        return F.cross_entropy(guesses.reshape(-1, words).float(), tokens[:, 1:].reshape(-1))

    return draw, loss_of


# name: (usual batch, network of full size, network small enough for a CPU, task of each)
MODELS = {
    "resnet18": (64, lambda: ResNet((2, 2, 2, 2), False), lambda: ResNet((1, 1, 1, 1), False, 8), images, (224,), (32,)),
    "resnet50": (64, lambda: ResNet((3, 4, 6, 3), True), lambda: ResNet((1, 1, 1, 1), True, 8), images, (224,), (32,)),
    "vgg16": (64, lambda: Vgg(224), lambda: Vgg(32, 4), images, (224,), (32,)),
    "vit-b16": (64, lambda: Vit(224), lambda: Vit(32, 8, 32, 2, 4), images, (224,), (32,)),
    "unet": (16, lambda: UNet(), lambda: UNet(4, 2), masks, (256,), (32,)),
    "bert-base": (
        16,
        lambda: Transformer(30522, 128, 768, 12, 12, False),
        lambda: Transformer(128, 16, 32, 2, 4, False),
        next_words,
        (30522, 128),
        (128, 16),
    ),
    "gpt2-124m": (
        8,
        lambda: Transformer(50257, 1024, 768, 12, 12, True),
        lambda: Transformer(128, 16, 32, 2, 4, True),
        next_words,
        (50257, 1024),
        (128, 16),
    ),
    "lstm": (32, lambda: Lstm(33278, 650), lambda: Lstm(128, 16), next_words, (33278, 128), (128, 16)),
    "dcgan": (128, None, None, None, (64,), (8,)),
}


def training(model, device, batch=None, small=False):
    """The training of a model; `small` for machines without a GPU, where only the way it goes matters."""
    usual, large, little, task, full, tiny = MODELS[model]
    batch = batch or (4 if small else usual)
    if task is None:
        return Gan(batch, device, *(tiny if small else full))
    draw, loss_of = task(*(tiny if small else full))
    return Training((little if small else large)(), draw, loss_of, batch, device)
