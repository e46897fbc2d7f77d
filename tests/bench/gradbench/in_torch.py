"""GradBench's problems in PyTorch, by whole tensors, as its users write them: NAME(arguments…) gives a function and its derivative,
each of no arguments."""
import numpy
import torch

from torch.autograd.functional import jacobian

torch.set_num_threads(1)
f64 = torch.float64


def tensor(x):
    return torch.from_numpy(numpy.ascontiguousarray(x))


def with_gradient(f, *parameters):
    """A function of parameters, and its gradient by them."""
    variables = [p.clone().requires_grad_() for p in parameters]

    def value():
        with torch.no_grad():
            return f(*parameters)

    return value, lambda: torch.autograd.grad(f(*variables), variables)


def lse(x):
    def f(x):
        a = x.max()
        return a + torch.log(torch.exp(x - a).sum())
    return with_gradient(f, tensor(x))


def llsq(x, n):
    t = torch.linspace(-1, 1, n, dtype=f64)
    return with_gradient(lambda x: ((torch.sign(t) - t[:, None] ** torch.arange(len(x)) @ x) ** 2).sum() / 2, tensor(x))


def ode(x, s):
    def f(x):
        first = torch.ones(1, dtype=f64)
        rate = lambda y: x * torch.cat([first, y[:-1]])
        y, h = torch.zeros_like(x), 2 / s
        for _ in range(s):
            k1 = rate(y)
            k2 = rate(y + h / 2 * k1)
            k3 = rate(y + h / 2 * k2)
            k4 = rate(y + h * k3)
            y = y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
        return y
    x = tensor(x)
    return with_gradient(f, x)[0], with_gradient(lambda x: f(x)[-1], x)[1]


def kmeans(points, centroids):
    points = tensor(points)

    def f(c):
        squares = (points**2).sum(1)[:, None] + (c**2).sum(1) - 2 * points @ c.T
        return squares.min(1).values.sum()

    c = tensor(centroids)
    variable = c.clone().requires_grad_()

    def direction():
        slope, = torch.autograd.grad(f(variable), variable, create_graph=True)
        curvature, = torch.autograd.grad(slope.sum(), variable)
        return slope.detach() / curvature
    return with_gradient(f, c)[0], direction


def gmm(p, x, gamma, m):
    x = tensor(x)
    n, d = x.shape
    k = len(p["alpha"])
    columns, rows = torch.triu_indices(d, d, 1)
    freedom = d + m + 1
    constant = freedom * d * (numpy.log(gamma) - 0.5 * numpy.log(2)) - float(torch.mvlgamma(torch.tensor(0.5 * freedom, dtype=f64), d))

    def f(alpha, mu, q, l):
        factors = torch.diag_embed(torch.exp(q))
        factors[:, rows, columns] = l
        z = (x - mu[:, None]) @ factors.transpose(1, 2)
        parts = alpha + q.sum(1) - 0.5 * (z**2).sum(2).T
        likelihood = torch.logsumexp(parts, 1).sum() - n * torch.logsumexp(alpha, 0) - 0.5 * n * d * numpy.log(2 * numpy.pi)
        return likelihood + m * q.sum() - 0.5 * gamma**2 * (factors**2).sum() + k * constant
    return with_gradient(f, *(tensor(p[name]) for name in ("alpha", "mu", "q", "l")))


