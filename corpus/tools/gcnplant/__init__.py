"""Planted mistakes: changes of one instruction in real code, and what a checker must find.

`decode` reads instructions with their registers (from opcodes.csv, for all generations), `code` takes code out of
files, `flow` has blocks and definitions, `changes` makes changes that an output depends on, `waits` removes and weakens
waits and says which dependency they leave uncovered. Nothing here asks gcnsim.
"""
