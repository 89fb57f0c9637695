"""The configuration of a change and that of its base in; the one that holds, and how they differ.

What decides comes from the base, so that a change can't lower its own bar; what is measured comes
from the change (product contract, section 5).
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from mergebar.model.configuration import Config, JudgeConfig, Rule
from mergebar.model.problems import Level, Location, Problem

_NOWHERE = Location(path="")


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """`differences` are warnings, one for each part of the policy that the change edits."""

    config: Config
    differences: tuple[Problem, ...]


def combine(head: Config, base: Config) -> Combined:
    """Take the policy from the base and everything else from the head."""
    config = replace(
        head,
        gate=base.gate,
        rules=base.rules,
        judge=base.judge,
        baseline=base.baseline,
        budget=base.budget,
        responses=base.responses,
        comment=base.comment,
        responses_said=base.responses_said,
        repository_code=base.repository_code,
    )
    return Combined(config=config, differences=tuple(_differences(head, base)))


def _differences(head: Config, base: Config) -> Iterator[Problem]:
    pairs = (
        ("gate", head.gate, base.gate),
        ("rules", _rules(head.rules), _rules(base.rules)),
        ("judge", _judge(head.judge), _judge(base.judge)),
        ("baseline", head.baseline, base.baseline),
        ("budget", head.budget, base.budget),
        (
            "report",
            (head.responses, head.responses_said, head.comment),
            (base.responses, base.responses_said, base.comment),
        ),
        ("execution", head.repository_code, base.repository_code),
    )
    for key, here, there in pairs:
        if here != there:
            message = (
                f"`{key}` is edited by this change; the base's version decides here, and the "
                "edit applies once it is merged"
            )
            yield Problem(
                level=Level.WARNING, rule="config/policy-edited", message=message, path=head.path
            )


def _rules(rules: tuple[Rule, ...]) -> tuple[Rule, ...]:
    """Without their places: a line that moved changes nothing."""
    return tuple(replace(rule, location=_NOWHERE) for rule in rules)


def _judge(judge: JudgeConfig | None) -> JudgeConfig | None:
    return None if judge is None else replace(judge, location=_NOWHERE)
