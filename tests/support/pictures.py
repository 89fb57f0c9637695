"""Reports in, pictures of their comments out, as a real browser shows them.

`python tests/support/pictures.py` draws those of the documentation again. Nothing in them is set up
by hand but the reports: the comment is what mergebar posts, rendered by GitHub's own engine under a
stylesheet of ours.
"""

import dataclasses
import re
import shutil
import struct
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "tests"))

from mergebar.model.configuration import Responses  # noqa: E402
from mergebar.model.decisions import Decision, Reason  # noqa: E402
from mergebar.model.reports import Report, ReportCheck, ReportCommand  # noqa: E402
from mergebar.report import comment  # noqa: E402
from mergebar.report.presenting import Presentation  # noqa: E402
from support import compared_states, github_markdown, reports  # noqa: E402

FOLDER = ROOT / "docs/images"
WIDTH = 860
SCALE = 2
_CHROMIUM = Path("/usr/bin/chromium")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
)  # fmt: skip
_DISC = '<svg class="sign" viewBox="0 0 20 20"><circle cx="10" cy="10" r="9" fill="{}"/>{}</svg>'
_STROKE = '<path d="{}" fill="none" stroke="#fff" stroke-width="2.4"/>'
_SIGNS = {
    "✅": _DISC.format("#1a7f37", _STROKE.format("M5.5 10.5l3 3 6-7")),
    "❌": _DISC.format("#cf222e", _STROKE.format("M6.5 6.5l7 7m0-7l-7 7")),
    "⚠️": _DISC.format("#9a6700", _STROKE.format("M10 5v6m0 2v2")),
}
_STYLE = """
:root { font: 14px/1.5 "DejaVu Sans", sans-serif; color: #1f2328; background: #fff; }
body { margin: 0; padding: 16px; }
article { border: 1px solid #d0d7de; border-radius: 6px; overflow: hidden; }
header { background: #f6f8fa; border-bottom: 1px solid #d0d7de; padding: 8px 16px; color: #59636e; }
header b { color: #1f2328; }
header i { font-style: normal; font-size: 11px; border: 1px solid #d0d7de; border-radius: 9px;
  padding: 0 6px; margin-left: 4px; }
main { padding: 16px; }
main > :first-child { margin-top: 0; }
h2 { font-size: 20px; border-bottom: 1px solid #d8dee4; padding-bottom: 6px; margin: 0 0 16px; }
p, table, pre, details, ul { margin: 0 0 14px; }
ul { padding-left: 24px; }
a { color: #0969da; text-decoration: none; }
table { border-collapse: collapse; display: block; }
th, td { border: 1px solid #d0d7de; padding: 5px 12px; }
tr:nth-child(even) td { background: #f6f8fa; }
code, pre { font: 12px "DejaVu Sans Mono", monospace; background: #eff1f3; border-radius: 6px; }
code { padding: 2px 5px; }
pre { padding: 12px; background: #f6f8fa; }
pre code { padding: 0; background: none; }
sub { font-size: 11px; color: #59636e; vertical-align: baseline; }
.sign { width: 1em; height: 1em; vertical-align: -0.12em; }
"""
_PAGE = """<!doctype html><meta charset="utf-8"><style>{style}</style>
<article><header><b>github-actions</b><i>bot</i> commented</header><main>{body}</main></article>
<script>document.body.dataset.height = Math.ceil(document.documentElement.getBoundingClientRect()
.height)</script>
"""


def failed() -> Report:
    """A change of a prompt that makes the agent invent a price, and mends an answer."""
    price = reports.check(
        "Groundedness",
        "fail",
        suite="evals/pricing.json",
        case="plan-b",
        label="What does plan B cost?",
        score=2,
        line=41,
        reason="names a price that none of the cited pages has",
        must_pass=True,
    )
    exact = reports.check(
        "ExactMatch",
        "fail",
        suite="evals/returns.json",
        case="days",
        label="How many days do I have to return it?",
        score=0,
        threshold=None,
        line=18,
        reason="the answer differs from the expected response at character 1",
    )
    tone = reports.check(
        "Coherence",
        "fail",
        suite="evals/pricing.json",
        case="plan-b",
        label="What does plan B cost?",
        severity="warning",
        line=44,
        reason="answers a question that wasn't asked first",
    )
    mended = _passing(1)[0]
    was = [_passed(price), _passed(tone), dataclasses.replace(mended, outcome="fail", score=2)]
    same = _passing(15)[1:]
    return _told(
        [*was, *same, *_kept()],
        [price, exact, tone, mended, *same, *_carried()],
        reports.decision(
            "failed",
            "2 checks block (1 regressed, 1 new)",
            Reason(
                rule="check-failed",
                message="2 gating checks failed",
                checks=(price.id, exact.id),
            ),
            Reason(
                rule="below-severity",
                message="1 failing check does not block: severity `warning` is below `error`",
                checks=(tone.id,),
            ),
        ),
    )


