"""Forecasts against outcomes: whether probabilities are what they claim.

A forecast p says that something comes with probability p; the outcome y is 1 if it does, else 0.
Forecasts are *calibrated* if of those with the same p a share of p comes.

*Brier score*: the mean of (p - y)^2 (G. W. Brier, "Verification of forecasts expressed in terms of
probability", Monthly Weather Review 78, 1950). Over bins k with n_k of n forecasts, whose mean is
p_k and of which a share y_k came, of y in all, it is

    reliability - resolution + uncertainty + within
    = sum n_k (p_k - y_k)^2 / n - sum n_k (y_k - y)^2 / n + y (1 - y) + within

(A. H. Murphy, "A New Vector Partition of the Probability Score", Journal of Applied Meteorology 12,
1973); ``within`` comes of forecasts that differ within a bin (D. B. Stephenson, C. A. S. Coelho and
I. T. Jolliffe, "Two Extra Components in the Brier Score Decomposition", Weather and Forecasting 23,
2008). Reliability is 0 for calibrated forecasts; resolution is the greater the more they reveal.

*Logarithmic score*: the mean of -log2 of the probability of what came, in bits (I. J. Good,
"Rational Decisions", Journal of the Royal Statistical Society B 14, 1952).

Forecasts of a game depend on each other, and games don't. All errors are therefore those of groups
of games, by the jackknife: every figure is computed again without each group in turn. Figures are
plain means, except reliability and resolution, which chance makes too large: the jackknife removes
this bias of them (C. A. T. Ferro and T. E. Fricker, "A bias-corrected decomposition of the Brier
score", Quarterly Journal of the Royal Meteorological Society 138, 2012, on that bias). ``within``
is the rest of the Brier score, so that the parts add up.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from bsbench.stats.intervals import NORMAL_95, interval_text, share_interval

_Numbers = npt.NDArray[np.float64]

_ROUNDING = 1e-12
"""Figures that differ by less are the same, but for rounding."""


@dataclass(frozen=True)
class Estimate:
    """A figure and its standard error, NaN where there is one group of games."""

    value: float
    error: float

    @property
    def half_width(self) -> float:
        """Of the 95 % interval, by the normal approximation."""
        return NORMAL_95 * self.error

    @property
    def text(self) -> str:
        """The figure with its interval."""
        return interval_text(self.value, self.half_width)


@dataclass(frozen=True)
class Bin:
    """Forecasts that are nearly the same.

    Attributes
    ----------
    forecasts : int
    forecast : float
        Their mean.
    share : float
        Of these that came.
    interval : tuple of 2 float
        The 95 % interval of its probability.
    """

    forecasts: int
    forecast: float
    share: float
    interval: tuple[float, float]

    @property
    def low(self) -> float:
        """The lower end of the interval."""
        return float(self.interval[0])

    @property
    def high(self) -> float:
        """The upper end."""
        return float(self.interval[1])


@dataclass(frozen=True, eq=False)
class Forecasts:
    """Sums over forecasts, by group of games and by bin.

    Attributes
    ----------
    sums : ndarray of Python's int, shape (groups, bins, 7)
        See `bsbench.kernels.forecasts`.
    unit : int
        What a probability of 1 is counted as, and a bit.
    """

    sums: npt.NDArray[np.object_] = field(repr=False)
    unit: int

    def __add__(self, other: Forecasts) -> Forecasts:
        return Forecasts(self.sums + other.sums, self.unit)

    @cached_property
    def _by_group(self) -> npt.NDArray[np.object_]:
        """The sums of those groups that have forecasts."""
        known: npt.NDArray[np.object_] = self.sums[self.sums[:, :, 0].sum(axis=1) > 0]
        return known

    @cached_property
    def _in_all(self) -> npt.NDArray[np.object_]:
        total: npt.NDArray[np.object_] = self.sums.sum(axis=0)
        return total

    @property
    def forecasts(self) -> int:
        """How many there are."""
        return int(self._in_all[:, 0].sum())

    @property
    def came(self) -> int:
        """Of how many of them what they forecast came."""
        return int(self._in_all[:, 1].sum())

    @property
    def impossible(self) -> int:
        """How often came what was forecast with a probability of 0."""
        return int(self._in_all[:, 6].sum())

    def _estimate(
        self, figure: Callable[[npt.NDArray[Any]], _Numbers], is_mean: bool = True
    ) -> Estimate:
        """Return a figure, with its error by the jackknife.

        ``figure`` takes sums of shape (…, bins, columns), and returns an array of shape (…). If it
        is no mean, the jackknife removes its bias, too.
        """
        groups = len(self._by_group)
        whole = float(figure(self._in_all))
        if groups < 2:
            return Estimate(whole, math.nan)
        without = figure(self._in_all - self._by_group)
        if np.ptp(without) < _ROUNDING:
            return Estimate(whole, 0.0)
        mean = float(without.mean())
        variance = (groups - 1) / groups * float(((without - mean) ** 2).sum())
        value = whole if is_mean else groups * whole - (groups - 1) * mean
        return Estimate(value, math.sqrt(variance))

    @cached_property
    def brier(self) -> Estimate:
        """The Brier score."""
        return self._estimate(self._brier)

    @cached_property
    def bits(self) -> Estimate:
        """The logarithmic score; infinite where what came had a probability of 0."""
        if self.impossible:
            return Estimate(math.inf, math.nan)
        return self._estimate(lambda sums: self._mean(sums, 5) / self.unit)

    @cached_property
    def forecast(self) -> Estimate:
        """The mean forecast."""
        return self._estimate(lambda sums: self._mean(sums, 2) / self.unit)

    @cached_property
    def share(self) -> Estimate:
        """The share that came."""
        return self._estimate(lambda sums: self._mean(sums, 1))

    @cached_property
    def bias(self) -> Estimate:
        """The mean forecast minus the share that came."""
        return self._estimate(
            lambda sums: self._mean(sums, 2) / self.unit - self._mean(sums, 1),
        )

    @cached_property
    def reliability(self) -> Estimate:
        """How far forecasts are from the shares that come, squared.

        Random variation can make it negative.
        """
        return self._estimate(self._reliability, is_mean=False)

    @cached_property
    def resolution(self) -> Estimate:
        """How far the shares that come are from their mean, squared."""
        return self._estimate(self._resolution, is_mean=False)

    @cached_property
    def uncertainty(self) -> Estimate:
        """The Brier score of the one forecast that is the share that came."""
        return self._estimate(self._uncertainty)

    @cached_property
    def within(self) -> Estimate:
        """The rest of the Brier score: forecasts that differ within a bin."""
        found = self._estimate(
            lambda sums: (
                self._brier(sums)
                - self._reliability(sums)
                + self._resolution(sums)
                - self._uncertainty(sums)
            )
        )
        value = self.brier.value - self.reliability.value
        return replace(found, value=value + self.resolution.value - self.uncertainty.value)

    @property
    def gap(self) -> float:
        """By how much forecasts are off, the root of the reliability."""
        return math.sqrt(max(self.reliability.value, 0))

    @property
    def all_bins(self) -> list[Bin]:
        """Those of `bins`, as they are."""
        return self.bins()

    def bins(self, number: int | None = None) -> list[Bin]:
        """Return the bins that have forecasts, in ascending order.

        Parameters
        ----------
        number : int, optional
            Put together to so many bins, of equal widths. Default: all there are.
        """
        groups, most, columns = self._by_group.shape
        parts = self._by_group.reshape(groups, number or most, -1, columns).sum(axis=2)[:, :, :3]
        in_all = parts.sum(axis=0)
        found = []
        for place in np.flatnonzero(in_all[:, 0]):
            of_groups = parts[:, place].astype(np.float64)
            forecasts, came, forecast = in_all[place]
            share = came / forecasts
            interval = share_interval(share, self._worth(of_groups, share))
            mean = forecast / forecasts / self.unit
            found.append(Bin(int(forecasts), mean, share, interval))
        return found

    @staticmethod
    def _worth(of_groups: _Numbers, share: float) -> float:
        """Return how many independent forecasts estimate a share as well: see `stats.race`."""
        forecasts, groups = float(of_groups[:, 0].sum()), len(of_groups)
        if groups < 2:
            return math.nan
        if share in (0, 1):
            return forecasts
        excess = of_groups[:, 1] - share * of_groups[:, 0]
        error = groups / (groups - 1) * float((excess**2).sum()) / forecasts**2
        return min(forecasts, share * (1 - share) / error) if error else forecasts

    @staticmethod
    def _mean(sums: npt.NDArray[Any], column: int) -> _Numbers:
        total = sums.sum(axis=-2)
        return np.asarray(total[..., column] / total[..., 0], np.float64)

    def _brier(self, sums: npt.NDArray[Any]) -> _Numbers:
        # (q - y)^2 = q^2 - 2 q y + y, in whole numbers: nothing is lost by the differences.
        total = sums.sum(axis=-2)
        squares = total[..., 3] - 2 * self.unit * total[..., 4] + self.unit**2 * total[..., 1]
        return np.asarray(squares / (self.unit**2 * total[..., 0]), np.float64)

    def _reliability(self, sums: npt.NDArray[Any]) -> _Numbers:
        forecasts, came, forecast = np.moveaxis(sums[..., :3].astype(np.float64), -1, 0)
        squares = (forecast / self.unit - came) ** 2 / np.maximum(forecasts, 1)
        return np.asarray(squares.sum(axis=-1) / forecasts.sum(axis=-1))

    def _resolution(self, sums: npt.NDArray[Any]) -> _Numbers:
        forecasts, came = np.moveaxis(sums[..., :2].astype(np.float64), -1, 0)
        share = (came.sum(axis=-1) / forecasts.sum(axis=-1))[..., np.newaxis]
        squares = (came - share * forecasts) ** 2 / np.maximum(forecasts, 1)
        return np.asarray(squares.sum(axis=-1) / forecasts.sum(axis=-1))

    def _uncertainty(self, sums: npt.NDArray[Any]) -> _Numbers:
        share = self._mean(sums, 1)
        return share * (1 - share)
