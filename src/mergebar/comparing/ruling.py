"""The rules of two configurations in; what the second lets off, out."""

from collections import defaultdict
from collections.abc import Iterator, Sequence

from mergebar.comparing.loosening import Way
from mergebar.comparing.wording import number
from mergebar.model.comparisons import Loosening
from mergebar.model.configuration import Match, Rule
from mergebar.model.documents import Severity
from mergebar.model.problems import Location

NOWHERE = Location(path="")


def ways(base: Sequence[Rule], head: Sequence[Rule]) -> Iterator[Way]:
    """Rules with the same `match` are compared in their order, and the others count whole.

    Only what may lower a severity or a weight, or no longer must pass, is said.
    """
    before, after = _by_match(base), _by_match(head)
    for match in {**before, **after}:
        old, new = before.get(match, []), after.get(match, [])
        for index in range(max(len(old), len(new))):
            yield from _way(
                _title(match),
                old[index] if index < len(old) else None,
                new[index] if index < len(new) else None,
            )
    yield from _order(list(before), list(after))


def unforced(base: Sequence[Rule], head: Sequence[Rule]) -> Iterator[Way]:
    """Where rules show in the checks: what doesn't, because no file lowers anything yet."""
    after = _by_match(head)
    for match, rules in _by_match(base).items():
        left = after.get(match, [])
        if any(rule.enforce for rule in rules) and left and not any(one.enforce for one in left):
            yield _policy(_title(match), "enforced", "not enforced")


def _by_match(rules: Sequence[Rule]) -> dict[Match, list[Rule]]:
    found: defaultdict[Match, list[Rule]] = defaultdict(list)
    for rule in rules:
        found[rule.match].append(rule)
    return dict(found)


def _title(match: Match) -> str:
    keys = ("path", "kind", "evaluator", "grader", "agent", "tag", "id")
    said = [f"{key}: {value}" for key in keys if (value := getattr(match, key)) is not None]
    return f"rule `{', '.join(said) or 'everything'}`"


def _way(title: str, old: Rule | None, new: Rule | None) -> Iterator[Way]:
    if old is None or new is None:
        if _is_looser_with(new) or _is_looser_without(old):
            yield _policy(title, _said(old), _said(new))
        return
    lower = (
        _severity(new) < _severity(old)
        or _weight(new) < _weight(old)
        or (old.must_pass and not new.must_pass)
        or (old.enforce and not new.enforce)
    )
    if lower:
        yield _policy(title, _said(old), _said(new))


def _is_looser_with(rule: Rule | None) -> bool:
    """Whether a rule that is added lowers something below what there is without any."""
    return rule is not None and (_severity(rule) < Severity.ERROR.rank or _weight(rule) < 1)


def _is_looser_without(rule: Rule | None) -> bool:
    """Whether a rule that is gone raised something, or kept a file from lowering it."""
    return rule is not None and (rule.must_pass or rule.enforce or _weight(rule) > 1)


def _order(base: list[Match], head: list[Match]) -> Iterator[Way]:
    """The last matching rule wins, so their order matters."""
    common = set(base) & set(head)
    was = [match for match in base if match in common]
    if was != [match for match in head if match in common]:
        yield _policy("order of `rules`", "as on the base", "changed")


def _severity(rule: Rule) -> int:
    return Severity.ERROR.rank if rule.severity is None else rule.severity.rank


def _weight(rule: Rule) -> float:
    return 1 if rule.weight is None else rule.weight


def _said(rule: Rule | None) -> str:
    if rule is None:
        return "no rule"
    parts = (
        f"severity {rule.severity}" if rule.severity is not None else "",
        f"weight {number(rule.weight)}" if rule.weight is not None else "",
        "must pass" if rule.must_pass else "",
        "enforced" if rule.enforce else "",
    )
    return ", ".join(part for part in parts if part) or "nothing"


def _policy(what: str, was: str, now: str) -> Way:
    return Way(kind=Loosening.POLICY, what=what, was=was, now=now)