def passed() -> Report:
    """The same change, mended."""
    here, mended = _passing(18), 2
    was = [dataclasses.replace(one, outcome="fail", score=2) for one in here[:mended]]
    return _told(
        [*was, *here[mended:], *_kept()],
        [*here, *_carried()],
        reports.decision("passed", "18 checks measured, 40 carried from `9c41f0e` (2 days)"),
    )


PICTURES = {"comment-failed": failed, "comment-passed": passed}


def page(report: Report) -> str:
    """The comment as a page of its own."""
    address = "https://github.com/acme/shop"
    body = github_markdown.html(
        comment.draw(
            report,
            Presentation(
                repository_url=address,
                run_url=f"{address}/actions/runs/1001",
                artifact_url=f"{address}/actions/runs/1001/artifacts/7",
                responses=Responses.EVERYWHERE,
            ),
        )
    )
    for sign, drawn in _SIGNS.items():
        body = body.replace(sign, drawn)
    return _PAGE.format(style=_STYLE, body=body)


def browser() -> Path | None:
    """A Chromium, where one is installed."""
    found = shutil.which("chromium") or (str(_CHROMIUM) if _CHROMIUM.exists() else None)
    return Path(found) if found else None


def draw(report: Report, path: Path, *, chromium: Path) -> str:
    """Write the picture; returns the text that the browser shows."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page(report), encoding="utf-8")
        shown = _run(chromium, Path(folder), "--dump-dom", f"--window-size={WIDTH},600", str(file))
        height = re.search(r'data-height="(\d+)"', shown)
        assert height is not None, shown[-400:]
        size = f"--window-size={WIDTH},{height[1]}"
        scale = f"--force-device-scale-factor={SCALE}"
        _run(chromium, Path(folder), size, scale, f"--screenshot={path}", str(file))
        return shown


def size(picture: bytes) -> tuple[int, int]:
    """Width and height of a PNG, in pixels."""
    assert picture.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = struct.unpack(">II", picture[16:24])
    return width, height


def _run(chromium: Path, folder: Path, *arguments: str) -> str:
    profile = tempfile.mkdtemp(dir=folder)
    done = subprocess.run(
        [chromium, *_FLAGS, f"--user-data-dir={profile}", *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return done.stdout


def _passing(count: int) -> list[ReportCheck]:
    names = ("Relevance", "Groundedness", "Coherence", "PartialMatch", "Citations")
    return [
        reports.check(
            names[number % len(names)],
            suite=("evals/pricing.json", "evals/returns.json")[number % 2],
            case=f"case-{number}",
            label=f"Question {number}",
            line=60 + number,
        )
        for number in range(count)
    ]


def _told(base: Sequence[ReportCheck], head: Sequence[ReportCheck], decision: Decision) -> Report:
    """Compared by the program; commit and command are such as people have."""
    report = compared_states.compared(base, head, decision)
    comparison = report.comparison
    assert comparison is not None
    assert comparison.baseline is not None
    baseline = dataclasses.replace(comparison.baseline, commit="9c41f0e" + "0" * 33)
    return dataclasses.replace(
        report,
        comparison=dataclasses.replace(comparison, baseline=baseline),
        run=dataclasses.replace(report.run, command=ReportCommand(options=("--base", "main"))),
    )


def _passed(check: ReportCheck) -> ReportCheck:
    """What it was on the base."""
    return dataclasses.replace(check, outcome="pass", score=4.0, reason="")


def _kept() -> list[ReportCheck]:
    """What the base measured, and what this change doesn't affect."""
    return [
        reports.check("Relevance", suite="evals/search.json", case=f"search-{number}", line=number)
        for number in range(1, 41)
    ]


def _carried() -> list[ReportCheck]:
    return [dataclasses.replace(one, carried=True) for one in _kept()]


def main() -> None:
    chromium = browser()
    if chromium is None:
        sys.exit("needs Chromium: apt-get install chromium")
    FOLDER.mkdir(exist_ok=True)
    for name, report in PICTURES.items():
        draw(report(), FOLDER / f"{name}.png", chromium=chromium)


if __name__ == "__main__":
    main()
