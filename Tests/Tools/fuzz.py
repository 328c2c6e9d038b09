#!/usr/bin/env python3
"""Runs the fuzz targets of Tests/Fuzz, each for so many seconds of processor time: `make fuzz SECONDS=60`.

Processor time and not the clock's, because the targets run beside other work at the lowest priority. A run begins with the kept corpus in
Tests/Fuzz/Corpus, which `make check` replays; `--keep` adds what it found and minimises the whole. A finding is kept in .build/fuzz/findings,
and ends this with status 1. `FUZZ_TARGET=codec .build/fuzz/release/fuzz FILE` runs one input again; -minimize_crash=1 -runs=100000 makes it small.
"""

import argparse
import base64
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "fuzz"))
from seeds import SEEDS  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
INPUT_BYTES_MAX = {"codec": 8_192, "assembly": 4_096, "profile": 16_384, "hook": 32_768, "spool": 2_048, "answer": 2_048, "nodes": 2_048, "consent": 4_096}
"""Longer than any seed where these are whole messages, or libFuzzer would cut them."""

INPUT_SECONDS_MAX = 20
"""One input that takes longer is a finding; a thousandth of it is much, and the machine may be shared by many."""

MEBIBYTES_MAX = 2_048
KEPT = ROOT / "Tests/Fuzz/Corpus"
KEPT_BYTES_MAX = 48 << 10
"""Size of the kept corpus of a target: what a clone can carry and `make check` replays in seconds."""

CLOCK_SHARE_MAX = 4
"""The clock may run so many times as long as the processor time that was asked for: who waits for this has waited enough."""
PROCESSOR_SHARE_MIN = 0.5
"""The minimal share of the requested processor time. With less, the target does not count as fuzzed."""


def kept(target: str) -> Iterator[bytes]:
    file = KEPT / f"{target}.base64"
    return map(base64.b64decode, file.read_text().split()) if file.exists() else iter(())


