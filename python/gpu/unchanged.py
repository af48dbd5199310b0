"""Programs that know nothing of Fermata, for scripts/suspend-proof: unchanged.py NAME STEPS. Each prints its loss after every step."""

import hashlib
import os
import signal
import sys
import time


def plain(steps):
    """Without any library: a chain of hashes stands for the loss."""
    state = b"0"
    for step in range(steps):
        for _ in range(2000):
            state = hashlib.sha256(state).digest()
        time.sleep(0.05)
        print(step, state.hex()[:16], flush=True)


def torch_loop(steps, compiled=False, workers=None, gib=0):
    os.environ["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
    import torch

    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    net = torch.nn.Sequential(*[layer for _ in range(6) for layer in (torch.nn.Linear(1024, 1024), torch.nn.GELU())]).cuda()
    optimizer = torch.optim.AdamW(net.parameters(), 1e-4)
    ballast = torch.full((int(gib * 2**30) + 1,), 7, dtype=torch.uint8, device="cuda")
    run = torch.compile(net) if compiled else net
    data = torch.utils.data.TensorDataset(torch.randn(4096, 1024))
    step = 0
    while step < steps:
        loader = torch.utils.data.DataLoader(data, 256, num_workers=workers or 0, pin_memory=workers is not None)
        for (x,) in loader:
            loss = (run(x.cuda()) - 1).square().mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            print(step, loss.item().hex(), flush=True)
            step += 1
            time.sleep(0.03)
            if step == steps:
                break
    print("ballast", ballast.min().item(), ballast.max().item(), flush=True)


def jax_loop(steps):
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "false"
    os.environ["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true"
    import jax
    import jax.numpy as jnp

    key = jax.random.PRNGKey(1)
    w = jax.random.normal(key, (1024, 1024)) * 0.02
    x = jax.random.normal(key, (256, 1024))
    update = jax.jit(jax.value_and_grad(lambda w: jnp.mean((jnp.tanh(x @ w) - 0.5) ** 2)))
    for step in range(steps):
        loss, gradient = update(w)
        w = w - 0.1 * gradient
        print(step, float(loss).hex(), flush=True)
        time.sleep(0.03)


def gang(steps):
    """A rank of two, on one GPU: gloo, so that they share no CUDA memory. Only the first prints."""
    import torch
    import torch.distributed

    torch.distributed.init_process_group("gloo")
    rank = torch.distributed.get_rank()
    torch.manual_seed(1)
    net = torch.nn.parallel.DistributedDataParallel(torch.nn.Linear(1024, 1024).cuda())
    optimizer = torch.optim.SGD(net.parameters(), 1e-2)
    torch.manual_seed(rank)
    for step in range(steps):
        loss = (net(torch.randn(256, 1024).cuda()) - 1).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if rank == 0:
            print(step, loss.item().hex(), flush=True)
        time.sleep(0.02)
    torch.distributed.destroy_process_group()


def shared(steps):
    """Two processes share CUDA memory: they must never be suspended."""
    import torch
    import torch.multiprocessing

    torch.multiprocessing.set_start_method("spawn")
    here, there = torch.multiprocessing.Queue(), torch.multiprocessing.Queue()
    child = torch.multiprocessing.Process(target=add_ones, args=(here, there))
    child.start()
    tensor = torch.zeros(1000, device="cuda")
    here.put(tensor)
    for step in range(steps):
        here.put(step)
        there.get()
        print(step, tensor[0].item(), flush=True)
        time.sleep(0.03)
    here.put(None)
    child.join()


def add_ones(here, there):
    import torch

    tensor = here.get()
    while here.get() is not None:
        tensor.add_(1)
        torch.cuda.synchronize()
        there.put(1)


def managed(steps):
    """Managed memory cannot be suspended."""
    import ctypes

    import torch

    tensor = torch.zeros(1000, device="cuda")
    address = ctypes.c_uint64()
    result = ctypes.CDLL("libcuda.so.1").cuMemAllocManaged(ctypes.byref(address), ctypes.c_size_t(1 << 26), 1)
    print("managed", result, flush=True)
    for step in range(steps):
        tensor.add_(1)
        print(step, tensor[0].item(), flush=True)
        time.sleep(0.03)


def stubborn(steps):
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    torch_loop(steps)


PROGRAMS = {
    "plain": plain,
    "eager": torch_loop,
    "compiled": lambda steps: torch_loop(steps, compiled=True),
    "loader": lambda steps: torch_loop(steps, workers=3),
    "stubborn": stubborn,
    "large": lambda steps: torch_loop(steps, gib=20),
    "gang": gang,
    "jax": jax_loop,
    "shared": shared,
    "managed": managed,
}

if __name__ == "__main__":
    PROGRAMS[sys.argv[1]](int(sys.argv[2]))
