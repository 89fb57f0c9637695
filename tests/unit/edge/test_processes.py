import sys
from pathlib import Path

from mergebar.edge import processes


def run(
    code: str, *, timeout_s: float = 20.0, limit: int = 1000
) -> processes.Finished | processes.Stopped:
    argv = (sys.executable, "-I", "-c", code)
    return processes.run(argv, cwd=Path("/"), environ={}, timeout_s=timeout_s, limit=limit)


def test_a_process_ends_with_its_code_and_output() -> None:
    code = "import sys; print('out'); print('err', file=sys.stderr); sys.exit(3)"
    assert run(code) == processes.Finished(code=3, stdout=b"out\n", stderr=b"err\n")


def test_a_process_that_hangs_is_ended_with_its_children(tmp_path: Path) -> None:
    child = f"import time; time.sleep(1.5); open({str(tmp_path / 'trace')!r}, 'w')"
    code = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {child!r}])"
    assert run(code, timeout_s=0.7) == processes.Stopped(reason="took too long")
    assert run("import time; time.sleep(1.5)") == processes.Finished(code=0, stdout=b"", stderr=b"")
    assert not (tmp_path / "trace").exists()


def test_a_process_that_says_too_much_is_ended() -> None:
    code = "import sys\nwhile True: sys.stdout.write('x' * 10000)"
    assert run(code) == processes.Stopped(reason="printed more than 1000 bytes")


def test_a_process_that_closes_its_output_and_hangs_is_ended() -> None:
    code = "import os, time; os.close(1); os.close(2); time.sleep(30)"
    assert run(code, timeout_s=0.5) == processes.Stopped(reason="took too long")


def test_a_program_that_is_not_there_is_a_value() -> None:
    answer = processes.run(("/nonexistent",), cwd=Path("/"), environ={}, timeout_s=1, limit=1)
    assert isinstance(answer, processes.Stopped)
    assert answer.reason.startswith("could not be started")
