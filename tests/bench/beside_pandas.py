#!/usr/bin/python3
"""What beside_pandas.covec measures, by pandas, on the file that it has left: /usr/bin/python3 tests/bench/beside_pandas.py"""
import time

import numpy as np
import pandas as pd


def least_of_five(name, call):
    times = []
    for _ in range(5):
        begun = time.perf_counter()
        call()
        times.append(time.perf_counter() - begun)
    print(f"{name} {1e3 * min(times):.1f} ms")


def read():
    return pd.read_csv("table_bench.csv", parse_dates=["when"])


t = read()
names = pd.DataFrame({"key": [f"word{i}" for i in range(1000)], "weight": np.arange(1000.0)})
least_of_five("read csv", read)
least_of_five("sum by text", lambda: t.groupby("key")["a"].sum())
least_of_five("mean, std by two", lambda: t.groupby(["key", "b"])["a"].agg(["mean", "std"]))
least_of_five("join by text", lambda: t.merge(names, on="key", how="left"))
least_of_five("sort by two", lambda: t.sort_values(["b", "a"]))
least_of_five("sort by text", lambda: t.sort_values("key", kind="stable"))
least_of_five("filter", lambda: t[(t["key"] == "word7") | (t["a"] > 1)])
least_of_five("pivot", lambda: t.pivot_table(index="key", columns="b", values="a", aggfunc="sum"))
least_of_five("month", lambda: t["when"].dt.month)
least_of_five("describe", lambda: t.describe())
least_of_five("write csv", lambda: t.to_csv("table_bench_out.csv", index=False))
