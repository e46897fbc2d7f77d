import numpy as np
import scipy.signal as s
from timing import report

x = np.random.default_rng(1).normal(size=1000000).cumsum()
low = s.butter(8, 0.1, output="sos")
report("Butterworth of order 8, 10^6", lambda: s.sosfilt(low, x))
report("forth and back, 10^6", lambda: s.sosfiltfilt(low, x))
report("peaks with prominences, 10^6", lambda: s.find_peaks(x, prominence=3.0))
report("resample by 3/2, 10^6", lambda: s.resample_poly(x, 3, 2))
report("Savitzky and Golay, 11 and 3, 10^6", lambda: s.savgol_filter(x, 11, 3))
report("medians of 5, 10^5", lambda: s.medfilt(x[:100000], 5))
report("FIR of 101, 10^6", lambda: s.lfilter(s.firwin(101, 0.2), 1.0, x))
