"""What a chat model is sent besides messages, and what to change when it refuses part of that."""

from dataclasses import dataclass, replace

from mergebar.model.text import Json

REPLY_TOKENS = 800
REASONING_TOKENS = 4000
"""Enough for a model that counts the tokens of its reasoning as well."""

_REASONING_MODELS = ("gpt-5", "o1", "o3", "o4")
_OLD_BUDGET, _NEW_BUDGET = "max_tokens", "max_completion_tokens"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """One set of parameters; `budget_key` is the name under which `budget` is sent."""

    budget_key: str = _OLD_BUDGET
    budget: int = REPLY_TOKENS
    temperature: bool = True
    json_mode: bool = True

    def body(self, *, factor: int = 1) -> dict[str, Json]:
        """The parameters as keys of the request; `factor` multiplies the budget."""
        body: dict[str, Json] = {self.budget_key: self.budget * factor}
        if self.temperature:
            body["temperature"] = 0
        if self.json_mode:
            body["response_format"] = {"type": "json_object"}
        return body


def start(model: str) -> Parameters:
    """What to begin with: reasoning models are known by their names, to save the refusals."""
    name = model.lower().rpartition("/")[2]
    if name.startswith(_REASONING_MODELS):
        return Parameters(budget_key=_NEW_BUDGET, budget=REASONING_TOKENS, temperature=False)
    return Parameters()


def adapted(parameters: Parameters, *, named: str) -> Parameters | None:
    """The parameters without what a refusal names; `None` where it names nothing of them.

    `named` is the parameter as the error states it, or else the error's whole text.
    """
    if parameters.json_mode and "response_format" in named:
        return replace(parameters, json_mode=False)
    if parameters.temperature and "temperature" in named:
        return replace(parameters, temperature=False)
    if parameters.budget_key == _OLD_BUDGET and _OLD_BUDGET in named:
        return replace(parameters, budget_key=_NEW_BUDGET, budget=REASONING_TOKENS)
    if parameters.budget_key == _NEW_BUDGET and _NEW_BUDGET in named:
        return replace(parameters, budget_key=_OLD_BUDGET, budget=REPLY_TOKENS)
    return None
