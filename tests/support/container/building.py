"""The project's Dockerfile in, the id of an image out; layers that haven't changed are kept."""

import os
import subprocess
import sys
from ast import literal_eval
from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import unquote, urlsplit

from support.container import stand_in
from support.container.engine import Engine, EngineError

ROOT = Path(__file__).parent.parent.parent.parent
BASE = "MERGEBAR_IMAGE_BASE"
"""An image to build on instead of the stand-in, pulled where it isn't there."""
NAME = "localhost/mergebar:local"
_INSIDE = "/run/mergebar-build"
_CERTIFICATES = Path("/etc/ssl/certs/ca-certificates.crt")


def image(engine: Engine, environ: Mapping[str, str] = os.environ, *, loud: bool = False) -> str:
    """Build what is in the checkout; raises EngineError."""
    with engine.locked():
        base = environ.get(BASE) or stand_in.image(engine)
        return _build(engine, base, pull=BASE in environ, loud=loud)


def _build(engine: Engine, base: str, *, pull: bool, loud: bool) -> str:
    """Packages are fetched in the first stage alone, so the second is built without the mounts.

    They would leave empty folders behind in what is kept.
    """
    told = engine.folder / "image.id"
    common = (
        *("bud", "--isolation", "chroot", "--layers", "--format", "docker"),
        "--pull" if pull else "--pull-never",
        *("--build-arg", f"BASE={base}", "--build-arg", f"PIP_CONFIG_FILE={_INSIDE}/pip.conf"),
    )
    mounts = _reaching(engine.folder / "reaching")
    _run(engine, (*common, "--target", "build", *mounts, str(ROOT)), loud=loud)
    _run(engine, (*common, "--iidfile", str(told), "--tag", NAME, str(ROOT)), loud=loud)
    return told.read_text(encoding="utf-8").strip().removeprefix("sha256:")


def _run(engine: Engine, arguments: Sequence[str], *, loud: bool) -> None:
    if not loud:
        engine.buildah(*arguments)
        return
    done = subprocess.run(["buildah", *arguments], env=engine.environ, check=False)
    if done.returncode != 0:
        raise EngineError("the image can't be built: what failed stands above")


def _reaching(folder: Path) -> list[str]:
    """Mounts for the time of the build alone: how this machine reaches its package registries."""
    folder.mkdir(exist_ok=True)
    asked = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"],
        capture_output=True,
        text=True,
        check=False,
    )
    kept, local = _settings(asked.stdout)
    if _CERTIFICATES.is_file():
        (folder / "certificates.pem").write_bytes(_CERTIFICATES.read_bytes())
        kept["cert"] = f"{_INSIDE}/certificates.pem"
    lines = [f"{key} = {' '.join(value.split())}" for key, value in kept.items()]
    (folder / "pip.conf").write_text("\n".join(["[global]", *lines, ""]), encoding="utf-8")
    mounts = [f"{folder}:{_INSIDE}:ro", *(f"{path}:{path}:ro" for path in local)]
    return [part for mount in mounts for part in ("--volume", mount)]


def _settings(listed: str) -> tuple[dict[str, str], list[Path]]:
    """What of pip's settings says where packages are, and the folders that are meant.

    Lines are `section.key='value'`, from the weakest file to the environment.
    """
    wanted = ("index-url", "extra-index-url", "find-links", "trusted-host", "proxy")
    kept: dict[str, str] = {}
    for line in sorted(listed.splitlines(), key=lambda one: one.startswith(":env:")):
        name, _, value = line.partition("=")
        key = name.rpartition(".")[2]
        if key in wanted:
            kept[key] = literal_eval(value)
    return kept, _folders(kept)


def _folders(kept: Mapping[str, str]) -> list[Path]:
    """The folders of this machine that pip's settings name; an index refers to what is beside it."""
    indexes = f"{kept.get('index-url', '')} {kept.get('extra-index-url', '')}".split()
    local = [Path(unquote(urlsplit(one).path)).parent for one in indexes if one.startswith("file:")]
    links = [one.removeprefix("file://") for one in kept.get("find-links", "").split()]
    local += [Path(one) for one in links if one.startswith("/")]
    return [path for path in dict.fromkeys(local) if path.is_dir() and path != Path("/")]
