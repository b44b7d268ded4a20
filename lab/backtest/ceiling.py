"""Reads one series of daily use per line; writes its use in the next 1, 3 and 7 days by exponential smoothing."""
import sys
import warnings

import numpy
from statsmodels.tsa.exponential_smoothing.ets import ETSModel

warnings.filterwarnings("ignore")

for line in sys.stdin:
    series = numpy.array([float(one) for one in line.split()])
    best = None
    for options in (
        {"trend": None, "seasonal": None},
        {"trend": "add", "damped_trend": True, "seasonal": None},
        {"trend": None, "seasonal": "add", "seasonal_periods": 7},
    ):
        try:
            fitted = ETSModel(series, error="add", **options).fit(disp=False, maxiter=100)
        except (ValueError, numpy.linalg.LinAlgError):
            continue
        if best is None or fitted.aicc < best.aicc:
            best = fitted
    ahead = numpy.maximum(0, best.forecast(7)) if best is not None else numpy.full(7, series[-7:].mean())
    print(*(f"{ahead[:days].sum():.2f}" for days in (1, 3, 7)), flush=True)
