"""A base image from the machine's own packages, in the layout of the official Python slim images.

What the Dockerfile relies on: an interpreter and pip below /usr/local, certificates, apt, and no
compiled standard library, no manual pages and no translations.
"""

import hashlib
import platform
import sys
from pathlib import Path

from support.container.engine import Engine, EngineError, called

NAME = "localhost/mergebar-base"
_LICENCES = "/usr/share/doc/*/copyright"
# Without `usr-is-merged` another package comes with the same promise and all of Perl, which git
# would then not have to bring along.
_PACKAGES = ("ca-certificates", "netbase", "tzdata", "usr-is-merged", "python3", "python3-venv")
_HOOKS = "/usr/share/mmdebstrap/hooks/maybe-merged-usr"
# As the slim images of Debian have it, and then git's packages are small in both.
_LEFT_OUT = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/info/*", "/usr/share/locale/*/*")
_OLDEST = "(3, 11)"
_MAKE = f"""
set -e
/usr/bin/python3 -c 'import sys; sys.exit(sys.version_info < {_OLDEST})'
/usr/bin/python3 -m venv --copies /usr/local
ln -sf python3 /usr/local/bin/python
rm -f /usr/local/bin/[Aa]ctivate*
find /usr/local /usr/lib/python3* -name '__pycache__' -prune -exec rm -rf '{{}}' +
"""


def image(engine: Engine) -> str:
    """The name of the base, which is made once; raises EngineError."""
    recipe = (*_PACKAGES, *_LEFT_OUT, _LICENCES, _MAKE, _release(), platform.machine())
    name = f"{NAME}:{hashlib.sha256(repr(recipe).encode()).hexdigest()[:12]}"
    if not engine.buildah("images", "--quiet", "--filter", f"reference={name}").strip():
        print("making a base image from this machine's packages (once) …", file=sys.stderr)
        _make(engine, name)
    return name


def _make(engine: Engine, name: str) -> None:
    archive = engine.folder / "base.tar"
    called(
        [
            "mmdebstrap",
            "--mode=root",
            "--variant=minbase",
            f"--hook-dir={_HOOKS}",
            '--aptopt=APT::Sandbox::User "root"',
            *(f"--dpkgopt=path-exclude={glob}" for glob in _LEFT_OUT),
            f"--dpkgopt=path-include={_LICENCES}",
            f"--include={','.join(_PACKAGES)}",
            _release(),
            str(archive),
            *_sources(),
        ]
    )
    made = engine.buildah("from", "scratch").strip()
    try:
        engine.buildah("add", "--quiet", made, str(archive), "/")
        archive.unlink()
        engine.buildah("run", "--isolation", "chroot", made, "--", "sh", "-c", _MAKE)
        engine.buildah(
            "config", "--cmd", "python3", "--env", "PATH=/usr/local/bin:/usr/local/sbin:"
            "/usr/sbin:/usr/bin:/sbin:/bin", made,
        )  # fmt: skip
        engine.buildah("commit", "--quiet", made, name)
    finally:
        engine.buildah("rm", made)


def _release() -> str:
    """The code name of the machine's own release, whose packages it can reach."""
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    if not codename:
        raise EngineError("the machine doesn't say in /etc/os-release which Debian it is")
    return codename


def _sources() -> list[str]:
    """Where the machine gets its own packages; without any mmdebstrap's default is taken."""
    system = platform.freedesktop_os_release()["ID"]
    places = (f"/etc/apt/sources.list.d/{system}.sources", "/etc/apt/sources.list")
    return [place for place in places if Path(place).is_file() and Path(place).stat().st_size][:1]
