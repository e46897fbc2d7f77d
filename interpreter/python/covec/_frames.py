"""Tables of pandas as tables of Covec: their columns as the module `table` of the language has them. The extension imports this for the
first DataFrame that has a column that is no number; pandas is imported by whoever made it."""


def columns_of(frame):
    """The columns of a DataFrame: a dict of ndarrays of numbers and bools, lists of texts, and {"seconds": ndarray} for dates, in UTC
    since 1970. None if all are numbers of NumPy: then the frame is a matrix. What is missing is NaN, among texts None.

    TypeError for a column of anything else or without a name, ValueError for a name that is there twice; both name it."""
    if all(getattr(dtype, "kind", "O") in "biufc" and type(dtype).__module__.startswith("numpy") for dtype in frame.dtypes):
        return None
    columns = {}
    for position, name in enumerate(frame.columns):
        if not isinstance(name, str):
            raise TypeError(f"a column of a table has a text as its name, not {name!r}")
        if name in columns:
            raise ValueError(f"the column {name!r} is there twice")
        columns[name] = _column(name, frame.iloc[:, position])
    return columns


def _column(name, series):
    import numpy as np
    import pandas as pd

    if isinstance(series.dtype, pd.CategoricalDtype):
        values = series.cat.categories.to_numpy()
        missing = None if values.dtype.kind == "O" else np.nan
        given = [missing if code < 0 else values[code] for code in series.cat.codes]
        series = pd.Series(given, dtype=object if values.dtype.kind == "O" else None)
    dtype = series.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return {"seconds": _seconds(series, np, pd)}
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype):
        if kind in "biufc" and dtype != np.uint64 and dtype.itemsize <= 16 and not (kind == "f" and dtype.itemsize > 8):
            return series.to_numpy()
    elif kind in "biuf":  # pandas' own, which know missing cells
        if series.isna().any():
            return series.to_numpy("float64", na_value=np.nan)
        if dtype.numpy_dtype != np.uint64:
            return series.to_numpy(dtype.numpy_dtype)
    if pd.api.types.is_string_dtype(dtype) or kind == "O":
        return [_text(name, item, pd) for item in series]
    raise TypeError(f"the column {name!r} has the dtype {dtype}: Covec's tables have numbers, texts and dates")


def _seconds(series, np, pd):
    if getattr(series.dtype, "tz", None) is not None:
        series = series.dt.tz_convert("UTC").dt.tz_localize(None)
    nanoseconds = series.to_numpy("datetime64[ns]").astype("int64")
    whole, rest = np.divmod(nanoseconds, 10**9)
    return np.where(series.isna(), np.nan, whole + rest / 1e9)


def _text(name, item, pd):
    if isinstance(item, str):
        return str(item)
    if item is None or item is pd.NA or item is pd.NaT or (isinstance(item, float) and item != item):
        return None
    raise TypeError(f"the column {name!r} has a cell of the type {type(item).__name__!r}: Covec's tables have numbers, texts and dates")
