"""Profiles of launches."""


class Profile(dict):
    """What launch(.., profile=True) measured: a dict with the keys of `gcnsim run --profile --json`
    (docs/use/profile.md), which are attributes, too: instructions, waves, occupancy, time, regions, classes, accesses,
    branches, lines."""

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(f"a profile has no {name!r}; it has {', '.join(self)}") from None

    def __dir__(self):
        return [*super().__dir__(), *self]

    def hot_lines(self, count=10):
        """Returns the source lines with the most instructions, as dicts: source, instructions, lanes, by_class. Empty if
        the object has no line tables: compile with -g."""
        return self["lines"][:count]

    def hot_regions(self, count=10):
        """Returns the compiled regions that took longest, as dicts: pc, size, entered, instructions, run_ns."""
        return self["regions"][:count]

    def __repr__(self):
        return f"<gcnsim.Profile of {self['kernel']}: {self['instructions']} instructions>"
