"""An eval and a session in, the claim that a judge is asked about out: redacted, then cut."""

from collections.abc import Callable
from dataclasses import dataclass

from mergebar.graders import framing, secrets, targets, transcript
from mergebar.model.artifacts import DeclaredEval, TargetSource
from mergebar.model.conversations import Failure
from mergebar.model.gradings import Means, Seen
from mergebar.model.judgements import Claim
from mergebar.untrusted import characters

ARTIFACT_LIMIT = 8_000
_GUIDANCE_LIMIT = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Put:
    """The claim, and what has to be known of it."""

    claim: Claim
    notices: tuple[str, ...] = ()


def claim(declared: DeclaredEval, seen: Seen, means: Means) -> Put | Failure:
    """With the artifact beside the target, or in its place."""
    clean = _cleaner(means)
    given = _content(declared, seen, means, clean)
    if isinstance(given, Failure):
        return given
    source = declared.target.source
    is_artifact = source is TargetSource.ARTIFACT
    instructions = clean(seen.text.shown)
    notices = list(given.notices)
    if len(instructions) > ARTIFACT_LIMIT:
        notices.append(f"the judge reads the first {ARTIFACT_LIMIT:,} characters of the artifact")
    content = framing.shorten(instructions, ARTIFACT_LIMIT) if is_artifact else given.text
    guide = _guide(clean)
    return Put(
        claim=Claim(
            assertion=guide(declared.assertion or ""),
            target=source.value,
            content=content,
            artifact_type=seen.artifact.identity.type.value,
            artifact_name=guide(seen.artifact.name),
            artifact=None if is_artifact else framing.shorten(instructions, ARTIFACT_LIMIT),
            evidence=None if declared.evidence is None else guide(declared.evidence),
            passing=tuple(guide(text) for text in declared.examples.passing),
            failing=tuple(guide(text) for text in declared.examples.failing),
        ),
        notices=tuple(notices),
    )


def _content(
    declared: DeclaredEval, seen: Seen, means: Means, clean: Callable[[str], str]
) -> targets.Text | Failure:
    if declared.target.source is TargetSource.TRANSCRIPT:
        return targets.Text(text=transcript.render(seen, redact=_redactor(means)))
    given = targets.text(declared, seen, means, shown=True)
    if isinstance(given, Failure):
        return given
    text = clean(given.text)
    most = transcript.Caps().total
    cut = (f"the judge reads the first {most:,} characters",) if len(text) > most else ()
    return targets.Text(text=framing.shorten(text, most), notices=(*given.notices, *cut))


def _redactor(means: Means) -> Callable[[str], str]:
    return lambda text: secrets.redact(means.redact(text))


def _cleaner(means: Means) -> Callable[[str], str]:
    redact = _redactor(means)
    return lambda text: characters.reveal(redact(text))


def _guide(clean: Callable[[str], str]) -> Callable[[str], str]:
    return lambda text: framing.shorten(clean(text), _GUIDANCE_LIMIT)
