"""Launches: arguments of all kinds, results, and what is refused. What is expected is computed by numpy or by hand."""

import array
import ctypes
import threading

import numpy as np
import pytest

import gcnsim


def test_arrays_are_written_in_place(kernels):
    y, x = np.ones(1024, np.float32), np.arange(1024, dtype=np.float32)
    run = kernels["saxpy"]((1024,), (256,), y, x, np.float32(2), np.int32(1000))
    assert run.outcome == "ended" and run and run.instructions > 0 and run.detail is None
    expected = np.where(np.arange(1024) < 1000, 2 * np.arange(1024) + 1, 1)
    assert np.array_equal(y, expected.astype(np.float32))
    assert np.array_equal(x, np.arange(1024))


def test_python_numbers_have_the_type_of_the_metadata(kernels):
    y, x = np.zeros(64, np.float32), np.ones(64, np.float32)
    assert kernels["saxpy"](64, 64, y, x, 3, 60)
    assert y[:60].tolist() == [3.0] * 60 and y[60:].tolist() == [0.0] * 4


def test_no_numpy_is_needed(kernels):
    y, x = array.array("f", [0] * 64), (ctypes.c_float * 64)(*range(64))
    assert kernels["saxpy"]([64], [64], y, x, ctypes.c_float(0.5), ctypes.c_int(64))
    assert y.tolist() == [i / 2 for i in range(64)]


def test_memoryview_and_bytearray(kernels):
    steps = bytearray(4 * 6)
    assert kernels["collatz"](6, 64, memoryview(steps), 1)
    assert list(memoryview(steps).cast("I")) == [0, 1, 7, 2, 5, 8]


def test_buffers_stay(dev, kernels):
    x = dev.buffer(np.arange(64, dtype=np.float32))
    y = dev.buffer(256)
    for _ in range(3):
        assert kernels["saxpy"](64, 64, y, x, 1.0, 64)
    assert y.read(np.float32).tolist() == [3.0 * i for i in range(64)]
    assert (x.nbytes, len(y)) == (256, 256) and x.address != y.address


def test_buffer_is_its_memory(dev):
    buffer = dev.buffer(16)
    memoryview(buffer)[3] = 7
    assert buffer.tobytes() == bytes([0, 0, 0, 7] + [0] * 12)
    seen = np.frombuffer(buffer, np.uint32)
    buffer.write(np.array([1, 2], np.uint32), offset=8)
    assert seen.tolist() == [7 << 24, 0, 1, 2]
    buffer.fill(255)
    assert seen.tolist() == [0xFFFFFFFF] * 4
    assert np.shares_memory(seen, buffer.read(np.uint8))


def test_memory_outlives_its_buffer(dev):
    seen = dev.buffer(np.arange(1 << 16, dtype=np.uint32)).read(np.uint32)
    del dev
    assert seen[::4096].tolist() == [4096 * i for i in range(16)]


def test_64_mib_are_read_without_a_copy(dev):
    buffer = dev.buffer(64 << 20)
    seen = buffer.read(np.uint8)
    assert seen.ctypes.data == np.frombuffer(buffer, np.uint8).ctypes.data and not seen.flags.owndata
    assert seen.nbytes == 64 << 20


def test_pointers_into_buffers(dev, kernels):
    steps = dev.buffer(32)
    assert kernels["collatz"](2, 64, steps.at(8), 6)
    assert kernels["collatz"](2, 64, steps.address + 16, 6)
    assert steps.read(np.uint32).tolist() == [0, 0, 8, 16, 8, 16, 0, 0]


def test_views_of_one_array_are_one_memory(kernels):
    both = np.zeros(65, np.float32)
    both[1:] = np.arange(64)
    # y[i] += x[i], where x is y from its second item on; one wave reads all before it writes.
    assert kernels["saxpy"](64, 64, both[:64], both[1:], 1.0, 64)
    expected = np.concatenate([[0], np.arange(64)]).astype(np.float32)
    expected[:64] += np.arange(64)
    assert both.tolist() == expected.tolist()


def test_local_memory(kernels):
    data, out = np.arange(256, dtype=np.uint32), np.zeros(4, np.uint32)
    assert kernels["reduce"](256, 64, out, data, gcnsim.local(4 * 64))
    assert out.tolist() == data.reshape(4, 64).sum(1).tolist()


def test_two_dimensions(kernels):
    n = 16
    a, b = (np.random.default_rng(1).integers(-8, 8, (n, n)).astype(np.float32) for _ in range(2))
    c = np.zeros((n, n), np.float32)
    assert kernels["sgemm"]((n, n), (8, 8), c, a, b, n)
    assert np.array_equal(c, a @ b)


def test_offset_is_added_to_ids(kernels):
    out = np.zeros(8, np.uint32)
    assert kernels["grid3"].launch((2, 2, 2), (2, 2, 2), out, offset=(10, 20, 30))
    ids = [(x + 10) | (y + 20) << 8 | (z + 30) << 16 | 2 << 24 for z in (0, 1) for y in (0, 1) for x in (0, 1)]
    assert out.tolist() == ids


