"""Who judged and whose work it is in, a warning where a model judges itself out."""

import re
from collections.abc import Iterable, Iterator

_DATE = re.compile(r"[-@](?:20\d{6}|20\d\d-\d\d-\d\d)\Z")
_VARIANT = re.compile(r"\[[^\[\]]*\]\Z")
_FAMILIES = (
    "opus", "sonnet", "haiku", "gpt-4", "gpt-5", "o1", "o3", "o4", "gemini", "llama", "mistral",
    "qwen", "deepseek", "grok",
)  # fmt: skip


def notices(judge: str | None, *, session: Iterable[str], authors: Iterable[str]) -> Iterator[str]:
    """At most one sentence, which never changes an outcome. The session goes before the eval."""
    if judge is None:
        return
    worked = [name for name in session if _same(judge, name)]
    wrote = [name for name in authors if _same(judge, name)]
    if worked:
        yield f"`{judge}` judges a session of `{worked[0]}`: a model tends to prefer its own work"
    elif wrote:
        yield f"`{judge}` judges by an eval that `{wrote[0]}` wrote and nobody has reviewed"
    else:
        kin = [name for name in session if _family(name) and _family(name) == _family(judge)]
        if kin:
            yield f"`{judge}` judges a session of `{kin[0]}`, a model of its own family"


def _same(one: str, other: str) -> bool:
    """Under a provider's prefix or without, of any date and variant."""
    return bool({_bare(one), _bare(one.partition(":")[2])} & {
        _bare(other), _bare(other.partition(":")[2])
    } - {""})  # fmt: skip


def _bare(name: str) -> str:
    last = name.strip().casefold().rpartition("/")[2]
    return _DATE.sub("", _VARIANT.sub("", last))


def _family(name: str) -> str | None:
    words = re.split(r"[^a-z0-9]+", _bare(name))
    for family in _FAMILIES:
        if family in words or _bare(name).startswith(family):
            return family
    return None
