"""peer.py torch|compiled|jax full|quick: the cases of cases.covec in PyTorch (eager, torch.compile) or JAX, a line each."""
import statistics
import sys
import time

WHO, SIZE = sys.argv[1:3]
FULL = SIZE == "full"


def timed(name, f, arguments, settle):
    for _ in range(3):
        settle(f(*arguments))
    rounds = []
    start = time.perf_counter()
    settle(f(*arguments))
    calls = max(1, int(0.05 / max(time.perf_counter() - start, 1e-6)))
    for _ in range(5):
        start = time.perf_counter()
        for _ in range(calls):
            last = f(*arguments)
        settle(last)
        rounds.append((time.perf_counter() - start) / calls)
    print(name, f"{statistics.median(rounds):.9f}", flush=True)


def torch_cases():
    import torch
    torch.backends.cuda.matmul.allow_tf32 = False
    there = "cuda" if torch.cuda.is_available() else "cpu"
    prepare = torch.compile if WHO == "compiled" else lambda f: f
    settle = (lambda _: torch.cuda.synchronize()) if there == "cuda" else lambda _: None
    n = 10**8 if FULL else 10**6
    x, y = torch.rand(n, device=there), torch.rand(n, device=there)
    fused = lambda x, y: torch.exp(-x * x) * y + torch.tanh(x * y) / (1 + x * x)  # noqa: E731

    def gradient(x, y):
        x, y = x.detach().requires_grad_(), y.detach().requires_grad_()
        return torch.autograd.grad(fused(x, y).sum(), (x, y))

    timed("copy", prepare(lambda x: x + 0), (x,), settle)
    timed("fused", prepare(fused), (x, y), settle)
    timed("fused_gradient", prepare(gradient), (x, y), settle)
    m = x.reshape(-1, 1000)
    timed("sum", prepare(lambda m: m.sum(0)), (m,), settle)
    timed("sum_all", prepare(lambda x: x.sum()), (x,), settle)
    timed("softmax", prepare(lambda m: torch.softmax(m, 1)), (m,), settle)
    timed("layer_norm", prepare(lambda m: torch.nn.functional.layer_norm(m, (1000,))), (m,), settle)
    for side in (1024, 4096) if FULL else (256,):
        a, b = torch.randn(side, side, device=there), torch.randn(side, side, device=there)
        timed(f"product_{side}", prepare(lambda a, b: a @ b), (a, b), settle)
    wide, batch = (4096, 4096) if FULL else (64, 64)
    sizes = [(784, wide), (wide, wide), (wide, 10)]
    p = [t for k, m in sizes for t in (torch.randn(k, m, device=there) * (2 / k) ** 0.5, torch.zeros(m, device=there))]
    images, labels = torch.rand(batch, 784, device=there), torch.randint(0, 10, (batch,), device=there)

    def step(p, x, t):
        p = [w.detach().requires_grad_() for w in p]
        h = torch.relu(torch.relu(x @ p[0] + p[1]) @ p[2] + p[3]) @ p[4] + p[5]
        grads = torch.autograd.grad(torch.nn.functional.cross_entropy(h, t), p)
        return [w - 0.01 * g for w, g in zip(p, grads)]

    timed("training_step", prepare(step), (p, images, labels), settle)
    small = torch.rand(70000, device=there)

    def chain(x):
        for _ in range(20):
            x = x.reshape(7, 10000).sum(0)[None] * torch.ones(7, 1, device=there)
            x = x.reshape(-1) * 0.1
        return x

    timed("launches", prepare(chain), (small,), settle)


def jax_cases():
    import jax
    import jax.numpy as jnp
    jax.config.update("jax_default_matmul_precision", "highest")
    settle = jax.block_until_ready
    n = 10**8 if FULL else 10**6
    key = jax.random.PRNGKey(0)
    x, y = jax.random.uniform(key, (n,)), jax.random.uniform(jax.random.PRNGKey(1), (n,))
    fused = lambda x, y: jnp.exp(-x * x) * y + jnp.tanh(x * y) / (1 + x * x)  # noqa: E731
    timed("copy", jax.jit(lambda x: x + 0), (x,), settle)
    timed("fused", jax.jit(fused), (x, y), settle)
    timed("fused_gradient", jax.jit(jax.grad(lambda x, y: fused(x, y).sum(), (0, 1))), (x, y), settle)
    m = x.reshape(-1, 1000)
    timed("sum", jax.jit(lambda m: m.sum(0)), (m,), settle)
    timed("sum_all", jax.jit(lambda x: x.sum()), (x,), settle)
    timed("softmax", jax.jit(lambda m: jax.nn.softmax(m, 1)), (m,), settle)
    norm = lambda m: (m - m.mean(1, keepdims=True)) / jnp.sqrt(m.var(1, keepdims=True) + 1e-5)  # noqa: E731
    timed("layer_norm", jax.jit(norm), (m,), settle)
    for side in (1024, 4096) if FULL else (256,):
        a = jax.random.normal(key, (side, side))
        timed(f"product_{side}", jax.jit(lambda a, b: a @ b), (a, a), settle)
    wide, batch = (4096, 4096) if FULL else (64, 64)
    p = [t for k, m in [(784, wide), (wide, wide), (wide, 10)]
         for t in (jax.random.normal(key, (k, m)) * (2 / k) ** 0.5, jnp.zeros(m))]
    images, labels = jax.random.uniform(key, (batch, 784)), jax.random.randint(key, (batch,), 0, 10)

    def loss(p, x, t):
        h = jax.nn.relu(jax.nn.relu(x @ p[0] + p[1]) @ p[2] + p[3]) @ p[4] + p[5]
        return -jnp.take_along_axis(jax.nn.log_softmax(h), t[:, None], 1).mean()

    step = jax.jit(lambda p, x, t: [w - 0.01 * g for w, g in zip(p, jax.grad(loss)(p, x, t))])
    timed("training_step", step, (p, images, labels), settle)
    small = jax.random.uniform(key, (70000,))

    def chain(x):
        for _ in range(20):
            x = (x.reshape(7, 10000).sum(0)[None] * jnp.ones((7, 1))).reshape(-1) * 0.1
        return x

    timed("launches", jax.jit(chain), (small,), settle)


jax_cases() if WHO == "jax" else torch_cases()
