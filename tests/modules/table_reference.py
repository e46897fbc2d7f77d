#!/usr/bin/python3
"""Writes tests/modules/data/table_reference.npz: a table, and what pandas makes of it, column by column as numbers (the
word "w7" is 7, a date its seconds since 1970, what is missing nan).

    /usr/bin/python3 tests/modules/table_reference.py      # Debian: python3-pandas; the file there was made with 1.5.3
"""
import pathlib

import numpy as np
import pandas as pd

draws = np.random.default_rng(5)
n = 200
key = pd.Series([f"w{k}" for k in draws.integers(10, 20, n)], dtype=object)
key[draws.integers(0, n, 12)] = None
when = pd.to_datetime("2023-11-20") + pd.to_timedelta(draws.integers(0, 400 * 24 * 60, n) * 60, unit="s")
a = draws.normal(size=n).round(3)
a[draws.integers(0, n, 20)] = np.nan
t = pd.DataFrame({"key": key, "b": draws.integers(0, 5, n), "a": a, "when": when})
other = pd.DataFrame({"key": ["w12", "w30", None, "w12", "w15"], "weight": [1.5, 2.5, 3.5, 4.5, 5.5]})
found = {}


def numbers(column):
    if column.dtype.kind == "M":
        return column.astype("int64").where(column.notna(), np.nan) / 1e9
    if column.dtype == object:
        return column.map(lambda w: np.nan if w is None or w != w else float(str(w)[1:]) if str(w)[0] == "w" else float("abt".index(w[0])))
    return column


def keep(name, frame):
    for i, column in enumerate(frame.columns):
        found[f"{name}_{i}"] = np.asarray(numbers(frame[column]), dtype=float)


keep("t", t)
keep("other", other)
groups = t.groupby("key", dropna=False)
hows = ["count", "sum", "mean", "median", "var", "std", "min", "max", "first", "last", "nunique"]
keep("by_key", groups["a"].agg(hows + ["size"]).reset_index())
keep("by_two", t.groupby(["key", "b"], dropna=False)["a"].agg(["sum", "std"]).reset_index())
keep("dates", groups["when"].agg(["min", "max", "first", "last"]).reset_index())
keep("words", t.groupby("b")["key"].agg(["count", "first", "last", "nunique"]).reset_index())
for how in ("left", "right"):
    keep(how, t.merge(other, on="key", how=how))
for how in ("inner", "outer"):  # whose order in pandas 1.5 is not that of the rows
    keep(how, t.merge(other, on="key", how=how).sort_values(["key", "b", "a", "when", "weight"]))
keep("sorted", t.sort_values(["key", "a", "b"], ascending=[False, True, False], kind="stable"))
for how in ("sum", "mean", "count"):
    keep("pivot_" + how, t.dropna().pivot_table(index="key", columns="b", values="a", aggfunc=how).reset_index())
keep("melt", t.melt(id_vars=["key", "when"], value_vars=["a", "b"]))
keep("unique", t.drop_duplicates(["key", "b"]))
keep("dropna", t.dropna())
keep("stacked", pd.concat([t, other]))
keep("counts", t["b"].value_counts().rename_axis("b").reset_index(name="count"))
d = t[["b", "a"]].describe()
keep("describe", d.T[["count", "mean", "std", "min", "25%", "50%", "75%", "max"]])
for how in ("mean", "sum", "min", "max", "median", "std"):
    found["rolling_" + how] = getattr(t["a"].rolling(4), how)().to_numpy()
for part, name in [("year", "year"), ("quarter", "quarter"), ("month", "month"), ("day", "day"), ("hour", "hour"), ("minute", "minute"),
                   ("weekday", "weekday"), ("yearday", "dayofyear")]:
    found["part_" + part] = getattr(t["when"].dt, name).to_numpy().astype(float)
for unit, letter in [("year", "Y"), ("quarter", "Q"), ("month", "M"), ("week", "W-SUN"), ("day", "D"), ("hour", "H")]:
    found["floor_" + unit] = np.asarray(numbers(t["when"].dt.to_period(letter).dt.start_time), dtype=float)
found["isin"] = t["key"].isin(["w12", "w15"]).to_numpy().astype(float)
np.savez_compressed(pathlib.Path(__file__).parent / "data" / "table_reference.npz", **found)
