"""Batches on a cluster of Dask: on a laptop, of Slurm (dask-jobqueue), of Kubernetes (dask-kubernetes).

    from distributed import Client
    import gcnsim.dask
    for result in gcnsim.dask.run(Client(..), "shaders/", shards=64, synthetic=True): ..

Needs the packages distributed and, for object stores, fsspec: pip install gcnsim[dask]. The module gcnsim, with its
command, has to be installed on all workers.
"""

import contextlib
import gzip
import json
import os
import pathlib
import posixpath
import subprocess
import tempfile
from typing import Any, Callable, Iterator, Optional, Sequence, Union

from . import _commands
from ._gcnsim import Error

__all__ = ["run"]

Path = Union[str, os.PathLike]
Paths = Union[Path, Sequence[Path]]

# What the shards of a run are not for: files of their own, and other ways to cut a batch.
_REFUSED = (
    "baseline",
    "coverage",
    "force",
    "junit",
    "deqp_csv",
    "ledger",
    "plan",
    "report",
    "resume",
    "shard",
    "write_ledger",
)
# Names of files that a batch takes from folders; their contents stay where they are until a worker needs them.
_SHADERS = (".bin", ".co", ".hsaco", ".hipfb", ".o", ".elf", ".rgp", ".sb", ".clo")


def run(
    client: Any,
    paths: Paths,
    *,
    shards: Optional[int] = None,
    out: Union[str, os.PathLike, None] = None,
    retries: int = 2,
    progress: Optional[Callable[[int, int], None]] = None,
    storage_options: Optional[dict] = None,
    **options: Any,
) -> Iterator[dict]:
    """Runs every shader of a corpus on the workers of a cluster: an iterator of dicts, those that gcnsim.batch yields,
    in the same order. The last one is the closing record, with the digest that one machine would have.

    client:   a distributed.Client
    paths:    a file, folder or archive, or several, which the workers find under the same names (in the folder in which
              this process is); or addresses of fsspec ("s3://bucket/shaders"), files or folders, of which each worker
              fetches what it needs
    shards:   number of parts, of about as many bytes each [default: four for each thread of the cluster]
    out:      a file for the results, too, as `gcnsim batch --out` writes it
    retries:  how often a part is tried again after an error, besides those whose worker is lost
    progress: called with the number of parts that are done, and that of all
    storage_options: what fsspec needs to open the addresses
    options:  flags of `gcnsim batch`, with `_`; jobs is 1 if it is not named
    """
    refused = [key for key in _REFUSED if options.get(key)]
    if refused:
        raise Error(f"{refused[0]}: is no option of a run on a cluster")
    paths = _commands._paths(paths)
    if not paths:
        raise Error("there are no paths")
    if shards is not None and shards < 1:
        raise Error(f"shards={shards}: expected a number from 1")
    remote = ["://" in path for path in paths]
    if any(remote) and not all(remote):
        raise Error("paths are either addresses of fsspec or paths, not both")
    if shards is None:
        shards = max(1, 4 * sum(client.nthreads().values()))
    options.setdefault("jobs", 1)
    with contextlib.ExitStack() as kept:
        folder = pathlib.Path(kept.enter_context(tempfile.TemporaryDirectory(prefix="gcnsim-")))
        store = _Store(paths, storage_options or {}) if any(remote) else None
        lists = _plan(folder, paths, store, shards)
        results = folder / "results"
        results.mkdir()
        words = _commands.flags_of(options)
        _compute(client, lists, words, store, results, retries, progress)
        merged = pathlib.Path(out) if out is not None else folder / "merged.jsonl"
        _gcnsim(["merge", str(results), "--out", str(merged), "--force"])
        file = kept.enter_context(open(merged, encoding="utf-8"))
        return _lines(file, kept.pop_all())


def _lines(file, kept):
    with kept:
        for line in file:
            yield json.loads(line)


