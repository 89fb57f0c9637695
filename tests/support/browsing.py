"""A page in, what a real browser makes of it out; a hook may do in it what a person would."""

import base64
import hashlib
import shutil
import subprocess
import tempfile
from html.parser import HTMLParser
from pathlib import Path

_CHROMIUM = Path("/usr/bin/chromium")
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--virtual-time-budget=8000",
)  # fmt: skip
_WATCH = """
document.addEventListener("securitypolicyviolation", (event) => {
  document.documentElement.dataset.violation = event.violatedDirective;
});
window.addEventListener("error", (event) => { document.documentElement.dataset.error = event.message; });
"""
_COUNT = """
document.documentElement.dataset.requests = performance.getEntriesByType("resource").length;
"""


def browser() -> Path | None:
    """A Chromium, where one is installed."""
    found = shutil.which("chromium") or (str(_CHROMIUM) if _CHROMIUM.exists() else None)
    return Path(found) if found else None


def show(chromium: Path, page: str, *, fragment: str = "", hook: str = "") -> "Dom":
    """Open the page and run the hook at its end; the page's own policy has to allow both."""
    page = _with_script(page, _WATCH, before="<style>")
    page = _with_script(page, hook + _COUNT, before="</body>")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "page.html"
        file.write_text(page, encoding="utf-8")
        done = subprocess.run(
            [
                chromium,
                *_FLAGS,
                f"--user-data-dir={folder}/profile",
                "--dump-dom",
                f"file://{file}{fragment}",
            ],
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
    return Dom(done.stdout)


def _with_script(page: str, script: str, *, before: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    page = page.replace("script-src ", f"script-src 'sha256-{digest}' ", 1)
    head, mark, tail = page.rpartition(before) if before == "</body>" else page.partition(before)
    return f"{head}<script>{script}</script>{mark}{tail}"


class Dom(HTMLParser):
    """What can be read off the page: attributes of the root, and the text of elements by class."""

    def __init__(self, source: str) -> None:
        super().__init__()
        self.source = source
        self.root: dict[str, str | None] = {}
        self.rows: list[list[str]] = []
        self.pressed = ""
        self.found = ""
        self._table = False
        self._into = ""
        self._cell: list[str] | None = None
        self.feed(source)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        names = (given.get("class") or "").split()
        if tag == "html":
            self.root = given
        if tag == "table":
            self._table = "checks" in names
        if self._table and tag == "tr":
            self.rows.append([])
        if self._table and tag == "td" and self.rows:
            self._cell = []
        if tag == "button" and given.get("aria-pressed") == "true":
            self._into = "pressed"
        if "found" in names:
            self._into = "found"

    def handle_endtag(self, tag: str) -> None:
        if tag == "td" and self._cell is not None:
            self.rows[-1].append("".join(self._cell))
            self._cell = None
        if tag in {"button", "p"}:
            self._into = ""

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            self._cell.append(data)
        if self._into == "pressed":
            self.pressed += data
        if self._into == "found":
            self.found += data

    @property
    def lines(self) -> list[list[str]]:
        """The rows of all checks, without the head."""
        return [row for row in self.rows if row]
