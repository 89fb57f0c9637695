"""What a check measures, in parts: enough to say which of them differs, and nothing to read."""

from dataclasses import dataclass

from mergebar.model.text import JsonObject


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """Digests of the parts of a definition, and how often it is asked.

    `prompt` covers the turns before its own too; `options` holds a digest by the option's name, but
    bounds as they are and lists entry by entry. `judged`: the score depends on who judges.
    `judge_prompt` is the version of the rubric, `None` where the evaluator brings its own or none.
    `votes` and `confirm_failures` are 0 without a judge.
    """

    prompt: str
    expected_response: str | None
    context: str | None
    options: JsonObject
    judged: bool
    judge_prompt: str | None
    runs: int
    votes: int
    confirm_failures: int