def _gcnsim(words, cwd=None):
    """Runs the command. Returns its exit code if it is one of a batch that ran."""
    done = subprocess.run(
        [_commands.command(), *words],
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode not in (0, 1, 3):
        raise _commands._failed(done.returncode, done.stderr)
    return done


class _Store:
    """The files of addresses: where they are, and under which names workers put them."""

    def __init__(self, addresses, options):
        from fsspec.core import url_to_fs

        self.options = options
        self.roots = []
        # The places in the store, and the sizes, by name. A name is a place without slashes in front.
        self.places, self.sizes = {}, {}
        self.fs = None
        for address in addresses:
            fs, path = url_to_fs(address, **options)
            if self.fs is not None and fs != self.fs:
                raise Error("all addresses have to be of one file system")
            self.fs = fs
            found = fs.find(path, detail=True)
            if not found:
                raise Error(f"no such file or folder: {address}")
            self.roots.append(path.strip("/"))
            for place, entry in found.items():
                name = place.lstrip("/")
                if ".." in name.split("/"):
                    raise Error(f"{place}: a name with .. is not fetched")
                self.places[name], self.sizes[name] = place, entry.get("size")
        archives = [name for name in self.sizes if name.endswith(".tar")]
        if archives:
            raise Error(f"{archives[0]}: archives are not read from object stores")
        self.address = addresses[0]

    def skeleton(self, folder):
        """Makes the files in a folder: shaders as long as they are, but empty; what lies beside them whole."""
        for name, size in self.sizes.items():
            place = folder / name
            place.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(_SHADERS):
                with open(place, "wb") as file:
                    file.truncate(size or 0)
            else:
                self.fs.get_file(self.places[name], str(place))

    def beside(self, names, shaders):
        """Returns the files that a worker needs for some shaders, with places and sizes: these, and what else is in
        their folders."""
        folders = {posixpath.dirname(name) for name in names}
        others = [name for name in self.sizes if name not in shaders and posixpath.dirname(name) in folders]
        return [(name, self.places[name], self.sizes[name]) for name in [*names, *others]]


def _plan(folder, paths, store, shards):
    """Returns the lists of the parts as bytes."""
    cwd = None
    if store is not None:
        cwd = folder / "skeleton"
        cwd.mkdir()
        store.skeleton(cwd)
        paths = store.roots
    plan = folder / "plan"
    _gcnsim(["batch", f"--plan={shards}", f"--out={plan}", "--", *paths], cwd)
    return [(plan / f"part-{number}.txt").read_bytes() for number in range(1, shards + 1)]


def _names(text):
    """Returns the paths in a list: those behind its first line."""
    separator = b"\0" if b"\0" in text else b"\n"
    return [os.fsdecode(line) for line in text.split(separator)[1:] if line]


def _compute(client, lists, words, store, results, retries, progress):
    from distributed import as_completed

    if store is None:
        work = [(text, words, os.getcwd(), None) for text in lists]
    else:
        shaders = {name for text in lists for name in _names(text)}
        stored = (store.address, store.options)
        work = [(text, words, None, (*stored, store.beside(_names(text), shaders))) for text in lists]
    futures = [client.submit(_work, *arguments, pure=False, retries=retries) for arguments in work]
    numbers = {future.key: number for number, future in enumerate(futures, 1)}
    try:
        for done, (future, packed) in enumerate(as_completed(futures, with_results=True), 1):
            (results / f"part-{numbers[future.key]}.jsonl").write_bytes(gzip.decompress(packed))
            future.release()
            if progress is not None:
                progress(done, len(futures))
    finally:
        client.cancel([future for future in futures if not future.done()])


def _work(text, words, cwd, stored):
    """Runs one part on a worker. Returns its results, packed."""
    with tempfile.TemporaryDirectory(prefix="gcnsim-") as folder:
        if stored is not None:
            cwd = os.path.join(folder, "files")
            _fetch(stored, cwd)
        elif not os.path.isdir(cwd):
            raise Error(f"the worker has no folder {cwd}: paths have to be the same on all machines")
        part = os.path.join(folder, "part.txt")
        with open(part, "wb") as file:
            file.write(text)
        out = os.path.join(folder, "part.jsonl")
        _gcnsim(["batch", f"--out={out}", *words, "--", "@" + part], cwd)
        with open(out, "rb") as file:
            return gzip.compress(file.read(), 3)


def _fetch(stored, folder):
    """Fetches files of a store into a folder."""
    from fsspec.core import url_to_fs

    address, options, files = stored
    fs, _ = url_to_fs(address, **options)
    os.makedirs(folder, exist_ok=True)
    for name, place, size in files:
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        fs.get_file(place, path)
        if size is not None and os.path.getsize(path) != size:
            raise Error(f"{place}: {os.path.getsize(path)} bytes came, and {size} are there")
