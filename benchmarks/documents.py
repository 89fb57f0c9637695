"""Eval documents of any size, the same ones each time."""

import json
from pathlib import Path

Item = dict[str, object]


def item(number: int) -> Item:
    """One single-turn item with an expected response, a stored answer and two judged checks."""
    return {
        "prompt": f"Question {number}: how long does charging take from {number % 90} percent?",
        "expected_response": f"About {number % 7 + 1} hours at a wall socket.",
        "response": f"From {number % 90} percent it takes about {number % 7 + 1} hours [1].",
        "evaluators": {"Relevance": {"threshold": 3}, "Coherence": {}},
    }


def document(*, items: int, first: int = 0) -> dict[str, object]:
    """A valid document of `items` items."""
    return {
        "schemaVersion": "1.7.0",
        "metadata": {"name": f"Charging {first}", "tags": ["charging"]},
        "default_evaluators": {"Relevance": {}, "Coherence": {}},
        "items": [item(first + number) for number in range(items)],
    }


def write(folder: Path, *, documents: int, items: int) -> list[Path]:
    """Write documents into `folder`, and name them."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for number in range(documents):
        path = folder / f"suite-{number:04}.json"
        content = document(items=items, first=number * items)
        path.write_text(json.dumps(content, indent=2), encoding="utf-8")
        paths.append(path)
    return paths
