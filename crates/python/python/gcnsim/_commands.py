"""What the command gcnsim does, as functions: they start it, and read what it prints."""

import json
import os
import pathlib
import shutil
import subprocess
import sysconfig
import tempfile

from ._gcnsim import Error


class CommandError(Error):
    """The command refused its arguments or failed. `code` is its exit code: 2 wrong usage or unreadable input, 3 a
    mistake of gcnsim."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


def command():
    """Returns the path of the command: that of GCNSIM, the one installed with this module, or one in PATH."""
    places = [os.environ.get("GCNSIM")]
    for scheme in (None, "user"):
        name = sysconfig.get_preferred_scheme("user") if scheme and hasattr(sysconfig, "get_preferred_scheme") else None
        folder = sysconfig.get_path("scripts", name) if name else sysconfig.get_path("scripts")
        places.append(os.path.join(folder, "gcnsim"))
    # pip install --target DIR puts commands into DIR/bin.
    places.append(str(pathlib.Path(__file__).parent.parent / "bin" / "gcnsim"))
    for place in places:
        if place and os.access(place, os.X_OK):
            return place
    found = shutil.which("gcnsim")
    if found is None:
        raise Error("there is no command 'gcnsim': install the wheel, or set GCNSIM to its path")
    return found


def flags_of(flags):
    """Returns keyword arguments as flags: max_insts=5 is --max-insts=5, no_check=True is --no-check, a list is a flag
    for each item. None and False are left out."""
    words = []
    for key, value in flags.items():
        flag = "--" + key.replace("_", "-")
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if item is True:
                words.append(flag)
            elif item is not None and item is not False:
                words.append(f"{flag}={os.fspath(item) if isinstance(item, os.PathLike) else item}")
    return words


def _paths(paths):
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    return [os.fspath(path) for path in paths]


def _failed(code, errors):
    text = errors.strip()
    for mark in ("error: ", "gcnsim: "):
        if text.startswith(mark):
            text = text[len(mark) :]
    return CommandError(text or f"gcnsim ended with exit code {code}", code)


def _lines(words):
    """Starts the command, and yields the objects that it prints, one a line. Who stops reading stops the command."""
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        with subprocess.Popen(
            [command(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=errors
        ) as process:
            try:
                for line in process.stdout:
                    yield json.loads(line)
                code = process.wait()
            finally:
                if process.poll() is None:
                    process.terminate()
        if code not in (0, 1):
            errors.seek(0)
            raise _failed(code, errors.read())


def batch(paths, **flags):
    """Runs every shader of a corpus: an iterator of dicts, one for each result, in the order of the inputs. The last one
    is the closing record (schema "gcnsim.batch-end.v1").

    paths: a file, folder or archive, or several
    flags: those of `gcnsim batch`, with `_`: synthetic=True, max_insts=1000, jobs=2, shard="1/4"
    """
    if flags.get("out") is None:
        flags["out"] = "-"
    elif str(flags["out"]) != "-":
        raise Error("out: the results are what this function yields; `gcnsim batch --out` writes a file")
    return _lines(["batch", *flags_of(flags), "--", *_paths(paths)])


def lint(paths, **flags):
    """Finds mistakes that execution does not show: an iterator of dicts, one for each finding or file.

    flags: those of `gcnsim lint`, with `_`
    """
    return _lines(["lint", "--json", *flags_of(flags), "--", *_paths(paths)])


def diff(old, new, **flags):
    """Says whether two compilations of shaders do the same: an iterator of dicts, one for each pair, then the summary.

    flags: those of `gcnsim diff`, with `_`: tolerance=0, synthetic="float", max_insts=1000
    """
    return _lines(["diff", "--json", *flags_of(flags), "--", os.fspath(old), os.fspath(new)])


def disasm(file, kernel=None, arch=None):
    """Returns the listing of a file, or of its bytes.

    kernel: one kernel only
    arch:   the generation of a raw file, or which part of a file with several
    """
    words = ["disasm", *flags_of({"arch": arch}), "--"]
    given = None
    if isinstance(file, (str, os.PathLike)):
        words.append(os.fspath(file))
    else:
        words.append("-")
        given = bytes(file)
    done = subprocess.run(
        [command(), *words], input=given, stdin=None if given else subprocess.DEVNULL, capture_output=True, check=False
    )
    if done.returncode != 0:
        raise _failed(done.returncode, done.stderr.decode(errors="replace"))
    listing = done.stdout.decode()
    return listing if kernel is None else _of_kernel(listing, kernel)


def _of_kernel(listing, kernel):
    """Returns the parts of a listing that are of one kernel. Parts are separated by empty lines."""
    parts = [part for part in listing.split("\n\n") if part.startswith("; kernel ")]
    found = [part.rstrip("\n") + "\n" for part in parts if part.startswith(f"; kernel {kernel} (")]
    if not found:
        names = ", ".join(part.split(" (", 1)[0][len("; kernel ") :] for part in parts[:20])
        raise Error(f"there is no kernel '{kernel}'; there are {names}")
    return "\n".join(found)
