"""OpenCL C to code objects, by the clang of the system."""

import hashlib
import os
import pathlib
import shutil
import subprocess
import tempfile

from ._gcnsim import Error

LIBRARIES = (
    "/usr/lib/x86_64-linux-gnu/amdgcn/bitcode",
    "/usr/lib/amdgcn/bitcode",
    "/usr/share/amdgcn/bitcode",
    "/opt/rocm/amdgcn/bitcode",
)

# The device libraries of Debian and Ubuntu are those of a clang whose name has its version.
VERSIONS = (*range(22, 14, -1), None)


class CompileError(Error):
    """The compiler refused the source. The message is what it said."""


def _tool(variable, name, versions):
    """Returns a tool: that of the environment, or the first in PATH of NAME-VERSION and NAME."""
    wanted = os.environ.get(variable)
    names = [wanted] if wanted else [f"{name}-{version}" if version else name for version in versions]
    for name in names:
        found = shutil.which(name)
        if found:
            return found
    raise Error(
        f"there is no {names[-1]}: install clang, lld and the device libraries (Debian: clang lld rocm-device-libs), or "
        f"set {variable}"
    )


def _libraries():
    """Returns the folder of the device libraries; None if clang has to find them."""
    wanted = os.environ.get("DEVICE_LIBS")
    if wanted:
        return wanted
    return next((folder for folder in LIBRARIES if os.path.isdir(folder)), None)


def _run(words, folder):
    done = subprocess.run(words, capture_output=True, cwd=folder, stdin=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        raise CompileError(done.stderr.decode(errors="replace").strip() or f"{words[0]}: exit code {done.returncode}")


def _target(chip):
    return ["-target", "amdgcn-amd-amdhsa", f"-mcpu={chip}"]


def _opencl(source):
    return ["-x", "cl", "-cl-std=CL2.0", "-Xclang", "-finclude-default-header", "-cl-kernel-arg-info", "-O2", source]


def _plain(chip, options, folder):
    libraries = _libraries()
    place = [f"--rocm-device-lib-path={libraries}"] if libraries else []
    clang = _tool("CLANG", "clang", VERSIONS)
    _run([clang, *_target(chip), *_opencl("source.cl"), *place, *options, "-o", "out.co"], folder)


def _printing(chip, options, folder):
    """clang puts format strings into the object only for pointers with types, and the libraries have pointers without.
    So clang 15 compiles without the libraries, opt rewrites the pointers, and llvm-link adds the libraries."""
    clang, opt, link = (_tool(*names, (15,)) for names in (("CLANG", "clang"), ("OPT", "opt"), ("LLVM_LINK", "llvm-link")))
    libraries = _libraries() or LIBRARIES[0]
    parts = ["opencl", "ocml", "ockl", f"oclc_isa_version_{chip.split(':')[0].replace('gfx', '')}"]
    parts += ["oclc_abi_version_400", "oclc_wavefrontsize64_on", "oclc_daz_opt_off", "oclc_finite_only_off"]
    parts += ["oclc_unsafe_math_off", "oclc_correctly_rounded_sqrt_on"]
    typed = ["-nogpulib", "-emit-llvm", "-Xclang", "-no-opaque-pointers", *options, "-c", "-o", "typed.bc"]
    _run([clang, *_target(chip), *_opencl("source.cl"), *typed], folder)
    _run([opt, "-opaque-pointers", "typed.bc", "-o", "opaque.bc"], folder)
    _run([link, "--only-needed", "opaque.bc", *(f"{libraries}/{part}.bc" for part in parts), "-o", "linked.bc"], folder)
    _run([clang, *_target(chip), "-nogpulib", "-O2", "-x", "ir", "linked.bc", "-o", "out.co"], folder)


def _cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return pathlib.Path(base) / "gcnsim" / "compiled"


def _key(source, chip, options, printf):
    tools = [_tool("CLANG", "clang", (15,) if printf else VERSIONS), str(_libraries())]
    stamp = [str(os.stat(os.path.realpath(tools[0])).st_mtime_ns)]
    words = "\0".join([source, chip, repr(printf), *options, *tools, *stamp])
    return hashlib.sha256(words.encode()).hexdigest()


def compile(source, chip, options=(), printf=False):
    """Compiles OpenCL C with the system's clang, and returns the code object as bytes, for Device.load.

    chip:    LLVM's name or a target id: gfx900, gfx906:xnack-
    options: further options of clang: ["-g", "-O1", "-DN=4"]
    printf:  the kernel prints: needs clang, opt and llvm-link 15 (examples/compile-printf.sh)

    What was compiled before is taken from ~/.cache/gcnsim. CLANG, OPT, LLVM_LINK and DEVICE_LIBS name other tools.
    CompileError has what the compiler says.
    """
    options = list(options)
    cached = _cache() / (_key(source, chip, options, printf) + ".co")
    if cached.is_file():
        return cached.read_bytes()
    with tempfile.TemporaryDirectory() as folder:
        pathlib.Path(folder, "source.cl").write_text(source, encoding="utf-8")
        (_printing if printf else _plain)(chip, options, folder)
        code = pathlib.Path(folder, "out.co").read_bytes()
    try:
        cached.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=cached.parent, delete=False) as file:
            file.write(code)
        os.replace(file.name, cached)
    except OSError:
        # A cache that cannot be written costs time only.
        pass
    return code
