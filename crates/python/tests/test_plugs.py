"""Runners of tests that call the command: examples/lit."""

import os
import pathlib
import subprocess
import sys

import pytest

import gcnsim

LIT = pathlib.Path(__file__).resolve().parents[3] / "examples" / "lit"


def test_lit(tmp_path):
    pytest.importorskip("lit")
    environment = {**os.environ, "GCNSIM": gcnsim.command(), "LIT_OUTPUT": str(tmp_path)}
    words = [sys.executable, "-c", "from lit.main import main; main()", "-v", str(LIT)]
    done = subprocess.run(words, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0 and "Failed" not in done.stdout, done.stdout + done.stderr
    passed = [line for line in done.stdout.splitlines() if line.startswith("PASS: ")]
    skipped = [line for line in done.stdout.splitlines() if line.startswith("UNSUPPORTED: ")]
    # Without a clang that fits the device libraries nothing is compiled.
    assert len(passed) + len(skipped) == 4 and len(passed) >= 2, done.stdout
