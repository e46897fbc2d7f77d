"""Jacobians and steps of training in PyTorch, each by its fastest way."""

import torch
from torch.nn import functional

try:
    from functorch import jacrev
except ImportError:
    def jacrev(f):
        return lambda x: torch.autograd.functional.jacobian(f, x, vectorize=True)


def repeated(f):
    def run(n):
        for _ in range(n):
            f()
    return run


def jac_small():
    x = torch.tensor(1.5)
    return repeated(lambda: torch.autograd.functional.jacobian(lambda x: torch.stack([x**2, x**3]), x))


def jac_mlp():
    x, a, b, c, d = (0.1 * torch.randn(*shape) for shape in ((100,), (100, 200), (200,), (200, 50), (50,)))
    return repeated(lambda: jacrev(lambda x: torch.tanh(x @ a + b) @ c + d)(x))


def jac_ew():
    x = torch.randn(1000)
    return repeated(lambda: jacrev(torch.tanh)(x))


def training(make_network, make_optimizer, batch):
    def prepare():
        network = make_network()
        optimizer = make_optimizer(network.parameters())
        x, labels = torch.rand(batch, 784), torch.randint(0, 10, (batch,))

        def step():
            optimizer.zero_grad(set_to_none=True)
            functional.cross_entropy(network(x), labels).backward()
            optimizer.step()
        return repeated(step)
    return prepare


def regression():
    return torch.nn.Linear(784, 10)


def two_layers():
    return torch.nn.Sequential(torch.nn.Linear(784, 256), torch.nn.ReLU(), torch.nn.Linear(256, 10))


def adam(parameters):
    return torch.optim.Adam(parameters, lr=1e-6, foreach=True)


def sgd(parameters):
    return torch.optim.SGD(parameters, lr=1e-6, foreach=True)


def lstm():
    cell, x = torch.nn.LSTM(128, 128), torch.randn(50, 32, 128)

    def step():
        cell.zero_grad(set_to_none=True)
        cell(x)[0].square().mean().backward()
    return repeated(step)


ROWS = {
    "jac_small": jac_small,
    "jac_mlp": jac_mlp,
    "jac_ew": jac_ew,
    "train_step_sgd": training(regression, sgd, 32),
    "train_step_adam": training(regression, adam, 32),
    "mlp_train_step": training(two_layers, adam, 128),
    "rnn_step": lstm,
}
