import torch
import torch.nn as nn
from timing import report

torch.set_num_threads(1)
torch.manual_seed(1)
x, labels = torch.randn(128, 784), torch.randint(0, 10, (128,))
loss = nn.CrossEntropyLoss()
mlp = nn.Sequential(nn.Linear(784, 256), nn.ReLU(), nn.Linear(256, 10))
adam = torch.optim.Adam(mlp.parameters())


def mlp_step():
    adam.zero_grad()
    loss(mlp(x), labels).backward()
    adam.step()


def gradient(module, value):
    def call():
        module.zero_grad()
        value().backward()
    return call


report("training step, 784-256-10, batch 128, Adam", mlp_step)
sequence, cell = torch.randn(32, 50, 64), nn.LSTM(64, 128, batch_first=True)
report("LSTM, 50 steps, 64 to 128, batch 32, gradient", gradient(cell, lambda: cell(sequence)[0].mean()))
pictures = torch.randn(32, 1, 28, 28)
network = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(16, 32, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(32 * 49, 10))
report("convolutions 1-16-32, 28 x 28, batch 32, gradient", gradient(network, lambda: loss(network(pictures), labels[:32])))
block = nn.TransformerEncoderLayer(128, 4, 512, dropout=0.0, activation="gelu", batch_first=True, norm_first=True)
words, mask = torch.randn(8, 64, 128), nn.Transformer.generate_square_subsequent_mask(64)
report("transformer block, 64 words of 128, batch 8, gradient", gradient(block, lambda: block(words, mask).mean()))
edges, nodes = torch.randn(100000, 16), torch.randint(0, 10000, (100000,))
report("sums of 10^4 segments, 10^5 rows of 16", lambda: torch.zeros(10000, 16).index_add_(0, nodes, edges))


def segment_softmax():
    index = nodes[:, None].expand(-1, 16)
    largest = torch.zeros(10000, 16).scatter_reduce_(0, index, edges, "amax", include_self=False)
    powers = (edges - largest[nodes]).exp()
    return powers / torch.zeros(10000, 16).index_add_(0, nodes, powers)[nodes]


report("softmax in 10^4 segments, 10^5 rows of 16", segment_softmax)
