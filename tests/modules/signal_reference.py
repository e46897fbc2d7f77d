#!/usr/bin/python3
"""Writes tests/modules/data/signal_reference.npz: what SciPy says of windows, designs, filters and peaks.

    /usr/bin/python3 tests/modules/signal_reference.py      # Debian: python3-scipy; the file there was made with 1.10.1
"""
import pathlib

import numpy as np
import scipy.signal as s

x = np.random.default_rng(3).normal(size=60).cumsum()
F = np.linspace(0.02, 0.98, 9)
found = {"x": x, "F": F}


def w(name, values):
    found[name] = np.asarray(values, dtype=float)


for name in ("hann", "hamming", "blackman", "flattop", "triang", "boxcar", ("kaiser", 8.6), ("gaussian", 3.0), ("tukey", 0.4)):
    short = name if isinstance(name, str) else name[0]
    w("w_" + short, s.get_window(name, 11, fftbins=False))
    w("p_" + short, s.get_window(name, 10, fftbins=True))
for n, cutoff, kind in [(31, 0.25, "low"), (31, 0.25, "high"), (30, [0.2, 0.5], "band"), (31, [0.2, 0.5], "stop")]:
    w("fir_" + kind, s.firwin(n, cutoff, pass_zero=kind in ("low", "stop")))
for kind, cutoff in (("low", 0.2), ("high", 0.3), ("band", [0.2, 0.5]), ("stop", [0.2, 0.5])):
    for order in range(1, 6):
        band = {"low": "lowpass", "high": "highpass", "band": "bandpass", "stop": "bandstop"}[kind]
        w(f"b_{kind}_{order}", np.abs(s.sosfreqz(s.butter(order, cutoff, band, output="sos"), np.pi * F)[1]))
        w(f"c_{kind}_{order}", np.abs(s.sosfreqz(s.cheby1(order, 1.5, cutoff, band, output="sos"), np.pi * F)[1]))
sos = s.butter(4, 0.2, output="sos")
w("sos", sos)
w("sosfilt", s.sosfilt(sos, x))
w("sosfiltfilt", s.sosfiltfilt(sos, x))
w("phase", np.unwrap(np.angle(s.freqz(s.firwin(9, 0.4), worN=np.pi * F)[1])))
b, a = s.butter(3, 0.3)
w("lb", b)
w("la", a)
w("lfilter", s.lfilter(b, a, x))
for up, down in ((3, 2), (2, 1), (1, 3), (4, 6)):
    w(f"res_{up}_{down}", s.resample_poly(x, up, down))
w("detrend", s.detrend(x))
w("sg0", s.savgol_filter(x, 7, 2))
w("sg1", s.savgol_filter(x, 9, 3, deriv=1, delta=0.5))
w("med", s.medfilt(x, 5))
p, properties = s.find_peaks(x, prominence=0.0)
w("pk", p)
w("pkp", properties["prominences"])
w("pk5", s.find_peaks(x, distance=5)[0])
w("pkh", s.find_peaks(x, height=float(np.median(x)), prominence=1.0)[0])
w("pkf", s.find_peaks([0.0, 1, 1, 0, 2, 2, 2, 1, 3, 3])[0])
np.savez(pathlib.Path(__file__).parent / "data" / "signal_reference.npz", **found)
