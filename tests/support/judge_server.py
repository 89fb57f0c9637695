"""A loopback endpoint that speaks chat completions, as well or as badly as a test wants.

`with JudgeServer([throttled(), verdict(4)]) as server:` gives `server.base_url`, and what was
asked in `server.requests` and `server.bodies`.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace

from mergebar.model.configuration import JudgeConfig
from mergebar.model.conversations import Exchange
from mergebar.model.judgements import Assessment, Claim, Inquiry, Material, Rubric
from mergebar.model.problems import Location
from mergebar.model.text import Json
from support.agents import question
from support.servers import Reply, Request, Script, Server


class JudgeServer(Server):
    """Without a script, every verdict is a 4."""

    def __init__(
        self, script: Script | Iterable[Reply] | None = None, *, latency_s: float = 0.0
    ) -> None:
        super().__init__([verdict(4)] if script is None else script, latency_s=latency_s)

    @property
    def base_url(self) -> str:
        """For `judge.base_url`."""
        return f"{self.url}/v1"

    @property
    def bodies(self) -> list[dict[str, Json]]:
        """The JSON of every request so far."""
        return [request.json for request in self.requests]


def says(
    content: Json, *, finish_reason: str = "stop", tokens: tuple[int, int] = (120, 30), **more: Json
) -> Reply:
    """A completion with this content; `more` are further keys of its choice."""
    value: Json = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "scripted",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content},
                "finish_reason": finish_reason,
                **more,
            }
        ],
        "usage": {
            "prompt_tokens": tokens[0],
            "completion_tokens": tokens[1],
            "total_tokens": sum(tokens),
        },
    }
    return Reply(body=json.dumps(value).encode())


def verdict(
    score: Json, reason: str = "It answers the question.", *, fenced: bool = False
) -> Reply:
    """A completion that is a verdict with this score, whatever it is."""
    text = json.dumps({"reason": reason, "score": score, "status": "completed"})
    return says(f"```json\n{text}\n```" if fenced else text)


def refuses(
    status: int,
    message: str = "no",
    *,
    headers: Mapping[str, str] | None = None,
    **keys: Json,
) -> Reply:
    """An error as OpenAI shapes it; `keys` are `code`, `param`, `type`, `innererror`."""
    value: Json = {"error": {"message": message, **keys}}
    return Reply(status=status, body=json.dumps(value).encode(), headers=headers or {})


def throttled(*, retry_after: str | None = None) -> Reply:
    """A 429."""
    headers = {} if retry_after is None else {"retry-after": retry_after}
    return refuses(429, "Rate limit reached", headers=headers, code="rate_limit_exceeded")


def unsupported(parameter: str, message: str | None = None) -> Reply:
    """A 400 for one parameter."""
    text = message or f"Unsupported parameter: '{parameter}' is not supported with this model."
    return refuses(400, text, param=parameter, code="unsupported_parameter")


def html(status: int = 200) -> Reply:
    """A page of some proxy."""
    page = b"<!doctype html>\n<title>Sign in</title>"
    return Reply(status=status, body=page, content_type="text/html; charset=utf-8")


def dropped() -> Reply:
    """No answer: the connection is closed."""
    return Reply(drop=True)


def truncated() -> Reply:
    """Half of a body that was promised whole."""
    return replace(verdict(4), cut=True)


def picky(*parameters: str) -> Script:
    """A model that takes none of these parameters, and says so one at a time."""

    def script(request: Request) -> Reply:
        sent = [name for name in parameters if name in request.json]
        return unsupported(sent[0]) if sent else verdict(4)

    return script


def config(
    base_url: str,
    *,
    model: str | None = "gpt-4o-mini",
    attempts: int = 3,
    concurrency: int = 8,
    timeout_s: float = 20.0,
    **options: Json,
) -> JudgeConfig:
    """The `judge` entry for a server."""
    return JudgeConfig(
        type="openai",
        model=model,
        runs=1,
        confirm_failures=0,
        concurrency=concurrency,
        timeout_s=timeout_s,
        attempts=attempts,
        options={"base_url": base_url, "api_key": "test-key", **options},
        location=Location(path="mergebar.yml"),
    )


def azure(url: str, *, model: str | None = "gpt-4o-mini", **options: Json) -> JudgeConfig:
    """The `judge` entry for a server that stands for an Azure resource."""
    entry = config("", model=model)
    given: dict[str, Json] = {"endpoint": url, "deployment": "judge-1", "auth": "key"}
    return replace(entry, type="azure", options={**given, "api_key": "test-key", **options})


def assessment(
    response: str = "Hold the button for ten seconds.",
    *,
    prompt: str = "How do I reset it?",
    history: tuple[Exchange, ...] = (),
    expected_response: str | None = None,
    context: str | None = None,
    evaluator: str = "Relevance",
    run: int = 0,
    vote: int = 0,
    options: Mapping[str, Json] | None = None,
) -> Assessment:
    """A vote on the first turn of `support.agents.question`."""
    asked = question()
    return Assessment(
        suite=asked.suite,
        case=asked.case,
        turn=asked.turn,
        evaluator=evaluator,
        run=run,
        vote=vote,
        rubric=Rubric(name=evaluator, version="1", instructions="Does it answer the question?"),
        material=Material(
            prompt=prompt,
            response=response,
            history=history,
            expected_response=expected_response,
            context=context,
        ),
        options=options or {},
    )


def inquiry(
    content: str = "The pipe was mended.", *, vote: int = 0, model: str | None = None
) -> Inquiry:
    """A vote on an assertion about one session."""
    return Inquiry(
        suite=".claude/skills/mend/SKILL.md",
        case="trace.jsonl",
        eval="dry",
        vote=vote,
        claim=Claim(
            assertion="The pipe was dry.",
            target="transcript",
            content=content,
            artifact_type="skill",
            artifact_name="mend",
            artifact="Mend the leak.",
        ),
        model=model,
    )


def opinion(match: Json = "pass", confidence: Json = 0.9) -> Reply:
    """A completion that is an opinion, whatever it says."""
    value: Json = {
        "claim": "It was dry.",
        "observed": "mended",
        "reasoning": "It says so.",
        "match": match,
        "confidence": confidence,
    }
    return says(json.dumps(value))
