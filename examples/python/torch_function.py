"""A function of Covec's as a layer of PyTorch's: a torch.autograd.Function whose backward pass is Covec's gradient. Tensors go
in without copies; what comes out is PyTorch's own."""
import covec
import torch

covec.run("""
fn soft_threshold(x, t) = where(abs(x) > t, x - t * sign(x), 0 * x)

@compile
fn pullback(x, t, cotangent) = grad((x, t) -> sum(soft_threshold(x, t) * cotangent), wrt=(0, 1))(x, t)
""")
forward = covec.compile(covec.get("soft_threshold"))
pullback = covec.get("pullback")


def tensor(value):
    return torch.from_dlpack(value) if isinstance(value, covec.Array) else torch.tensor(value, dtype=torch.float64)


class SoftThreshold(torch.autograd.Function):
    @staticmethod
    def forward(context, x, t):
        context.save_for_backward(x, t)
        return tensor(forward(x.detach(), t.item()))

    @staticmethod
    def backward(context, cotangent):
        x, t = context.saved_tensors
        return tuple(tensor(part) for part in pullback(x.detach(), t.item(), cotangent.contiguous()))


x = torch.tensor([-2.0, -0.3, 0.25, 3.0], dtype=torch.float64, requires_grad=True)
t = torch.tensor(0.5, dtype=torch.float64, requires_grad=True)
y = SoftThreshold.apply(x, t)
print(y.tolist())                                                          # expect: [-1.5, -0.0, 0.0, 2.5]
(y * y).sum().backward()
print(x.grad.tolist(), t.grad.item())                                      # expect: [-3.0, 0.0, 0.0, 5.0] -8.0
print(torch.autograd.gradcheck(SoftThreshold.apply, (x, t)))               # expect: True
