"""buildah and podman with a storage of their own: a cache folder in, commands that work there out."""

import os
import resource
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fcntl import LOCK_EX, flock
from pathlib import Path

PROGRAMS = ("buildah", "podman", "runc", "conmon", "mmdebstrap")
_MOST = 4096
"""Of files and of processes: a container may not raise what a sandbox has lowered."""
CACHE = "MERGEBAR_IMAGE_CACHE"
_FALLBACK = Path("/var/tmp/mergebar-image")  # noqa: S108 - a cache, and its owner is checked


class EngineError(Exception):
    """A command failed; what it was and what it printed last."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Where everything is kept: nothing of the machine's own storage is read or written."""

    folder: Path

    @property
    def environ(self) -> dict[str, str]:
        """The environment of every command."""
        return {**os.environ, "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf")}

    def buildah(self, *arguments: str) -> str:
        """What it printed on stdout; raises EngineError."""
        return called(["buildah", *arguments], environ=self.environ)

    def podman(self, *arguments: str) -> str:
        """The same for podman."""
        return called([*self.podman_argv, *arguments], environ=self.environ)

    def called_in(self, image: str, script: str, *options: str) -> str:
        """What a shell script prints inside of an image; raises EngineError."""
        start = ("--entrypoint", "/bin/sh", image, "-c", script)
        return called([*self.podman_run, *options, *start], environ=self.environ)

    @property
    def podman_run(self) -> list[str]:
        """What starts a container."""
        most = {"nofile": resource.RLIMIT_NOFILE, "nproc": resource.RLIMIT_NPROC}
        limits = [f"{name}={_limit(number)}" for name, number in most.items()]
        options = [part for limit in limits for part in ("--ulimit", limit)]
        return [*self.podman_argv, "run", "--rm", "--network=host", *options]

    @property
    def podman_argv(self) -> list[str]:
        """Nothing of systemd, which may be absent; runc knows more kinds of cgroups than crun."""
        return ["podman", "--cgroup-manager=cgroupfs", "--events-backend=file", "--runtime=runc"]

    @contextmanager
    def locked(self) -> Iterator[None]:
        """One builds at a time: others wait, and then find what they need."""
        with (self.folder / "lock").open("w") as file:
            flock(file, LOCK_EX)
            yield


def _limit(number: int) -> str:
    found = min(resource.getrlimit(number)[1], _MOST)
    return f"{found}:{found}"


def missing() -> str | None:
    """Why no image can be built on this machine, as a sentence; `None` if one can."""
    if os.geteuid() != 0:
        return "building an image without a daemon needs root"
    absent = [program for program in PROGRAMS if shutil.which(program) is None]
    if absent:
        return f"{', '.join(absent)} missing: apt-get install --yes {' '.join(PROGRAMS)}"
    return None


def start(environ: Mapping[str, str]) -> Engine:
    """The engine whose storage is where the environment says."""
    folder = _cache(environ)
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.geteuid():
        raise EngineError(f"`{folder}` belongs to somebody else; set `{CACHE}` to another folder")
    engine = Engine(folder=folder)
    with engine.locked():
        if not (folder / "storage.conf").exists():
            _choose_driver(engine)
    return engine


def _cache(environ: Mapping[str, str]) -> Path:
    chosen, common = environ.get(CACHE), environ.get("XDG_CACHE_HOME")
    if chosen:
        return Path(chosen).absolute()
    return Path(common).absolute() / "mergebar-image" if common else _FALLBACK


def _choose_driver(engine: Engine) -> None:
    """Overlays are fast; where the kernel or the file system has none, every layer is a copy."""
    file = engine.folder / "storage.conf"
    problem = EngineError("no storage was tried")
    for driver in ("overlay", "vfs"):
        store = engine.folder / driver
        file.write_text(
            f'[storage]\ndriver = "{driver}"\ngraphroot = "{store}"\n'
            f'runroot = "{engine.folder / "run"}"\n',
            encoding="utf-8",
        )
        try:
            made = engine.buildah("from", "scratch").strip()
            engine.buildah("mount", made)
            engine.buildah("rm", made)
        except EngineError as error:
            file.unlink()
            problem = error
        else:
            return
    raise problem


def called(argv: Sequence[str], *, environ: Mapping[str, str] | None = None) -> str:
    """Run a command to its end, quietly; raises EngineError with the end of what it said."""
    done = subprocess.run(argv, env=environ, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        said = f"{done.stdout}\n{done.stderr}".strip()[-3000:]
        raise EngineError(f"`{' '.join(argv[:3])} …` exited {done.returncode}:\n{said}")
    return done.stdout