def test_structures_and_vectors_by_value(kernels):
    point = np.zeros(1, np.dtype([("tag", "u1"), ("x", "<i4"), ("w", "<f8")], align=True))
    point[0] = (3, -5, 0.5)
    out = np.zeros(4)
    v = np.array([1, 2, 3, 4], np.float32)
    assert kernels["struct_by_value"](4, 64, out, point, v, np.uint8(7))
    assert out.tolist() == [0.5 * i - 5 + 3 + 10 + 7 for i in range(4)]


def test_atomics_of_many_groups(kernels):
    data, bins = np.random.default_rng(2).integers(0, 256, 4096).astype(np.uint8), np.zeros(64, np.uint32)
    assert kernels["histogram"](1024, 256, bins, data, 4096)
    assert bins.tolist() == np.bincount(data & 63, minlength=64).tolist()


def test_halves_are_rounded(algorithms):
    y, x = np.ones(64, np.float16), np.arange(64, dtype=np.float16)
    assert algorithms["half_axpy"](64, 64, y, x, 0.25)
    assert np.array_equal(y, (1 + np.arange(64) / 4).astype(np.float16))


def test_names_of_kernels(kernels):
    assert "saxpy" in kernels and "nope" not in kernels
    assert list(kernels) == list(kernels.keys()) and len(kernels) == 20 and "collatz" in list(kernels)
    with pytest.raises(gcnsim.Error, match="there is no kernel 'sgem'; did you mean 'sgemm'"):
        kernels["sgem"]
    with pytest.raises(gcnsim.Error, match="there is no kernel 'elephants'; there are .*saxpy"):
        kernels["elephants"]


def test_arguments_are_described(kernels):
    arguments = kernels["saxpy"].arguments
    assert [(a["name"], a["type"], a["kind"], a["size"]) for a in arguments] == [
        (None, "float*", "buffer", 8),
        (None, "float*", "buffer", 8),
        (None, "float", "byvalue", 4),
        (None, "int", "byvalue", 4),
    ]


@pytest.mark.parametrize(
    "arguments, message",
    [
        ((np.zeros(64, np.float32),), "takes 4 arguments .float., float., float, int., not 1"),
        ((np.zeros(64), "x", 1.0, 1), r"float\*\): it points to float32, and the array holds float64.*astype"),
        ((np.zeros(128, np.float32)[::2], None, 1.0, 1), r"float\*\): .*ascontiguousarray"),
        ((np.float32(1), None, 1.0, 1), r"float\*\): it takes a pointer, and this is a number"),
        ((None, None, np.float64(1), 1), r"float\): it has 4 bytes, not 8: pass numpy.float32"),
        ((None, None, np.int32(1), 1), r"float\): it takes float32, and this is int32"),
        ((None, None, 1.0, 1.5), r"int\): it takes int32, and 1.5 is a float"),
        ((None, None, 1.0, 1 << 40), r"int\): 1099511627776 has no room in int32"),
        (("text", None, 1.0, 1), r"a str is nothing that a kernel takes"),
    ],
)
def test_arguments_that_do_not_fit(kernels, arguments, message):
    with pytest.raises(gcnsim.Error, match=message):
        kernels["saxpy"](64, 64, *arguments)


@pytest.mark.parametrize("grid, group, message", [
    ((), 64, "grid=.*one to three numbers"),
    ((1, 1, 1, 1), 64, "grid=.*one to three numbers"),
    (64, "x", "group=x"),
    (0, 64, "numbers above 0"),
    (-1, 64, "grid=-1"),
    (64, 2048, "2048 work-items"),
])
def test_grids_that_do_not_exist(kernels, grid, group, message):
    with pytest.raises(gcnsim.Error, match=message):
        kernels["collatz"](grid, group, np.zeros(64, np.uint32), 1)


def test_read_only_arrays_are_read(kernels):
    y, x = np.zeros(64, np.float32), np.arange(64, dtype=np.float32)
    x.flags.writeable = False
    assert kernels["saxpy"](64, 64, y, x, 1.0, 64)
    assert y[63] == 63
    assert kernels["saxpy"](64, 64, y, x.tobytes(), 1.0, 64)
    assert y[63] == 126


def test_a_store_to_a_read_only_array_is_a_fault(kernels):
    y = np.zeros(64, np.float32)
    y.flags.writeable = False
    run = kernels["saxpy"](64, 64, y, np.ones(64, np.float32), 1.0, 64)
    assert run.outcome == "fault" and not run
    assert run.detail["access"] == "store" and run.detail["near"] == {"buffer": "argument 0", "distance": 0, "side": "after"}
    assert not y.any()


def test_a_fault_is_a_value_or_an_exception(kernels):
    y, x = np.zeros(64, np.float32), np.ones(16, np.float32)
    run = kernels["saxpy"](64, 64, y, x, 1.0, 64)
    assert run.outcome == "fault"
    assert (run.detail["kind"], run.detail["near"]["buffer"], run.detail["near"]["side"]) == ("memory", "argument 1", "after")
    with pytest.raises(gcnsim.Fault, match=r"saxpy: fault \(memory\): load of 4 bytes at 0x.* lane 16, 1 byte after argument 1") as caught:
        kernels["saxpy"].launch(64, 64, y, x, 1.0, 64, raise_=True)
    assert caught.value.run.outcome == "fault" and isinstance(caught.value, ValueError)


