"""The recipes of docs/use/machines.md: they run here as their systems run them, and give the digest of one run."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

import gcnsim

PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/use/machines.md"
FILES = dict(re.findall(r"^```\w+ (\S+)\n(.*?)^```", PAGE.read_text(), re.DOTALL | re.MULTILINE))


def shell(script, folder, **environment):
    """Runs a script in a folder, with the command in its PATH."""
    path = os.pathsep.join([os.path.dirname(gcnsim.command()), os.path.dirname(sys.executable), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, **environment}
    words = ["bash", "-c", script]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def end(file):
    """Returns the digest of complete results, and the number of their entries."""
    closing = json.loads(file.read_text().splitlines()[-1])
    assert closing["schema"] == "gcnsim.batch-end.v1" and closing["shard"] is None
    return closing["digest"], closing["entries"]


@pytest.fixture()
def folder(tmp_path, corpus):
    """A folder with shaders, sidecars among them, and with what one run of them gives in one.jsonl."""
    shaders = tmp_path / "shaders"
    for part in ("a", "b"):
        (shaders / part).mkdir(parents=True)
    for number, file in enumerate(sorted((corpus / "programs").glob("*-gcn1.0.bin"))[:30]):
        place = shaders / "ab"[number % 2]
        shutil.copy(file, place)
        shutil.copy(file.with_suffix(".toml"), place)
    shutil.copy(corpus / "kernels" / "kernels-gfx900-v5-O2.co", shaders / "b" / "kernels.co")
    shutil.copy(corpus / "kernels" / "kernels.json", shaders / "b")
    # It does not end, and this is no failure of a job.
    (shaders / "a" / "endless.bin").write_bytes(b"\xff\xff\x82\xbf")
    shell("gcnsim batch shaders/ --out one.jsonl || [ $? -eq 1 ]", tmp_path)
    return tmp_path


def test_slurm(folder):
    shell("gcnsim batch shaders/ --plan 16 --out plan/", folder)
    for number in range(1, 17):
        shell(FILES["slurm.sh"], folder, SLURM_ARRAY_TASK_ID=str(number), SLURM_CPUS_PER_TASK="1")
    # One that was done is done once more when its job is requeued.
    shell(FILES["slurm.sh"], folder, SLURM_ARRAY_TASK_ID="3", SLURM_CPUS_PER_TASK="1")
    shell("gcnsim merge results/ --out run.jsonl", folder)
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")


def test_slurm_takes_it():
    if shutil.which("sbatch") is None:
        pytest.skip("there is no sbatch")
    words = ["sbatch", "--test-only"]
    done = subprocess.run(words, input=FILES["slurm.sh"], text=True, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr


def test_parallel(folder):
    if shutil.which("parallel") is None:
        pytest.skip("there is no GNU parallel")
    shell(FILES["parallel.sh"], folder)
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")


def test_kubernetes(folder):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    job = yaml.safe_load(FILES["job.yaml"])
    container = job["spec"]["template"]["spec"]["containers"][0]
    shell("gcnsim batch shaders/ --plan 16 --out plan/", folder)
    for index in range(job["spec"]["completions"]):
        assert container["command"] == ["sh", "-c"]
        shell(container["args"][0], folder, JOB_COMPLETION_INDEX=str(index))
    shell("gcnsim merge results/ --out run.jsonl", folder)
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")


def test_kubernetes_takes_it():
    schemas = pytest.importorskip("kubernetes_validate", reason="kubernetes-validate is not installed")
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    job = yaml.safe_load(FILES["job.yaml"])
    schemas.validate(job, schemas.latest_version(), strict=True)
    job["spec"]["completion"] = job["spec"].pop("completions")
    with pytest.raises(schemas.ValidationError):
        schemas.validate(job, schemas.latest_version(), strict=True)


def test_snakemake(folder):
    path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
    snakemake = shutil.which("snakemake", path=path)
    if snakemake is None:
        pytest.skip("there is no snakemake")
    (folder / "Snakefile").write_text(FILES["Snakefile"])
    shell(f"{snakemake} --cores 2", folder)
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")


def test_the_files_of_ci_systems(folder):
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    (folder / "baseline.jsonl").write_text((folder / "one.jsonl").read_text())
    shell("gcnsim batch shaders/ --out known.jsonl --write-ledger known.txt", folder)

    def lines(script):
        return "\n".join(["set -e", *(line for line in script if line.startswith("gcnsim "))])

    gitlab = yaml.safe_load(FILES["gitlab-ci.yml"])
    jobs = gitlab["part"]["parallel"]
    for index in range(1, jobs + 1):
        done = shell(lines(gitlab["part"]["script"]), folder, CI_NODE_INDEX=str(index), CI_NODE_TOTAL=str(jobs))
        assert f"--shard {index}/{jobs}, as CI_NODE_INDEX says" in done.stderr
    shell(lines(gitlab["whole"]["script"]), folder)
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")
    for file in folder.glob("part-*.jsonl"):
        file.unlink()
    (folder / "run.jsonl").unlink()

    github = yaml.safe_load(FILES["action.yml"])["jobs"]
    part = lines(step.get("run", "") for step in github["part"]["steps"])
    for number in github["part"]["strategy"]["matrix"]["part"]:
        shell(part.replace("${{ matrix.part }}", str(number)), folder)
    (folder / "parts").mkdir()
    for file in folder.glob("part-*.jsonl"):
        file.rename(folder / "parts" / file.name)
    summary = folder / "summary.txt"
    shell(lines(step.get("run", "") for step in github["whole"]["steps"]), folder, GITHUB_STEP_SUMMARY=str(summary))
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")
    assert summary.stat().st_size > 0


# Batches on a cluster of Dask.


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed", reason="distributed is not installed")
    cluster = distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None, silence_logs=50
    )
    with cluster, distributed.Client(cluster) as client:
        yield client


def test_dask(client, folder, monkeypatch):
    import gcnsim.dask

    monkeypatch.chdir(folder)
    told = []
    options = {"shards": 7, "out": "run.jsonl", "progress": lambda *done: told.append(done)}
    results = list(gcnsim.dask.run(client, "shaders/", **options))
    assert end(folder / "run.jsonl") == end(folder / "one.jsonl")
    one = [json.loads(line) for line in (folder / "one.jsonl").read_text().splitlines()]
    names = [(result.get("file"), result.get("kernel"), result.get("state_hash")) for result in results]
    assert names == [(line.get("file"), line.get("kernel"), line.get("state_hash")) for line in one]
    assert results[-1]["digest"] == one[-1]["digest"]
    assert told == [(number, 7) for number in range(1, 8)]


def test_dask_flags_and_more_parts_than_files(client, folder, monkeypatch):
    import gcnsim.dask

    monkeypatch.chdir(folder)
    shell("gcnsim batch shaders/a --max-insts 50 --interp --out few.jsonl || [ $? -eq 1 ]", folder)
    *_, last = gcnsim.dask.run(client, ["shaders/a"], shards=40, max_insts=50, interp=True)
    assert (last["digest"], last["entries"]) == end(folder / "few.jsonl")


def test_dask_goes_on_without_a_worker(client, folder, monkeypatch):
    import signal

    import gcnsim.dask

    monkeypatch.chdir(folder)
    killed = []

    def progress(done, _):
        # The worker that has the next part dies with it; its nanny makes another.
        if not killed:
            killed.append(client.run(os.getpid))
            os.kill(next(iter(killed[0].values())), signal.SIGKILL)

    *_, last = gcnsim.dask.run(client, "shaders/", shards=12, progress=progress)
    assert killed
    assert (last["digest"], last["entries"]) == end(folder / "one.jsonl")


@pytest.mark.parametrize("scheme", ["file", "memory"])
def test_dask_fetches_what_workers_need(client, folder, monkeypatch, tmp_path_factory, scheme):
    fsspec = pytest.importorskip("fsspec", reason="fsspec is not installed")
    import gcnsim.dask

    elsewhere = tmp_path_factory.mktemp("elsewhere")
    monkeypatch.chdir(elsewhere)
    if scheme == "memory":
        # Memory is that of a process: a client within it has it, too. One thread, as its files have but one position.
        distributed = pytest.importorskip("distributed")
        store = fsspec.filesystem("memory")
        store.put(str(folder / "shaders"), "/bucket/shaders", recursive=True)
        shutil.copytree(folder / "shaders", elsewhere / "bucket" / "shaders")
        shell("gcnsim batch bucket/shaders --out named.jsonl || [ $? -eq 1 ]", elsewhere)
        with distributed.Client(processes=False, n_workers=1, threads_per_worker=1, dashboard_address=None) as inner:
            *_, last = gcnsim.dask.run(inner, "memory://bucket/shaders", shards=5)
        assert (last["digest"], last["entries"]) == end(elsewhere / "named.jsonl")
    else:
        *_, last = gcnsim.dask.run(client, (folder / "shaders").as_uri(), shards=5)
        # Names are paths in the store, which the digest counts.
        assert last["entries"] == end(folder / "one.jsonl")[1]


def test_dask_says_what_is_wrong(client, folder, monkeypatch):
    import gcnsim.dask

    monkeypatch.chdir(folder)
    for paths, options, message in [
        ("missing/", {}, "no such file or folder: missing/"),
        ([], {}, "there are no paths"),
        ("shaders", {"shard": "1/2"}, "shard: is no option"),
        ("shaders", {"shards": 0}, "shards=0"),
        (["shaders", "memory://x"], {}, "not both"),
        ("memory://nothing/here", {}, "no such file or folder: memory://nothing/here"),
        ("shaders", {"shards": 2, "max_inst": 5}, "--max-inst"),
    ]:
        with pytest.raises(gcnsim.Error, match=re.escape(message)):
            list(gcnsim.dask.run(client, paths, **options))
