import numpy as np
import scipy.stats as st
from timing import report

draws = np.random.default_rng(1)
x, u = draws.normal(size=1000000), draws.random(100000)
report("normal cumulative, 10^6", lambda: st.norm.cdf(x))
report("normal quantile, 10^5", lambda: st.norm.ppf(u))
report("gamma cumulative, 10^5", lambda: st.gamma.cdf(10 * u, 3.0))
report("beta quantile, 10^4", lambda: st.beta.ppf(u[:10000], 2.0, 3.0))
report("student t log density, 10^6", lambda: st.t.logpdf(x, 5.0))
report("t test, 10^6", lambda: st.ttest_1samp(x, 0.0))
report("Kolmogorov and Smirnov, 10^5", lambda: st.kstest(x[:100000], "norm"))
report("Mann and Whitney, 10^5", lambda: st.mannwhitneyu(x[:100000], x[100000:200000], method="asymptotic"))
report("bootstrap of a mean, 1000 of 1000", lambda: st.bootstrap((x[:1000],), np.mean, n_resamples=1000, method="percentile"))
report("kernel density, 1000 at 1000", lambda: st.gaussian_kde(x[:1000])(x[1000:2000]))
report("ranks, 10^6", lambda: st.rankdata(x))
report("standard scores, 10^6", lambda: st.zscore(x))
report("skewness, 10^6", lambda: st.skew(x))
report("kurtosis, 10^6", lambda: st.kurtosis(x))
