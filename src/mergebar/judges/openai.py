"""The `openai` judge: the entry of any OpenAI-compatible endpoint in, its judge out."""

from mergebar.calling import addresses, parties
from mergebar.judges import access
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
    way = _access(config)
    if isinstance(way, Failure):
        return UnfitJudge(way, identity=identity)
    return ChatJudge(config, way, identity=identity, timing=context.timing)


def _access(config: JudgeConfig) -> Access | Failure:
    party = parties.judge()
    if not config.model:
        return access.unfit("`judge.model` is not set: name the model, it is part of the result")
    address = addresses.read(str(config.options.get("base_url") or ""))
    if address is None:
        return access.unfit(
            "`judge.base_url` must be a URL that begins with `http://` or `https://`"
        )
    key = str(config.options.get("api_key") or "").strip()
    unfit = access.unfit_key(key, party)
    if unfit is not None:
        return unfit
    return Access(
        party=party,
        address=address,
        model=config.model,
        credentials=Key(sent=address.credentials(key)),
        place=lambda model: (_PATH, model),
    )
