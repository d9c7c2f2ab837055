"""Copies of one measurement, and two measurements of one thing, as one stream."""

import numpy as np

from finops.accounting.usage import Floats, busy_fraction

Series = tuple[Floats, Floats]  # times, values


def stream(series: list[Series], *, percent: bool) -> tuple[Floats, Floats, Floats]:
    """Copies collapsed to the highest value per instant; times of rejected samples apart."""
    if not series:
        return np.empty(0), np.empty(0), np.empty(0)
    time = np.concatenate([t for t, _ in series])
    busy = busy_fraction(np.concatenate([v for _, v in series]), percent=percent)
    good = ~np.isnan(busy)
    if good.all() and (time[1:] > time[:-1]).all():  # one series and nothing to reject: the usual case of a large fleet
        return time, busy, np.empty(0)
    instants, where = np.unique(time[good], return_inverse=True)
    highest = np.zeros(len(instants))
    np.maximum.at(highest, where, busy[good])
    return instants, highest, np.setdiff1d(time[~good], instants)


def prefer(prof_time: Floats, prof: Floats, util_time: Floats, util: Floats, *, stuck: Floats, reach: float) -> tuple[Floats, Floats, str]:
    """Profiling, and GPU_UTIL where no profiling sample reaches or, at the times `stuck`, one was frozen."""
    if not len(prof_time):
        return util_time, util, "gpu_util" if len(util_time) else "none"
    if not len(util_time):
        return prof_time, prof, "gr_engine"
    after = np.searchsorted(prof_time, util_time)
    to_next = np.where(after < len(prof_time), prof_time[np.minimum(after, len(prof_time) - 1)] - util_time, np.inf)
    to_last = np.where(after > 0, util_time - prof_time[np.maximum(after - 1, 0)], np.inf)
    alone = (np.minimum(to_next, to_last) > reach) | np.isin(util_time, stuck)
    time = np.concatenate((prof_time, util_time[alone]))
    order = np.argsort(time, kind="stable")
    return time[order], np.concatenate((prof, util[alone]))[order], "mixed" if alone.any() else "gr_engine"
