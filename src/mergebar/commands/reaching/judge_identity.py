"""A judge's entry in; who will judge, known before anything of the judge is loaded, out.

Loading a client library costs more than a whole run whose votes are all known already.
"""

from mergebar.judges import access
from mergebar.model.configuration import JudgeConfig
from mergebar.model.judgements import JudgeIdentity


def identity(judge: JudgeConfig) -> JudgeIdentity | None:
    """The identity that a built-in judge will state; `None` where only the judge itself knows."""
    if judge.type == "openai":
        return access.identity("openai", judge.model)
    if judge.type == "azure":
        deployment = str(judge.options.get("deployment") or "").strip()
        return access.identity("azure", judge.model or deployment or None)
    return None
