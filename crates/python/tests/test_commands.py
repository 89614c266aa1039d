"""The command in the wheel, and the functions that start it."""

import json
import pathlib
import shutil
import subprocess
import sys

import numpy as np
import pytest

import gcnsim


def run(*words):
    return subprocess.run([gcnsim.command(), *words], capture_output=True, text=True, check=False)


def test_the_command_is_installed():
    done = run("--version")
    assert done.returncode == 0 and done.stdout.startswith(f"gcnsim {gcnsim.__version__}")
    same = subprocess.run([sys.executable, "-m", "gcnsim", "--version"], capture_output=True, text=True, check=True)
    assert same.stdout == done.stdout


def test_the_library_of_device_is_found():
    program = "import os; os.close(os.open('/dev/kfd', os.O_RDWR)); print('open')"
    done = run("device", "--", sys.executable, "-c", program)
    assert (done.returncode, done.stdout) == (0, "open\n"), done.stderr


def test_the_main_job(corpus):
    done = run("--jit", str(corpus / "bench.bin"))
    assert done.returncode == 0 and "state hash    c82d71b68ea240d2" in done.stdout


def test_disasm(corpus):
    file = corpus / "programs" / "gcd-gcn1.0.bin"
    listing = gcnsim.disasm(file, arch="gcn1.0")
    of_bytes = gcnsim.disasm(file.read_bytes(), arch="gcn1.0")
    assert "s_endpgm" in listing and listing.splitlines()[1:] == of_bytes.splitlines()[1:]
    one = gcnsim.disasm(corpus / "kernels" / "kernels-gfx900-v5-O2.co", kernel="saxpy")
    assert one.startswith("; kernel saxpy (gfx900)") and "sgemm" not in one and "s_endpgm" in one
    with pytest.raises(gcnsim.Error, match="no kernel 'saxpi'; there are saxpy, sgemm"):
        gcnsim.disasm(corpus / "kernels" / "kernels-gfx900-v5-O2.co", kernel="saxpi")
    with pytest.raises(gcnsim.CommandError, match="gfx9000") as caught:
        gcnsim.disasm(file, arch="gfx9000")
    assert caught.value.code == 2


def test_lint(tmp_path):
    # s_load_dword s0, s[0:1], 0x0; s_add_u32 s1, s0, s0; s_endpgm: a wait is missing.
    (tmp_path / "a.bin").write_bytes(np.array([0xC0020000, 0, 0x80010000, 0xBF810000], "<u4").tobytes())
    found = list(gcnsim.lint(tmp_path / "a.bin", arch="gfx900"))
    assert any(item.get("id") == "lgkmcnt-read" for item in found), found
    assert all(isinstance(item, dict) for item in found)


def test_batch(corpus, tmp_path):
    for name in ("gcd-gcn1.0", "gcd-gcn1.2"):
        for end in ("bin", "toml"):
            shutil.copy(corpus / "programs" / f"{name}.{end}", tmp_path)
    lines = list(gcnsim.batch(tmp_path))
    assert [pathlib.Path(line["file"]).name for line in lines[:-1]] == ["gcd-gcn1.0.bin", "gcd-gcn1.2.bin"]
    assert {line["outcome"] for line in lines[:-1]} == {"ended"} and lines[-1]["schema"] == "gcnsim.batch-end.v1"
    again = list(gcnsim.batch([tmp_path / "gcd-gcn1.0.bin", tmp_path / "gcd-gcn1.2.bin"], jobs=1, no_check=True))
    assert [line["state_hash"] for line in again[:-1]] == [line["state_hash"] for line in lines[:-1]]
    first = next(gcnsim.batch(tmp_path, max_insts=3))
    assert first["outcome"] in ("budget", "mismatch")
    with pytest.raises(gcnsim.CommandError, match="nothing-here"):
        list(gcnsim.batch(tmp_path / "nothing-here"))
    with pytest.raises(gcnsim.Error, match="--out"):
        gcnsim.batch(tmp_path, out="x.jsonl")


def test_diff(corpus, tmp_path):
    old, new = corpus / "kernels" / "kernels-gfx900-v5-O2.co", corpus / "kernels" / "kernels-gfx900-v4-O0.co"
    pairs = list(gcnsim.diff(old, old, synthetic="float", max_insts=2000))
    assert all(pair["result"] in ("same", "failed") for pair in pairs[:-1]) and len(pairs) > 10
    assert "same" in json.dumps(pairs[-1])
    assert any(pair["result"] == "same" for pair in gcnsim.diff(old, new, synthetic="int", max_insts=20000))


def test_flags():
    from gcnsim._commands import flags_of

    assert flags_of({"max_insts": 5, "no_check": True, "lint": False, "shard": None, "x": [1, 2]}) == [
        "--max-insts=5", "--no-check", "--x=1", "--x=2"
    ]


SQUARES = "kernel void squares(global int *out) { int i = get_global_id(0); out[i] = i * i; }"


def no_clang():
    """Returns why nothing can be compiled; None if it can."""
    try:
        gcnsim.compile(SQUARES, "gfx900")
    except gcnsim.Error as error:
        return str(error)
    return None


needs_clang = pytest.mark.skipif(no_clang() is not None, reason=f"cannot compile: {no_clang()}")


@needs_clang
def test_compile(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    code = gcnsim.compile(SQUARES, "gfx900", ["-g"])
    out = np.zeros(8, np.int32)
    run = gcnsim.Device("gfx900").load(code)["squares"].launch(8, 8, out, profile=True)
    assert out.tolist() == [i * i for i in range(8)] and run.profile.hot_lines(1)[0]["source"] == "source.cl:1"
    assert len(list((tmp_path / "gcnsim" / "compiled").iterdir())) == 1
    with pytest.raises(gcnsim.CompileError, match="source.cl:1:.*error: "):
        gcnsim.compile("kernel void broken(", "gfx900")


def test_compile_without_clang(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("CLANG", raising=False)
    with pytest.raises(gcnsim.Error, match="there is no clang: install clang, lld and the device libraries"):
        gcnsim.compile(SQUARES, "gfx900")


@pytest.mark.skipif(
    not all(shutil.which(tool) for tool in ("clang-15", "opt-15", "llvm-link-15")), reason="there is no LLVM 15"
)
def test_compile_with_printf():
    source = 'kernel void hello() { printf("%d of %s\\n", (int)get_global_id(0), "three"); }'
    code = gcnsim.compile(source, "gfx900", printf=True)
    run = gcnsim.Device("gfx900").load(code)["hello"](3, 64)
    assert run.printed == "0 of three\n1 of three\n2 of three\n"
