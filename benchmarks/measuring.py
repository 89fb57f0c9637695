"""A command in, what it cost out: CPU of the process and its children, wall time, peak memory."""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Seconds of CPU (user and system) and of wall time; `peak_mb` of resident memory."""

    cpu_s: float
    wall_s: float
    peak_mb: float


def once(argv: Sequence[str], *, cwd: Path | None = None, codes: Sequence[int] = (0,)) -> Cost:
    """Run a command to its end; an exit code that isn't expected stops the benchmark."""
    started = time.perf_counter()
    process = subprocess.Popen(argv, cwd=cwd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert process.stderr is not None
    errors = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.perf_counter() - started
    if process.returncode not in codes:
        sys.exit(f"{argv[0]} exited {process.returncode}: {errors.decode(errors='replace')[-800:]}")
    return Cost(
        cpu_s=usage.ru_utime + usage.ru_stime, wall_s=wall, peak_mb=_megabytes(usage.ru_maxrss)
    )


def median(
    argv: Sequence[str], *, runs: int, cwd: Path | None = None, codes: Sequence[int] = (0,)
) -> Cost:
    """The median of each figure over `runs` runs, after one that isn't counted."""
    once(argv, cwd=cwd, codes=codes)
    costs = [once(argv, cwd=cwd, codes=codes) for _ in range(runs)]
    return Cost(
        cpu_s=statistics.median(cost.cpu_s for cost in costs),
        wall_s=statistics.median(cost.wall_s for cost in costs),
        peak_mb=statistics.median(cost.peak_mb for cost in costs),
    )


def _megabytes(maxrss: int) -> float:
    """Linux counts in KiB, macOS in bytes."""
    return maxrss / (1024 * 1024 if sys.platform == "darwin" else 1024)
