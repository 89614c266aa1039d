"""python -m gcnsim ARGS: the command gcnsim."""

import os
import sys

from ._commands import command

path = command()
os.execv(path, [path, *sys.argv[1:]])
