"""The queries of docs/use/queries.md, over JSON and over Parquet, against the same in Python."""

import collections
import json
import pathlib
import re
import subprocess

import pytest

import gcnsim

duckdb = pytest.importorskip("duckdb", reason="duckdb is not installed")
PAGE = pathlib.Path(__file__).resolve().parents[3] / "docs/use/queries.md"
VIEW, PARQUET, *QUERIES = re.findall(r"```sql\n(.*?)```", PAGE.read_text(), re.DOTALL)


def batch(folder, budget):
    flags = ["--arch=gcn1.0", f"--max-insts={budget}", "--out=run.jsonl", "--force"]
    words = [gcnsim.command(), "batch", "shaders", *flags]
    done = subprocess.run(words, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    lines = [json.loads(line) for line in (folder / "run.jsonl").read_text().splitlines()]
    return [line for line in lines if line["schema"] == "gcnsim.batch.v1"]


@pytest.fixture(scope="module")
def runs(tmp_path_factory, corpus):
    """A folder with old.parquet and run.jsonl, and the lines of both."""
    folder = tmp_path_factory.mktemp("queries")
    shaders = folder / "shaders"
    shaders.mkdir()
    for file in sorted((corpus / "programs").glob("*-gcn1.0.bin"))[:60]:
        (shaders / file.name).write_bytes(file.read_bytes())
    (shaders / "broken.bin").write_bytes(b"\x00\x00\x7f\xbf")
    old = batch(folder, 20_000)
    tables = duckdb.connect()
    tables.execute(f"SET file_search_path = '{folder}'")
    tables.execute(VIEW)
    tables.execute(f"COPY run TO '{folder}/old.parquet'")
    # With a smaller budget some shaders do not end as before.
    return folder, old, batch(folder, 60)


@pytest.fixture(params=["json", "parquet"])
def ask(request, runs):
    """A function that asks a query of the page."""
    folder, _, _ = runs
    tables = duckdb.connect()
    tables.execute(f"SET file_search_path = '{folder}'")
    tables.execute(VIEW)
    if request.param == "parquet":
        tables.execute(PARQUET.replace("run.parquet", f"{folder}/run.parquet"))
        tables.execute("DROP VIEW run")

    def ask(query):
        if request.param == "parquet":
            query = re.sub(r"FROM run\b", "FROM 'run.parquet'", query)
        return tables.execute(query).fetchall()

    return ask


def test_there_are_five():
    assert len(QUERIES) == 5


def test_outcomes(ask, runs):
    counts = collections.Counter((line["arch"], line["outcome"]) for line in runs[2])
    assert ask(QUERIES[0]) == sorted((*key, count) for key, count in counts.items())
    assert len(counts) >= 3


def test_what_stops_most(ask, runs):
    found = ask(QUERIES[1])
    counts = collections.Counter(line["outcome"] for line in runs[2] if line["outcome"] != "ended")
    by_outcome = collections.Counter()
    for outcome, _, _, count, _ in found:
        by_outcome[outcome] += count
    assert by_outcome == counts and found[0][3] == max(row[3] for row in found)
    broken = [row for row in found if row[4] == "shaders/broken.bin"]
    assert broken and broken[0][:2] == ("fault", "illegal-instruction")


def test_slowest(ask, runs):
    found = ask(QUERIES[2])
    lines = sorted((line for line in runs[2] if line["instructions"]), key=lambda line: (-line["run_ns"], line["file"]))
    assert [row[0] for row in found] == [line["file"] for line in lines[:10]]
    first = lines[0]
    assert found[0][2:4] == (pytest.approx(first["run_ns"] / 1e6), first["instructions"])
    assert [row[4] for row in found] == [line["by_class"].get("valu", 0) / line["instructions"] for line in lines[:10]]


def test_notes(ask, runs):
    counts = collections.Counter(note for line in runs[2] for note in line["notes"])
    assert counts and ask(QUERIES[3]) == sorted(counts.items(), key=lambda item: (-item[1], item[0]))


def test_changes(ask, runs):
    _, old, new = runs
    was = {(line["file"], line["sha256"]): line for line in old}
    changed = []
    for line in new:
        before = was[line["file"], line["sha256"]]
        if (line["outcome"], line["state_hash"]) != (before["outcome"], before["state_hash"]):
            changed.append((line["file"], None, before["outcome"], line["outcome"]))
    assert changed and ask(QUERIES[4]) == sorted(changed)
