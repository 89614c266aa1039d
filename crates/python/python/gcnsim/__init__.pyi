"""Types of the module gcnsim. help(gcnsim) says what everything does."""

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, Union

__version__: str
__all__: list[str]

Path = Union[str, "os.PathLike[str]"]
Paths = Union[Path, Sequence[Path]]
# An object with the buffer protocol: an array of numpy, array.array, bytes, ..
Array = Any
Sizes = Union[int, Sequence[int]]
# An array, Buffer, Pointer, number, local, Image, Descriptor, Sampler, None.
Argument = Any
Outcome = Literal["ended", "fault", "budget", "unsupported", "trap", "halted"]

class Error(ValueError): ...

class Fault(Error):
    run: Run

class CommandError(Error):
    code: int

class CompileError(Error): ...

class Device:
    def __init__(
        self, chip: str = "gfx900", jobs: int | None = None, check: bool = False, max_insts: int | None = None
    ) -> None: ...
    arch: str
    chip: str
    def load(self, file: Path | Array) -> Module: ...
    def buffer(self, data: Array | int, name: str = "buffer") -> Buffer: ...
    def image(
        self,
        type: str,
        size: Sizes,
        format: str,
        layers: int | None = None,
        levels: int | None = None,
        data: Array | None = None,
    ) -> Image: ...

class Module:
    device: Device
    def __getitem__(self, name: str) -> Kernel: ...
    def __contains__(self, name: object) -> bool: ...
    def __iter__(self) -> Iterator[str]: ...
    def __len__(self) -> int: ...
    def keys(self) -> tuple[str, ...]: ...

class Kernel:
    name: str
    device: Device
    arguments: list[dict[str, Any]] | None
    def __call__(self, grid: Sizes, group: Sizes, *args: Argument) -> Run: ...
    def launch(
        self,
        grid: Sizes,
        group: Sizes,
        *args: Argument,
        offset: Sizes | None = None,
        profile: bool = False,
        sanitize: str | bool | None = None,
        raise_: bool = False,
    ) -> Run: ...
    def trace(
        self,
        grid: Sizes,
        size: Sizes,
        *args: Argument,
        group: Sizes | None = None,
        wave: int = 0,
        most: int = 100000,
        offset: Sizes | None = None,
    ) -> Trace: ...

class Buffer:
    def __init__(self, device: Device, data: Array | int, name: str = "buffer") -> None: ...
    device: Device
    name: str
    address: int
    nbytes: int
    def __len__(self) -> int: ...
    def __buffer__(self, flags: int) -> memoryview: ...
    def read(self, dtype: Any = None) -> Any: ...
    def tobytes(self) -> bytes: ...
    def write(self, array: Array, offset: int = 0) -> None: ...
    def fill(self, byte: int = 0) -> None: ...
    def at(self, offset: int) -> Pointer: ...

class Pointer:
    buffer: Buffer
    address: int
    nbytes: int

class Image:
    address: int
    nbytes: int
    def read(self, dtype: Any = None) -> Any: ...
    def write(self, array: Array, offset: int = 0) -> None: ...
    def descriptor(self) -> Descriptor: ...

class Descriptor: ...

class Sampler:
    def __init__(
        self,
        *,
        address: str | Sequence[str] = ...,
        filter: str = "nearest",
        mip: str = "none",
        normalized: bool = True,
        compare: str = "never",
        border: str = "transparent_black",
        min_lod: float = 0,
        max_lod: float = 15,
        lod_bias: float = 0,
    ) -> None: ...

class local:
    def __init__(self, nbytes: int) -> None: ...
    nbytes: int

class Run:
    kernel: Kernel
    outcome: Outcome
    detail: dict[str, Any] | None
    instructions: int
    notes: list[str]
    printed: str
    printed_missing: str | None
    profile: Profile | None
    findings: list[dict[str, Any]] | None
    findings_text: str | None
    seconds: float
    compile_seconds: float
    one_thread: str | None
    def __bool__(self) -> bool: ...

class Profile(dict[str, Any]):
    def __getattr__(self, name: str) -> Any: ...
    def hot_lines(self, count: int = 10) -> list[dict[str, Any]]: ...
    def hot_regions(self, count: int = 10) -> list[dict[str, Any]]: ...

class Trace(Sequence[Step]):
    run: Run

class Step:
    pc: int
    text: str
    source: str | None
    written: Mapping[str, int | list[int]]

def compile(source: str, chip: str, options: Sequence[str] = (), printf: bool = False) -> bytes: ...
def command() -> str: ...
def disasm(file: Path | Array, kernel: str | None = None, arch: str | None = None) -> str: ...
def batch(paths: Paths, **flags: Any) -> Iterator[dict[str, Any]]: ...
def lint(paths: Paths, **flags: Any) -> Iterator[dict[str, Any]]: ...
def diff(old: Path, new: Path, **flags: Any) -> Iterator[dict[str, Any]]: ...