def lstm(main, extra, state, sequence):
    state, sequence = tensor(state), tensor(sequence)
    width = sequence.shape[1]

    def f(main, extra):
        cells = list(state)
        total = 0
        for t in range(len(sequence) - 1):
            x = sequence[t] * extra[0]
            for i in range(len(main) // 2):
                weight, bias = main[2 * i].reshape(4, width), main[2 * i + 1].reshape(4, width)
                hidden, cell = cells[2 * i], cells[2 * i + 1]
                forget = torch.sigmoid(x * weight[0] + bias[0])
                ingate = torch.sigmoid(hidden * weight[1] + bias[1])
                outgate = torch.sigmoid(x * weight[2] + bias[2])
                cell = cell * forget + ingate * torch.tanh(hidden * weight[3] + bias[3])
                x = outgate * torch.tanh(cell)
                cells[2 * i], cells[2 * i + 1] = x, cell
            y = x * extra[1] + extra[2]
            total = total + (sequence[t + 1] * (y - torch.log(2 + torch.exp(y).sum()))).sum()
        return -total / ((len(sequence) - 1) * width)
    return with_gradient(f, tensor(main), tensor(extra))


def ba(cameras, x, w, seen, camera_of, point_of):
    camera, x, w, seen = tensor(cameras)[tensor(camera_of)], tensor(x)[tensor(point_of)], tensor(w), tensor(seen)

    def f(camera, x, w):
        r, x = camera[:, :3], x - camera[:, 3:6]
        square = (r**2).sum(1, keepdim=True)
        angle = torch.sqrt(torch.where(square > 0, square, torch.ones_like(square)))
        axis = r / angle
        turned = x * torch.cos(angle) + torch.cross(axis, x, dim=1) * torch.sin(angle) \
            + axis * (axis * x).sum(1, keepdim=True) * (1 - torch.cos(angle))
        p = torch.where(square > 0, turned, x + torch.cross(r, x, dim=1))
        flat = p[:, :2] / p[:, 2:]
        square = (flat**2).sum(1, keepdim=True)
        bent = flat * (1 + camera[:, 9:10] * square + camera[:, 10:] * square**2)
        return w[:, None] * (bent * camera[:, 6:7] + camera[:, 7:9] - seen)

    variables = [v.clone().requires_grad_() for v in (camera, x, w)]

    def blocks():
        """Observations do not depend on each other: the gradient of a column's sum has a row of each block."""
        errors = f(*variables)
        rows = [torch.autograd.grad(errors[:, i].sum(), variables, retain_graph=True) for i in range(2)]
        return torch.stack([torch.cat([a, b, c[:, None]], 1) for a, b, c in rows], 1), -2 * w
    value, _ = with_gradient(f, camera, x, w)
    return lambda: (value(), 1 - w**2), blocks


def ht(theta, model, correspondences, points):
    matrices = {name: tensor(x) for name, x in model.items() if name not in ("is_mirrored", "parents")}
    points, correspondences = tensor(points), tensor(correspondences)
    parents = list(model["parents"])
    spread = torch.zeros(len(parents), 3, 20, dtype=f64)    # which angle bends which bone about which axis
    for finger in range(5):
        for place, (bone, axis) in enumerate(((0, 0), (0, 1), (1, 0), (2, 0))):
            spread[2 + 4 * finger + bone, axis, 4 * finger + place] = 1

    def turn(a, i, j):
        """Rotations by angles in the plane of axes i and j."""
        unit = torch.zeros(4, 4, 4, 4, dtype=f64)
        for row in range(4):
            for column in range(4):
                unit[row, column, row, column] = 1
        plane = unit[i, i] + unit[j, j]
        cosine, sine = torch.cos(a)[:, None, None], torch.sin(a)[:, None, None]
        return torch.eye(4, dtype=f64) - plane + cosine * plane + sine * (unit[j, i] - unit[i, j])

    def f(theta):
        bends = spread @ theta[6:]
        turned = turn(bends[:, 1], 0, 1) @ turn(bends[:, 2], 2, 0) @ turn(bends[:, 0], 1, 2)
        relatives = matrices["base_relatives"] @ turned
        absolutes = []
        for i, parent in enumerate(parents):
            absolutes.append(relatives[i] if parent < 0 else absolutes[parent] @ relatives[i])
        transforms = torch.stack(absolutes) @ matrices["inverse_base_absolutes"]
        moved = matrices["base_positions"] @ transforms[:, :3].transpose(1, 2)
        positions = (moved * matrices["weights"].T[:, :, None]).sum(0)
        r = theta[:3]
        angle = torch.sqrt((r**2).sum())
        axis = r / angle
        cross = torch.stack([torch.cross(axis, e, dim=0) for e in torch.eye(3, dtype=f64)], 1)
        rotation = torch.eye(3, dtype=f64) + torch.sin(angle) * cross + (1 - torch.cos(angle)) * cross @ cross
        return (points - (positions @ rotation.T + theta[3:6])[correspondences]).reshape(-1)
    theta = tensor(theta)
    return with_gradient(f, theta)[0], lambda: jacobian(f, theta, vectorize=True, strategy="forward-mode")


def hello(x):
    return with_gradient(lambda x: x**2, torch.tensor(x, dtype=f64))
