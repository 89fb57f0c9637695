"""The `openai` judge: the entry of any OpenAI-compatible endpoint in, its judge out."""

from dataclasses import replace

from mergebar.calling import addresses, entries, parties
from mergebar.judges import access, openai_entry
from mergebar.judges.access import Access, Key
from mergebar.judges.chat import ChatJudge, UnfitJudge
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import Failure
from mergebar.model.judgements import Judge

_PATH = "/chat/completions"


def create(config: JudgeConfig, context: JudgeContext) -> Judge:
    """The judge of this entry; what is wrong with the entry is every vote's failure."""
    identity = access.identity("openai", config.model)
    way = _access(config, context)
    way = way if isinstance(way, Failure) else access.through(way, context.environ)
    if isinstance(way, Failure):
        return UnfitJudge(way, identity=identity)
    return ChatJudge(config, way, identity=identity, timing=context.timing, limits=context.limits)


def _access(config: JudgeConfig, context: JudgeContext) -> Access | Failure:
    options = {**config.options, "model": config.model}
    party = replace(parties.judge(), **addresses.implied(config.options))
    unfit = party.unfit(openai_entry.faults(options, context.root))
    if unfit is not None or config.model is None:
        return unfit or access.unfit("`judge.model` is not set")
    address = addresses.read(entries.text(options, "base_url"))
    if address is None:
        return access.unfit(f"`judge.base_url` {entries.NO_URL}")
    key = entries.text(options, "api_key")
    return Access(
        party=party,
        address=address,
        model=config.model,
        credentials=Key(sent=address.credentials(key)),
        place=lambda model: (_PATH, model),
    )
