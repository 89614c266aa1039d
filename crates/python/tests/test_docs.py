"""The notebook and the examples of docs/use/python.md run."""

import json
import pathlib
import re

import pytest

import gcnsim

ROOT = pathlib.Path(__file__).resolve().parents[3]


def test_the_notebook(monkeypatch, corpus):
    monkeypatch.setenv("GCNSIM_CORPUS", str(corpus))
    notebook = json.loads((ROOT / "docs/notebooks/tour.ipynb").read_text())
    names = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 8
    for number, cell in enumerate(cells):
        assert not cell["outputs"], "outputs are not kept in the repository"
        exec(compile("".join(cell["source"]), f"<cell {number}>", "exec"), names)


@pytest.mark.parametrize("page", ["docs/use/python.md", "crates/python/README.md"])
def test_examples(monkeypatch, page):
    monkeypatch.chdir(ROOT)
    blocks = re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.DOTALL)
    assert blocks
    for block in blocks:
        if "import pandas" in block:
            continue
        try:
            exec(compile(block, page, "exec"), {})
        except gcnsim.Error as error:
            if "gcnsim.compile" not in block:
                raise
            pytest.skip(f"cannot compile: {error}")
