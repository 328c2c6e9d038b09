"""Disk faults: strace answers a process's system calls in place of the kernel, and a small file system fills up."""

import contextlib
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from waits import patient, wait_until


@contextlib.contextmanager
def injected(pid: int, *faults: str, log: Path) -> Iterator[None]:
    """Injects faults into the process's system calls with strace's `-e inject=` syntax, such as `fdatasync:error=EIO:when=3+`."""
    options = ["-e", "trace=" + ",".join(fault.split(":")[0] for fault in faults)]
    for fault in faults:
        options += ["-e", f"inject={fault}"]
    with traced(pid, *options, log=log):
        yield


@contextlib.contextmanager
def traced(pid: int, *options: str, log: Path) -> Iterator[None]:
    """Traces every thread of the process with strace and these options."""
    command = ["strace", "-f", "-p", str(pid), "-o", str(log), *options]
    tracer = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
    try:
        assert tracer.stderr
        # strace reports the first thread; by then it has stopped the others, before any of their calls continues.
        said = tracer.stderr.readline()
        if "attached" not in said:
            tracer.wait(patient(5))
            if "Operation not permitted" in said:
                pytest.skip(f"strace may not trace here: {said.strip()}")
            raise AssertionError(f"strace says: {said}")
        wait_until(lambda: is_traced(pid), 10, "strace to hold every thread")
        yield
    finally:
        tracer.terminate()
        tracer.wait(patient(10))
        if tracer.stderr:
            tracer.stderr.close()


def is_traced(pid: int) -> bool:
    """True if every thread of the process has a tracer."""
    statuses = [thread.read_text() for thread in Path(f"/proc/{pid}/task").glob("*/status")]
    return all("TracerPid:\t0\n" not in status for status in statuses)


def injected_count(log: Path) -> int:
    """Number of system calls that strace answered in place of the kernel."""
    return log.read_text().count("(INJECTED)") if log.exists() else 0


@contextlib.contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """Mounts a small file system in memory on the folder. Skips the test if mounting is not permitted."""
    folder.mkdir(parents=True, exist_ok=True)
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "heliograph-test", str(folder)], capture_output=True, text=True
    )
    if mounted.returncode != 0:
        pytest.skip(f"mounting is not allowed here: {mounted.stderr.strip()}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def remount(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", str(folder)], check=True, capture_output=True)
