"""Profiles, findings, traces, Ctrl-C, and how all of it reads."""

import gc
import os
import pathlib
import pydoc
import signal
import subprocess
import sys
import textwrap
import threading
import time

import numpy as np
import pytest

import gcnsim


def test_profile(dev, kernels):
    y, x = np.zeros(1024, np.float32), np.ones(1024, np.float32)
    run = kernels["saxpy"].launch(1024, 256, y, x, 2.0, 1024, profile=True)
    assert run.profile.waves == 16 and run.profile["kernel"] == "saxpy"
    assert run.profile.instructions == run.instructions == sum(c["instructions"] for c in run.profile.classes)
    assert run.profile.occupancy["max_waves_per_simd"] == 10
    # Both runs begin with the same memory.
    assert y.tolist() == [2.0] * 1024
    with pytest.raises(AttributeError, match="no 'lanes'; it has schema, launch, kernel"):
        run.profile.lanes


def test_hot_lines(corpus, dev):
    module = dev.load(corpus / "sanitize" / "races-gfx900-O2.co")
    run = module["neighbour_fixed"].launch(256, 256, np.zeros(256, np.int32), np.arange(256, dtype=np.int32), profile=True)
    lines = run.profile.hot_lines(2)
    assert len(lines) <= 2 and all(line["source"].startswith("races.cl:") for line in lines) and lines
    assert run.findings is None


def test_findings(corpus, dev):
    module = dev.load(corpus / "sanitize" / "races-gfx900-O2.co")
    data, out = np.arange(256, dtype=np.int32), np.zeros(256, np.int32)
    racy = module["neighbour_racy"].launch(256, 256, out, data, sanitize="race")
    assert racy.outcome == "ended" and {finding["kind"] for finding in racy.findings} == {"race"}
    assert racy.findings[0]["second"]["source"].startswith("races.cl:") and "race: byte" in racy.findings_text
    fixed = module["neighbour_fixed"].launch(256, 256, out, data, sanitize=True)
    assert fixed.findings == [] and out.tolist() == np.roll(data, -1).tolist()
    with pytest.raises(gcnsim.Error, match="rase"):
        module["neighbour_racy"].launch(256, 256, out, data, sanitize="rase")


def test_accesses_outside_name_the_argument(kernels):
    run = kernels["saxpy"].launch(
        64, 64, np.zeros(64, np.float32), np.ones(32, np.float32), 1.0, 64, sanitize="bounds"
    )
    assert run.findings[0]["pointer_of"] == "argument 1" and run.findings[0]["pointer_at"] == 128


def test_trace(kernels):
    y, x = np.zeros(128, np.float32), np.arange(128, dtype=np.float32)
    trace = kernels["saxpy"].trace(128, 64, y, x, 2.0, 128, group=(1, 0, 0), wave=0)
    assert trace.run.outcome == "ended" and 2 * len(trace) == trace.run.instructions
    assert trace[-1].text == "s_endpgm" and trace[0].pc < trace[1].pc
    stores = [step for step in trace if step.text.startswith(("global_store", "flat_store"))]
    assert [stores[0].written[f"argument 0+{4 * lane:#x}"] for lane in (64, 127)] == [
        int(np.float32(2 * value).view(np.uint32)) for value in (64, 127)
    ]
    product = next(step for step in trace if step.text.startswith("v_mul_f32"))
    register = product.text.split()[1].rstrip(",")
    assert np.array(product.written[register], np.uint32).view(np.float32).tolist() == (2 * x[64:]).tolist()
    assert str(stores[0]).startswith(f"{stores[0].pc:06x}  ") and y[127] == 254


def test_trace_of_no_wave(kernels):
    arguments = (64, 64, np.zeros(64, np.uint32), 1)
    with pytest.raises(gcnsim.Error, match="no wave 1 in group .*1 x 1 x 1 groups of 1 waves"):
        kernels["collatz"].trace(*arguments, wave=1)
    assert len(kernels["collatz"].trace(*arguments, most=5)) == 5
    with pytest.raises(IndexError):
        kernels["collatz"].trace(*arguments, most=5)[5]


def test_a_module_dropped_while_its_launch_is_watched(corpus):
    dev = gcnsim.Device("gfx900")
    kernel = [dev.load(corpus / "kernels" / "kernels-gfx900-v5-O2.co")["collatz"]]
    traces = []
    arguments = (256, 64, np.zeros(256, np.uint32), 1)
    thread = threading.Thread(target=lambda kernel: traces.append(kernel.trace(*arguments)), args=(kernel[0],))
    thread.start()
    kernel.clear()
    del dev
    gc.collect()
    thread.join()
    assert traces[0][-1].text == "s_endpgm" and traces[0].run.kernel.name == "collatz"