def test_the_budget_stops_a_launch(corpus):
    dev = gcnsim.Device("gfx900", max_insts=1000)
    collatz = dev.load(corpus / "kernels" / "kernels-gfx900-v5-O2.co")["collatz"]
    run = collatz(64, 64, np.zeros(64, np.uint32), 0)
    assert (run.outcome, run.instructions) == ("budget", 1000)


def test_checks_of_every_execution(corpus):
    module = gcnsim.Device("gfx900", check=True).load(corpus / "kernels" / "kernels-gfx900-v5-O2.co")
    steps = np.zeros(64, np.uint32)
    assert module["collatz"](64, 64, steps, 1) and steps[26] == 111


def test_all_generations(corpus):
    for chip, file in [("gfx600", "v3-O2"), ("gfx701", "v2-O1"), ("fiji", "v4-O3"), ("gfx906:xnack-", "v4-Os")]:
        dev = gcnsim.Device(chip)
        name = {"fiji": "gfx803", "gfx906:xnack-": "gfx906"}.get(chip, chip)
        y, x = np.zeros(64, np.float32), np.arange(64, dtype=np.float32)
        assert dev.load(corpus / "kernels" / f"kernels-{name}-{file}.co")["saxpy"](64, 64, y, x, 2.0, 64)
        assert np.array_equal(y, 2 * x), chip


def test_what_is_no_device(corpus):
    with pytest.raises(gcnsim.Error, match="gfx1030"):
        gcnsim.Device("gfx1030")
    with pytest.raises(gcnsim.Error, match="jobs=0"):
        gcnsim.Device("gfx900", jobs=0)
    with pytest.raises(gcnsim.Error, match="gfx900"):
        gcnsim.Device("gfx803").load(corpus / "kernels" / "kernels-gfx900-v5-O2.co")


def test_what_is_no_code_object(dev, tmp_path):
    with pytest.raises(gcnsim.Error, match="nothing-here.co"):
        dev.load(tmp_path / "nothing-here.co")
    with pytest.raises(gcnsim.Error):
        dev.load(b"\x7fELF and nothing else")
    with pytest.raises(gcnsim.Error):
        dev.load(b"")


def test_buffers_belong_to_their_device(dev, kernels):
    other = gcnsim.Device("gfx900").buffer(256)
    with pytest.raises(gcnsim.Error, match="another device"):
        kernels["collatz"](64, 64, other, 1)
    assert other.device is not dev


def test_a_device_of_two_threads(kernels):
    results = {}

    def work(first):
        steps = np.zeros(256, np.uint32)
        for _ in range(20):
            assert kernels["collatz"](256, 64, steps, first)
        results[first] = steps.tolist()

    threads = [threading.Thread(target=work, args=(first,)) for first in (1, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    alone = np.zeros(1256, np.uint32)
    assert kernels["collatz"](1256, 64, alone, 1)
    assert results[1] == alone[:256].tolist() and results[1000] == alone[999:1255].tolist()


def test_the_gil_is_released(kernels):
    ticks, done = [], threading.Event()

    def tick():
        while not done.is_set():
            ticks.append(1)
            done.wait(0.001)

    thread = threading.Thread(target=tick)
    thread.start()
    try:
        assert kernels["collatz"].launch(1 << 18, 256, np.zeros(1 << 18, np.uint32), 1)
    finally:
        before = len(ticks)
        done.set()
        thread.join()
    assert before >= 3


def test_images_and_samplers(corpus, dev):
    images = dev.load(corpus / "kernels" / "images" / "images-gfx900-v5-Os.co")
    texels = np.random.default_rng(3).integers(0, 256, (8, 16, 4)).astype(np.uint8)
    source = dev.image("2d", (16, 8), "r8g8b8a8_uint", data=texels)
    target = dev.image("2d", (16, 8), "r8g8b8a8_uint")
    assert images["copy_uint"]((16, 8), (8, 8), target, source)
    assert np.array_equal(target.read(np.uint8).reshape(texels.shape), texels)
    assert (source.nbytes, source.read()) == (16 * 8 * 4, texels.tobytes())
    with pytest.raises(gcnsim.Error, match="did you mean 'r8g8b8a8_uint'"):
        dev.image("2d", (4, 4), "r8g8b8a8_uin")
    with pytest.raises(gcnsim.Error, match="has 512 bytes"):
        dev.image("2d", (16, 8), "r8g8b8a8_uint", data=b"1234")
    assert "linear: true" in repr(gcnsim.Sampler(filter="linear"))
    with pytest.raises(gcnsim.Error, match="there is no filter 'cubic'"):
        gcnsim.Sampler(filter="cubic")


def test_printed_text(corpus, dev):
    run = dev.load(corpus / "kernels" / "printf" / "gfx900-v5.co")["items"](3, 64, np.zeros(3, np.int32))
    assert run.printed == "item 0\nitem 1\nitem 2\n" and run.printed_missing is None
