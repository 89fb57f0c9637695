"""The output fields of an item or a turn in, the answer that the document carries out."""

from collections.abc import Iterator

from mergebar.model.conversations import Answer, Citation
from mergebar.model.text import Json, JsonObject


def read(turn: JsonObject, *, conversation_id: Json) -> Answer | None:
    """`None` where nothing is stored: no `response`, or a blank one where asking had failed.

    A blank response under `status: error` says that there was no answer; without that status the
    agent really answered nothing, which an evaluator has to see.
    """
    response = turn.get("response")
    if not isinstance(response, str):
        return None
    if turn.get("status") == "error" and not response.strip():
        return None
    diagnostics = turn.get("diagnostics")
    return Answer(
        response=response,
        conversation_id=conversation_id if isinstance(conversation_id, str) else None,
        citations=tuple(_citations(turn.get("citations"))),
        diagnostics=diagnostics if isinstance(diagnostics, dict) else None,
    )


def _citations(value: Json) -> Iterator[Citation]:
    for entry in value if isinstance(value, list) else ():
        if isinstance(entry, dict) and isinstance(entry.get("index"), int | float):
            text, source = entry.get("text"), entry.get("source")
            yield Citation(
                index=int(entry["index"]),  # type: ignore[arg-type]
                text=text if isinstance(text, str) else None,
                source=source if isinstance(source, str) else None,
            )
