import numpy as np
import pandas as pd
from timing import report


def read():
    return pd.read_csv("table_bench.csv", parse_dates=["when"])


t = read()
names = pd.DataFrame({"key": [f"word{i}" for i in range(1000)], "weight": np.arange(1000.0)})
report("reading the CSV, 45 MB", read)
report("a sum by text of 1000 words", lambda: t.groupby("key")["a"].sum())
report("mean and deviation by text and integer", lambda: t.groupby(["key", "b"])["a"].agg(["mean", "std"]))
report("join by text", lambda: t.merge(names, on="key", how="left"))
ids = np.array([f"id{i}" for i in range(len(t))], dtype=object)
mixed = pd.DataFrame({"id": ids[np.random.default_rng(1).permutation(len(t))], "a": t["a"]})
weights = pd.DataFrame({"id": ids, "weight": np.arange(float(len(t)))})
report("join by text of 10⁶ words", lambda: mixed.merge(weights, on="id", how="left"))
report("sort by integer and float", lambda: t.sort_values(["b", "a"]))
report("sort by text", lambda: t.sort_values("key", kind="stable"))
report("filter", lambda: t[(t["key"] == "word7") | (t["a"] > 1)])
report("pivot, text by integer", lambda: t.pivot_table(index="key", columns="b", values="a", aggfunc="sum"))
report("months of dates", lambda: t["when"].dt.month)
report("describe", lambda: t.describe())
report("writing the CSV", lambda: t.to_csv("table_bench_out.csv", index=False))
