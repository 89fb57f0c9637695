"""Packages of somebody else, laid out as an installer leaves them, and within reach for a while."""

import importlib
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path


def lay(
    site: Path,
    modules: Mapping[str, str],
    points: Mapping[str, Mapping[str, str]],
    *,
    package: str = "acme",
) -> None:
    """Write modules, and what the package says of itself: group → name → `module:function`."""
    info = site / f"{package.replace('-', '_')}-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
    lines = []
    for group, names in points.items():
        lines.append(f"[mergebar.{group}]")
        lines += [f"{name} = {target}" for name, target in names.items()]
    (info / "entry_points.txt").write_text("\n".join(lines) + "\n")
    for name, text in modules.items():
        (site / f"{name}.py").write_text(text)


@contextmanager
def installed(site: Path) -> Iterator[None]:
    """The packages of a folder can be imported; afterwards nothing of them is left."""
    before = set(sys.modules)
    sys.path.insert(0, str(site))
    importlib.invalidate_caches()
    try:
        yield
    finally:
        sys.path.remove(str(site))
        importlib.invalidate_caches()
        for name in set(sys.modules) - before:
            file = getattr(sys.modules[name], "__file__", None)
            if file is not None and Path(file).parent == site:
                del sys.modules[name]
