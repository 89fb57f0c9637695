"""The image: what our layers weigh, and what starting costs inside of it; `--write` keeps it."""

import json
import os
import platform
import sys
import tempfile
from pathlib import Path

import measuring
from measuring import Cost

from support import jobs
from support.commands import Ended
from support.container import building, engine, running
from support.container.running import Image
from support.gates import CONFIG

HERE = Path(__file__).parent
RUNS = 15
INSIDE = ("/usr/local/bin/python", "-I", "/entrypoint")
OUTSIDE = (sys.executable, "-I", "-m", "mergebar")
MOST_MB = 45
_LAYERS = (
    "git, its licence and its templates",
    "the standard library, compiled",
    "the user who runs the repository's code",
    "dependencies",
    "mergebar",
    "the entry point",
)
"""In the order of the Dockerfile's last stage."""


def sizes(image: Image) -> list[str]:
    """Markdown rows: each layer of ours as it is pushed, compressed with gzip."""
    with tempfile.TemporaryDirectory() as folder:
        place = ("--compression-format", "gzip", image.id, f"dir:{folder}")
        image.engine.buildah("push", "--quiet", *place)
        manifest = json.loads(Path(folder, "manifest.json").read_text(encoding="utf-8"))
    layers = manifest["layers"]
    ours = [layer["size"] / 1e6 for layer in layers[1:]]
    named = list(zip(_LAYERS, ours, strict=True))
    total = sum(ours)
    base = layers[0]["size"] / 1e6
    shown = [f"| {what} | {size:.1f} MB |" for what, size in named if size >= 0.05]
    return [
        *shown,
        f"| **our layers**, at most {MOST_MB} MB | **{total:.1f} MB** |",
        f"| the stand-in base | {base:.1f} MB |",
    ]


def starts(image: Image) -> list[str]:
    """Markdown rows: bare Python and `--version`, outside and inside."""
    rows = []
    for name, outer, inner in (
        ("bare Python", (sys.executable, "-I", "-c", "pass"), (*INSIDE[:2], "-c", "pass")),
        ("`mergebar --version`", (*OUTSIDE, "--version"), (*INSIDE, "--version")),
    ):
        outside = measuring.median(outer, runs=RUNS)
        inside = _inside(image, *inner)
        ratio = inside.cpu_s / outside.cpu_s
        rows.append(f"| {name} | {outside.cpu_s:.3f} s | {inside.cpu_s:.3f} s | {ratio:.2f}× |")
    return rows


def nothing_affected(image: Image) -> list[str]:
    """One Markdown row: a pull request that changes no suite, with a GitHub on loopback."""
    with tempfile.TemporaryDirectory() as folder, jobs.job(Path(folder), config=CONFIG) as job:
        job.change({"README.md": "Hello"})
        step = job.pull_request()
        options = ("--volume", f"{HERE}:/bench:ro", "--entrypoint", INSIDE[0])
        started = running.start(image, step, "/bench/inside.py", "5", *INSIDE, options=options)
        cost = _cost(started.end().ended)
    limit = "at most 1.5 s"
    return [f"| nothing affected, {limit} | {cost.cpu_s:.2f} s | {cost.wall_s:.2f} s |"]


def _inside(image: Image, *command: str) -> Cost:
    options = ("--volume", f"{HERE}:/bench:ro", "--entrypoint", INSIDE[0])
    ended = image.run("/bench/inside.py", str(RUNS), *command, options=options)
    return _cost(ended)


def _cost(ended: Ended) -> Cost:
    if ended.code != 0:
        sys.exit(f"it exited {ended.code} in the container: {ended.said[-800:]}")
    cpu, wall, peak = json.loads(ended.stdout)
    return Cost(cpu_s=cpu, wall_s=wall, peak_mb=peak)


def main() -> None:
    """Build, measure and print."""
    lacking = engine.missing()
    if lacking:
        sys.exit(f"no image is measured: {lacking}")
    here = engine.start(os.environ)
    image = Image(id=building.image(here), engine=here)
    inner = image.shell("/usr/local/bin/python --version").split()[1]
    busy = f"{os.getloadavg()[1]:.1f} processes at a time for the {os.cpu_count()} cores"
    machine = f"CPython {platform.python_version()} outside, {inner} inside, {platform.system()}, "
    machine += f"medians of {RUNS}; {busy}."
    lines = [
        "# The image",
        "",
        machine,
        "",
        "| layer | compressed |",
        "|---|---|",
        *sizes(image),
        "",
        "| CPU | outside | inside | ratio |",
        "|---|---|---|---|",
        *starts(image),
        "",
        "| a pull request in the container | CPU | wall time |",
        "|---|---|---|",
        *nothing_affected(image),
    ]
    text = "\n".join(lines) + "\n"
    print(text)
    if "--write" in sys.argv:
        (HERE / "image.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
