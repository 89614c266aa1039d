#!/usr/bin/env python3
"""Compiles the shaders of corpus/shaders/glsl (or of other folders) with RADV's null device, for each generation.

    make_radv_corpus.py OUT [--chips tahiti,bonaire,polaris10,vega10] [--no-optimise] [--limit N] [--match TEXT]
                        [--sample FILE.tar.gz] [--llvm] [--aco-debug noopt,novn,nosched]

Writes OUT/GENERATION/NAME.STAGE.bin with NAME.STAGE.toml beside it; with --llvm NAME.STAGE.elf. --sample packs half of
what is in OUT: the shaders of a pipeline from two generations, which two alternates from pipeline to pipeline.
--no-optimise is a flag of the pipeline, so that stages are not linked; --aco-debug turns passes of the back end off. Needs
Debian's mesa-vulkan-drivers (22.3), libvulkan-dev, glslang-tools and a C compiler.
"""

import argparse
import collections
import gzip
import io
import subprocess
import sys
import tarfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from gcnradv import driver, files, pipelines, sources  # noqa: E402

HERE = Path(__file__).parent
NUMBERS = {"vert": 0, "tesc": 1, "tese": 2, "geom": 3, "frag": 4, "comp": 5}


def build_driver(folder):
    """Compiles radvdump.c; returns the program's path."""
    program = Path(folder) / "radvdump"
    source = HERE / "radvdump.c"
    if not program.exists() or program.stat().st_mtime < source.stat().st_mtime:
        subprocess.run(["cc", "-O1", "-o", program, source, "-lvulkan"], check=True)
    return program


def prepare(all_pipelines, folder, extra=(), report=None):
    """Compiles to SPIR-V. Returns [(pipeline, stages)]; counts what fails in `report`."""
    ready = []
    for pipeline in all_pipelines:
        try:
            ready.append((pipeline, pipelines.complete(pipeline, folder, extra)))
        except (pipelines.NoPipeline, ValueError, KeyError) as error:
            if report is not None:
                report[f"{type(error).__name__}: {str(error).split(':')[-1].strip()[:60]}"].append(
                    (pipeline.name, str(error))
                )
    return ready


def write(ready, out, program, chip, optimise=True, environment=None, report=None):
    """Compiles the pipelines for a chip and writes their shaders. Returns how many of each stage."""
    arch, counts, seen = driver.CHIPS[chip], collections.Counter(), set()
    jobs, which = [], []
    for pipeline, stages in ready:
        try:
            jobs.append(pipelines.job(pipeline, stages, optimise))
            which.append((pipeline, stages))
        except (pipelines.NoPipeline, KeyError) as error:
            if report is not None:
                report[str(error)].append((pipeline.name, ""))
    out.mkdir(parents=True, exist_ok=True)
    for index, data in driver.Driver(program, chip, environment).compile(jobs):
        pipeline, stages = which[index]
        if data is None:
            if report is not None:
                report["refused by the driver"].append((f"{chip} {pipeline.name}", ""))
            continue
        present = {NUMBERS[stage] for stage in stages}
        group = stages["comp"][1].group if "comp" in stages else None
        for shader in driver.shaders_of(data, arch, present):
            name = f"{pipeline.name}.{shader.stage}"
            wanted = pipeline.options.get("keep")
            key = (shader.code, shader.elf, shader.rsrc1, shader.rsrc2, shader.ps_input_addr)
            if (wanted and shader.stage not in wanted) or (pipeline.options.get("once") and key in seen):
                continue
            seen.add(key)
            # What LLVM writes into .AMDGPU.config lacks what the driver adds: the sidecar has it.
            (out / f"{name}.{'elf' if shader.elf else 'bin'}").write_bytes(shader.elf or shader.code)
            (out / f"{name}.toml").write_text(files.sidecar(shader, arch, group))
            counts[shader.stage] += 1
    return counts


def write_sample(out, path):
    """Packs half of the shaders into a tar file, the same bytes for the same shaders."""
    names = sorted({file.name.split(".")[0] for file in out.glob("gcn*/*.bin")})
    pairs = (("gcn1.0", "gcn1.2"), ("gcn1.1", "gcn1.4"))
    buffer, count = io.BytesIO(), 0
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for index, name in enumerate(names):
            for arch in pairs[index % 2]:
                for file in sorted((out / arch).glob(f"{name}.*")):
                    data = file.read_bytes()
                    entry = tarfile.TarInfo(f"{arch}/{file.name}")
                    entry.size = len(data)
                    archive.addfile(entry, io.BytesIO(data))
                    count += file.suffix == ".bin"
    with open(path, "wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(buffer.getvalue())
    print(f"{count} shaders in {path}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("out", type=Path)
    parser.add_argument("--chips", default="tahiti,bonaire,polaris10,vega10")
    parser.add_argument("--no-optimise", action="store_true")
    parser.add_argument("--llvm", action="store_true", help="LLVM in place of ACO: objects with .AMDGPU.config")
    parser.add_argument("--aco-debug", metavar="LIST", help="the value of Mesa's ACO_DEBUG")
    parser.add_argument("--limit", type=int)
    parser.add_argument("--match", default="")
    parser.add_argument("--sample", type=Path)
    parser.add_argument("--sources", type=Path, default=HERE.parent / "shaders" / "glsl")
    arguments = parser.parse_args()
    spv = arguments.out / "spv"
    spv.mkdir(parents=True, exist_ok=True)
    program = build_driver(arguments.out)
    report = collections.defaultdict(list)
    all_pipelines = [p for p in sources.read(arguments.sources) if arguments.match in p.name][: arguments.limit]
    # Of a pipeline that was made around one stage, only that stage is of interest.
    for pipeline in all_pipelines:
        if len(pipeline.stages) == 1 and "vert" in pipeline.stages:
            pipeline.options["keep"] = ["vertex"]
        if len(pipeline.stages) == 1 and "frag" in pipeline.stages:
            pipeline.options["keep"] = ["pixel"]
    ready = prepare(all_pipelines, spv, report=report)
    for chip in arguments.chips.split(","):
        environment = {"RADV_DEBUG": "llvm"} if arguments.llvm else {}
        if arguments.aco_debug:
            environment["ACO_DEBUG"] = arguments.aco_debug
        folder = arguments.out / driver.CHIPS[chip]
        counts = write(ready, folder, program, chip, not arguments.no_optimise, environment, report)
        print(chip, sum(counts.values()), dict(sorted(counts.items())))
    if arguments.sample:
        write_sample(arguments.out, arguments.sample)
    for reason, names in sorted(report.items(), key=lambda item: -len(item[1])):
        print(f"{len(names):5} {reason}: {', '.join(name for name, _ in names[:8])}")
    for names in report.values():
        for name, text in names[:3]:
            if text:
                print(name, text)


if __name__ == "__main__":
    main()
