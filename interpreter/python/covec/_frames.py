"""Tables of pandas as tables of Covec: their columns as the module `table` of the language has them. The extension imports this for the
first DataFrame; pandas is imported by whoever made it."""

_WANTED = "Covec's tables have numbers, texts and dates"


def columns_of(frame):
    """The columns of a DataFrame: a dict of ndarrays of numbers and bools, lists of texts, and {"seconds": ndarray} for dates, in UTC
    since 1970. None if all are numbers, or all are bools, of NumPy: then the frame is a matrix. What is missing is NaN, among texts None.

    TypeError for a column of anything else or whose name is no text, ValueError for a name that is there twice or that cannot be UTF-8,
    and for an integer that would be rounded to a float; all name the column."""
    if all(_is_number(dtype) for dtype in frame.dtypes) and len({dtype.kind == "b" for dtype in frame.dtypes}) < 2:
        if any(dtype.kind in "fc" for dtype in frame.dtypes):
            for position, name in enumerate(frame.columns):
                _check_floats(name, frame.iloc[:, position], "since another column has floats and all become one matrix")
        return None
    columns = {}
    for position, name in enumerate(frame.columns):
        _check_name(name, columns)
        columns[str(name)] = _column(name, frame.iloc[:, position])
    return columns


def _check_name(name, others):
    if not isinstance(name, str):
        raise TypeError(f"the column {name!r} has a name that is no text: rename it first, frame.columns = frame.columns.map(str)")
    if name in others:
        raise ValueError(f"the column {name!r} is there twice")
    if "\0" in name or any("\ud800" <= letter <= "\udfff" for letter in name):
        raise ValueError(f"the name of the column {name!r} has a zero byte or half a pair of UTF-16: rename it first")


def _is_number(dtype):
    """Whether a column of it is a tensor: a dtype of NumPy that Covec has."""
    if not type(dtype).__module__.startswith("numpy"):
        return False
    return dtype.kind in "bi" or (dtype.kind, dtype.itemsize) in (("u", 1), ("u", 2), ("u", 4), ("f", 2), ("f", 4), ("f", 8), ("c", 8), ("c", 16))


def _column(name, series):
    import numpy as np
    import pandas as pd

    if isinstance(series.dtype, pd.SparseDtype):
        series = series.sparse.to_dense()
    if isinstance(series.dtype, pd.CategoricalDtype):
        known = series.cat.categories
        known = pd.array(known.to_numpy()) if isinstance(known.dtype, np.dtype) else known.array  # of a dtype that knows missing cells
        series = pd.Series(known.take(series.cat.codes.to_numpy(), allow_fill=True))
    dtype = series.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return {"seconds": _seconds(series, np, pd)}
    kind = getattr(dtype, "kind", "O")
    own = getattr(dtype, "numpy_dtype", None)  # of pandas' dtypes that know missing cells
    if isinstance(own, np.dtype) and _is_number(own):
        if series.isna().any():
            _check_floats(name, series.dropna(), "since cells are missing")
            return series.to_numpy(own if kind == "f" else "float64", na_value=np.nan)
        return series.to_numpy(own)
    if _is_number(dtype) and kind != "c":
        return series.to_numpy()
    if pd.api.types.is_string_dtype(dtype) or kind == "O":
        return [_text(name, item, pd) for item in series]
    raise TypeError(f"the column {name!r} has the dtype {dtype}: {_WANTED}")


def _check_floats(name, series, why):
    """ValueError for an integer that f64 does not hold: those up to 2^53 it does."""
    if series.dtype.kind != "i" or series.dtype.itemsize < 8:
        return
    values = series.to_numpy("int64")
    for value in values[(values > 2**53) | (values < -(2**53))].tolist():
        if int(float(value)) != value:
            raise ValueError(f"the column {name!r} becomes f64, {why}, and f64 does not hold {value}: make it text first, "
                             ".astype('string'), or leave it out")


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
    raise TypeError(f"the column {name!r} has a cell of the type {type(item).__name__!r}, but a column of objects is one of texts: convert it "
                    "first, for example by frame.convert_dtypes(), .astype(float) or pd.to_datetime")