CTRL_C = """
    import sys, time, numpy as np, gcnsim
    module = gcnsim.Device("gfx900").load(sys.argv[1])
    print("ready", flush=True)
    try:
        # From 0 it never comes to 1.
        module["collatz"](64, 64, np.zeros(64, np.uint32), 0)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
        # The device goes on.
        steps = np.zeros(1, np.uint32)
        print(module["collatz"](1, 64, steps, 6).outcome, int(steps[0]), flush=True)
"""


def test_ctrl_c(corpus):
    file = corpus / "kernels" / "kernels-gfx900-v5-O2.co"
    process = subprocess.Popen(
        [sys.executable, "-c", textwrap.dedent(CTRL_C), str(file)],
        stdout=subprocess.PIPE,
        text=True,
        # A job in the background ignores Ctrl-C, and so would its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.3)
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=20)
    assert (out, process.returncode) == ("interrupted\nended 8\n", 0)


def test_help_reads_well():
    text = pydoc.plain(pydoc.render_doc(gcnsim.Device))
    for words in ("max_insts:", "load(self, /, file)", "buffer(self, /, data, name='buffer')"):
        assert words in text, text
    for name in gcnsim.__all__:
        thing = getattr(gcnsim, name)
        assert name == "__version__" or (thing.__doc__ or "").strip(), name
    assert "numpy.frombuffer" in gcnsim.Buffer.__doc__ and "saxpy" in gcnsim.__doc__


def test_stubs_have_all_names():
    import ast

    stub = pathlib.Path(gcnsim.__file__).with_suffix(".pyi")
    tree = ast.parse(stub.read_text())
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}
    assert set(gcnsim.__all__) - {"__version__"} == set(classes) | functions
    for name, node in classes.items():
        stated = {item.name for item in node.body if isinstance(item, ast.FunctionDef)}
        stated |= {item.target.id for item in node.body if isinstance(item, ast.AnnAssign)}
        real = {member for member in dir(getattr(gcnsim, name)) if not member.startswith("_")}
        inherited = {member for base in getattr(gcnsim, name).__mro__[1:] for member in dir(base) if base is not object}
        of_bases = inherited if name in ("Error", "Fault", "CommandError", "CompileError", "Profile") else set()
        assert real - of_bases <= stated, (name, real - of_bases - stated)
        assert {member for member in stated if not member.startswith("_")} <= real | {"run", "code"}, name
    assert pathlib.Path(gcnsim.__file__).with_name("py.typed").exists()


def test_representations(dev, kernels):
    assert repr(dev) == 'gcnsim.Device("gfx900")' and dev.arch == "gcn1.4"
    assert repr(kernels["saxpy"]) == "<gcnsim.Kernel saxpy>" and repr(kernels) == "<gcnsim.Module of 20 kernels>"
    assert repr(dev.buffer(16, "weights")).startswith("<gcnsim.Buffer weights at 0x")
    run = kernels["collatz"](1, 64, np.zeros(1, np.uint32), 1)
    assert repr(run).startswith("<gcnsim.Run of collatz: ended, ")


def test_launches_are_quick(dev, kernels):
    """The measured time above the kernel is 30 us at most on a quiet machine; here the machine may be busy."""
    steps, collatz = dev.buffer(4), kernels["collatz"]
    for _ in range(200):
        collatz(1, 64, steps, 1)
    best = min(_time(collatz, steps) for _ in range(20))
    assert best < 200e-6, f"{best * 1e6:.1f} us"


def _time(kernel, steps):
    begin = time.perf_counter()
    for _ in range(50):
        kernel(1, 64, steps, 1)
    return (time.perf_counter() - begin) / 50


def test_memory_comes_back(corpus):
    def resident():
        with open("/proc/self/statm") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")

    dev = gcnsim.Device("gfx900")
    kernels = dev.load(corpus / "kernels" / "kernels-gfx900-v5-O2.co")
    x = np.ones(1 << 20, np.float32)
    before = None
    for round in range(40):
        assert kernels["saxpy"](64, 64, x, x, 0.0, 64)
        dev.buffer(x).read(np.float32)
        if round == 10:
            gc.collect()
            before = resident()
    gc.collect()
    assert resident() - before < 64 << 20
