"""The `azure` judge: the entry of a deployment in Azure OpenAI in, its judge out."""

import importlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit, urlunsplit

from mergebar.calling import addresses, entries, parties
from mergebar.calling.addresses import Address
from mergebar.judges import access, azure_clouds
from mergebar.judges.access import Access, Credentials, Key
from mergebar.judges.chat import ChatJudge, UnfitJudge
from mergebar.model.configuration import JudgeConfig
from mergebar.model.contexts import JudgeContext
from mergebar.model.conversations import Failure
from mergebar.model.judgements import Judge

_CHAT = "/chat/completions"
_VERSION = "AZURE_AI_API_VERSION"
_UNVERSIONED = frozenset({"", "v1", "preview", "latest"})
"""What the API without dated versions calls its states; nothing at all is its stable one."""

_ROOTS = ("/openai/", "/api/projects/")
_PARTY = parties.judge(url="endpoint")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Deployment:
    name: str
    model: str

    def sent(self, model: str) -> str:
        """The deployment of a model: our own, or one that is called like the model."""
        return self.name if model == self.model else model


def create(config: JudgeConfig, context: JudgeContext) -> Judge:
    """The judge of this entry; what is wrong with the entry is every vote's failure."""
    name = str(config.options.get("deployment") or "").strip()
    deployment = _Deployment(name=name, model=config.model or name)
    identity = access.identity("azure", deployment.model or None)
    way = _access(config, context, deployment)
    way = way if isinstance(way, Failure) else access.through(way, context.environ)
    if isinstance(way, Failure):
        return UnfitJudge(way, identity=identity)
    return ChatJudge(config, way, identity=identity, timing=context.timing, limits=context.limits)


def _access(
    config: JudgeConfig, context: JudgeContext, deployment: _Deployment
) -> Access | Failure:
    endpoint = str(config.options.get("endpoint") or "").strip()
    if not deployment.name:
        return access.unfit("`judge.deployment` is not set: name the deployment of the model")
    if not entries.is_url(endpoint):
        return access.unfit("`judge.endpoint` must be the URL of the Azure resource")
    version = str(config.options.get("api_version") or context.environ.get(_VERSION) or "").strip()
    address = _address(endpoint, version)
    credentials = _credentials(config, context, address)
    if isinstance(credentials, Failure):
        return credentials
    return Access(
        party=_PARTY,
        address=address,
        model=deployment.model,
        credentials=credentials,
        place=_place(version, deployment),
    )


def _address(endpoint: str, version: str) -> Address:
    """The resource, whatever was copied from the portal; paths come with each call."""
    parts = urlsplit(endpoint)
    path = f"{parts.path.rstrip('/')}/"
    for root in _ROOTS:
        path = path.partition(root)[0]
    url = urlunsplit((parts.scheme, parts.netloc, path.rstrip("/"), "", ""))
    states_version = version not in {"", "v1"}
    return Address(url=url, query={"api-version": version} if states_version else {}, is_azure=True)


def _place(version: str, deployment: _Deployment) -> Callable[[str], tuple[str, str]]:
    def place(model: str) -> tuple[str, str]:
        sent = deployment.sent(model)
        if version in _UNVERSIONED:
            return f"{addresses.AZURE_API}{_CHAT}", sent
        return f"/openai/deployments/{sent}{_CHAT}", sent

    return place


def _credentials(
    config: JudgeConfig, context: JudgeContext, address: Address
) -> Credentials | Failure:
    if config.options.get("auth") == "entra":
        return _entra(context, address)
    key = str(config.options.get("api_key") or "").strip()
    if not key:
        return access.unfit("`judge.api_key` is not set: give the key, or `auth: entra`")
    unfit = access.unfit_key(key, _PARTY)
    return Key(sent=address.credentials(key)) if unfit is None else unfit


def _entra(context: JudgeContext, address: Address) -> Credentials:
    """Loaded for those who use it: azure-identity costs as much as a third of the SDK."""
    module = importlib.import_module("mergebar.judges.entra")
    cloud = azure_clouds.of(urlsplit(address.url).hostname or "", context.environ)
    credentials: Credentials = module.Entra(context, cloud)
    return credentials
