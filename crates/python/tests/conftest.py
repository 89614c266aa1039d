"""What the tests have in common. GCNSIM_CORPUS names the folder of the corpus."""

import os
import pathlib

import pytest

import gcnsim

CORPUS = pathlib.Path(os.environ.get("GCNSIM_CORPUS", pathlib.Path(__file__).resolve().parents[3] / "corpus"))


@pytest.fixture(scope="session")
def corpus():
    return CORPUS


@pytest.fixture()
def dev():
    return gcnsim.Device("gfx900", jobs=2)


@pytest.fixture()
def kernels(dev):
    return dev.load(CORPUS / "kernels" / "kernels-gfx900-v5-O2.co")


@pytest.fixture()
def algorithms():
    return gcnsim.Device("gfx906").load(CORPUS / "kernels" / "algorithms-gfx906-v5-O1.co")