class Run:
    """One run of a target under libFuzzer, at the lowest priority."""

    def __init__(self, target: str, binary: Path, folder: Path, seconds: int) -> None:
        self.target = target
        self.log = folder / f"{target}.log"
        self.folder = folder
        corpus, seeds, findings = (folder / name / target for name in ("corpus", "seeds", "findings"))
        for path in (corpus, findings):
            path.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(seeds, ignore_errors=True)
        seeds.mkdir(parents=True)
        for number, seed in enumerate([*SEEDS[target](ROOT), *kept(target)]):
            assert len(seed) <= INPUT_BYTES_MAX[target], f"a seed of {target} is longer than what is tried"
            (seeds / f"{number:04}").write_bytes(seed)
        self.program = [str(binary), f"-max_len={INPUT_BYTES_MAX[target]}", f"-timeout={INPUT_SECONDS_MAX}", f"-rss_limit_mb={MEBIBYTES_MAX}"]
        command = [
            *self.program, str(corpus), str(seeds), f"-artifact_prefix={findings}/", "-print_final_stats=1",
            f"-dict={ROOT / 'Tests/Tools/fuzz/json.dict'}",
        ]  # fmt: skip
        self.environment = environment = os.environ | {
            "FUZZ_TARGET": target,
            "SWIFT_BACKTRACE": "enable=no",
            # Leak detection is off, because Swift's runtime never frees its caches.
            "ASAN_OPTIONS": "detect_leaks=0:detect_stack_use_after_return=0",
        }
        self.seconds = seconds
        self.begun = time.monotonic()
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment, preexec_fn=lambda: os.nice(19))
        self.is_stopped = False
        self.had = 0.0

    def look(self) -> bool:
        """Returns true if the run has ended; stops it when its time is used up."""
        if self.process.poll() is not None:
            return True
        clock = time.monotonic() - self.begun
        self.had = self.used()
        if not self.is_stopped and (self.had >= self.seconds or clock >= self.seconds * CLOCK_SHARE_MAX):
            self.process.send_signal(signal.SIGINT)
            self.is_stopped = True
        return False

    def used(self) -> float:
        """The seconds of processor time used so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def verdict(self) -> tuple[bool, str]:
        text = self.log.read_text(errors="replace")
        runs = re.search(r"stat::number_of_executed_units:\s*(\d+)", text) or re.search(r"#(\d+)\s(?!.*#\d)", text, re.DOTALL)
        coverage = re.findall(r"cov: (\d+)", text)
        said = f"{self.target}: {runs.group(1) if runs else '?'} inputs, {coverage[-1] if coverage else '?'} edges, {self.had:.0f} s of processor time"
        # A stopped libFuzzer reports an interruption, whatever its exit status; any other end is a finding.
        if self.is_stopped and "libFuzzer: run interrupted" in text and "ERROR: " not in text:
            if self.had < self.seconds * PROCESSOR_SHARE_MIN:
                return False, f"{said}: too little of {self.seconds} s within {self.seconds * CLOCK_SHARE_MAX} s of the clock; the machine is too busy"
            return True, said
        found = re.findall(r"^.*(?:finding: |Fatal error|ERROR: |Test unit written to).*$", text, re.MULTILINE)
        return False, f"{said}, ended with {self.process.returncode}; see {self.log}\n  " + "\n  ".join(found[:8])

    def keep(self) -> str:
        """Replaces the target's kept corpus by the fewest inputs with the same coverage, preferring short ones."""
        cover, corpus, seeds = (self.folder / name / self.target for name in ("cover", "corpus", "seeds"))
        shutil.rmtree(cover, ignore_errors=True)
        cover.mkdir(parents=True)
        merge = [*self.program, "-set_cover_merge=1", str(cover), str(corpus), str(seeds)]
        with self.log.open("ab") as log:
            subprocess.run(merge, stdout=log, stderr=log, env=self.environment, check=True)
        inputs = sorted({path.read_bytes() for path in cover.iterdir()}, key=lambda each: (len(each), each))
        size, lines = 0, []
        for each in inputs:
            if size + len(each) <= KEPT_BYTES_MAX:
                size += len(each)
                lines.append(base64.b64encode(each).decode() + "\n")
        KEPT.mkdir(exist_ok=True)
        (KEPT / f"{self.target}.base64").write_text("".join(lines))
        return f"{self.target}: kept {len(lines)} of {len(inputs)} inputs, {size} bytes"

    def end(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()


def all_of(targets: list[str], binary: Path, folder: Path, seconds: int, jobs: int, is_keeping: bool) -> Iterator[tuple[bool, str]]:
    waiting, running = list(targets), []
    try:
        while waiting or running:
            while waiting and len(running) < jobs:
                running.append(Run(waiting.pop(0), binary, folder, seconds))
            time.sleep(0.2)
            for run in [run for run in running if run.look()]:
                running.remove(run)
                passed, said = run.verdict()
                yield passed, said
                if passed and is_keeping:
                    yield True, run.keep()
    finally:
        for run in running:
            run.end()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--binary", type=Path, default=ROOT / ".build/fuzz/release/fuzz")
    parser.add_argument("--folder", type=Path, default=ROOT / ".build/fuzz", help="for corpus, findings and logs")
    parser.add_argument("--seconds", type=int, default=60, help="of processor time, for each target")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--keep", action="store_true", help="add what was found to the corpus in Tests/Fuzz/Corpus")
    parser.add_argument("--only", action="append", choices=sorted(SEEDS))
    options = parser.parse_args()
    is_good = True
    targets = options.only or sorted(SEEDS)
    for passed, said in all_of(targets, options.binary.absolute(), options.folder.absolute(), options.seconds, options.jobs, options.keep):
        print(said, flush=True)
        is_good = is_good and passed
    return 0 if is_good else 1


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    sys.exit(main())
