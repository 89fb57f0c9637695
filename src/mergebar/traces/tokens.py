"""Usage figures of records in, their sum over distinct replies out.

One reply of the model may stand in several records, each with all its figures or with figures so
far: the last one counts.
"""

from dataclasses import replace

from mergebar.model.sessions import TokenUsage
from mergebar.model.text import Json

# Records of one reply stand close together. A bound keeps the memory of a huge session small.
_REMEMBERED = 8_192
_MOST = 10**15

_Figures = tuple[int, int, int, int, float | None]
# Of a reply that has no figures so far; different from figures that are all zero.
_BARE: _Figures = (0, 0, 0, 0, -1.0)


class Ledger:
    """Sums the usage of one chain; `replies` counts the distinct replies of the model."""

    def __init__(self) -> None:
        self.replies = 0
        self._input = self._cache_read = self._cache_write = self._output = 0
        self._cost = 0.0
        self._counted = self._priced = 0
        self._last_key: int | None = None
        self._last_usage: Json = None
        self._recent: dict[int | None, _Figures] = {}
        self._older: dict[int | None, _Figures] = {}

    def add(self, key: int | None, usage: Json, cost: Json = None) -> None:
        """Count a reply; `key` tells whether it was counted already, `None` is always new."""
        if key is not None and key == self._last_key and usage == self._last_usage:
            return
        self._last_key, self._last_usage = key, usage
        before = self._recent.get(key) or self._older.get(key)
        if before is None or key is None:
            before = _BARE
            self.replies += 1
            self._make_room()
        figures = _figures(usage, cost) or before
        if figures != before:
            if before is not _BARE:
                self._sum(before, -1)
            self._sum(figures, 1)
        if key is not None:
            self._recent[key] = figures

    def total(self) -> TokenUsage | None:
        """The sum; `None` if nothing was counted. A cost only if each reply has one."""
        if not self._counted:
            return None
        return TokenUsage(
            input_tokens=self._input,
            cache_read_tokens=self._cache_read,
            cache_write_tokens=self._cache_write,
            output_tokens=self._output,
            cost_usd=self._cost if self._priced == self.replies else None,
            complete=self._counted == self.replies,
        )

    def _sum(self, figures: _Figures, sign: int) -> None:
        self._input += sign * figures[0]
        self._cache_read += sign * figures[1]
        self._cache_write += sign * figures[2]
        self._output += sign * figures[3]
        self._counted += sign
        if figures[4] is not None:
            self._cost += sign * figures[4]
            self._priced += sign

    def _make_room(self) -> None:
        if len(self._recent) >= _REMEMBERED:
            self._older = self._recent
            self._recent = {}


def stated(usage: Json, cost: Json) -> TokenUsage | None:
    """A total that the trace itself states."""
    figures = _figures(usage, cost)
    if figures is None:
        price = number(cost)
        return None if price is None else TokenUsage(cost_usd=price, complete=False, stated=True)
    return TokenUsage(
        input_tokens=figures[0],
        cache_read_tokens=figures[1],
        cache_write_tokens=figures[2],
        output_tokens=figures[3],
        cost_usd=figures[4],
        stated=True,
    )


def settled(stated: TokenUsage | None, summed: TokenUsage | None) -> TokenUsage | None:
    """What is stated in total; where that is a cost alone, the tokens of the replies with it."""
    if stated is None or stated.complete or summed is None:
        return stated or summed
    return replace(summed, cost_usd=stated.cost_usd)


def of_completion(usage: Json) -> TokenUsage | None:
    """The figures of a chat completion, where cached input is part of the input."""
    if not isinstance(usage, dict):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    if prompt is None or completion is None:
        return None
    details = usage.get("prompt_tokens_details")
    cached = (_count(details.get("cached_tokens")) if isinstance(details, dict) else 0) or 0
    return TokenUsage(
        input_tokens=max(prompt - cached, 0),
        cache_read_tokens=cached,
        output_tokens=completion,
        stated=True,
    )


def number(value: Json) -> float | None:
    """A cost: a finite number from 0."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value <= _MOST else None


def _figures(usage: Json, cost: Json) -> _Figures | None:
    """`None` without figures: what isn't a number is nothing that could be counted as 0."""
    if type(usage) is not dict:
        return None
    given, output = _count(usage.get("input_tokens")), _count(usage.get("output_tokens"))
    if given is None or output is None:
        return None
    return (
        given,
        _count(usage.get("cache_read_input_tokens")) or 0,
        _count(usage.get("cache_creation_input_tokens")) or 0,
        output,
        None if cost is None else number(cost),
    )


def _count(value: Json) -> int | None:
    if type(value) is int:
        return value if 0 <= value <= _MOST else None
    if isinstance(value, float) and 0 <= value <= _MOST:
        return int(value)
    return None
