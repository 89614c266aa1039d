"""Formats, rounding, and the rules that the MODE register sets."""

NEAREST, UP, DOWN, ZERO = range(4)


class Format:
    """A binary format.  All constants are bit patterns."""

    def __init__(self, name, width, mbits):
        self.name, self.width, self.mbits = name, width, mbits
        ebits = width - 1 - mbits
        self.bias = (1 << (ebits - 1)) - 1
        self.emin = 1 - self.bias
        self.sign = 1 << (width - 1)
        self.inf = ((1 << ebits) - 1) << mbits
        self.quiet = 1 << (mbits - 1)
        self.qnan = self.sign | self.inf | self.quiet
        self.max = self.inf - 1
        self.one = self.bias << mbits
        self.min_normal = 1 << mbits

    def magnitude(self, x):
        return x & (self.sign - 1)

    def negative(self, x):
        return 1 if x & self.sign else 0

    def is_nan(self, x):
        return x & (self.sign - 1) > self.inf

    def is_snan(self, x):
        return self.is_nan(x) and not x & self.quiet

    def is_inf(self, x):
        return x & (self.sign - 1) == self.inf

    def is_zero(self, x):
        return x & (self.sign - 1) == 0

    def is_denormal(self, x):
        return 0 < x & (self.sign - 1) < self.min_normal

    def is_finite(self, x):
        return x & (self.sign - 1) < self.inf

    def field(self, x):
        """The raw exponent field."""
        return (x & (self.sign - 1)) >> self.mbits

    def value(self, x):
        """(sign, m, e) of a finite number, which is (-1)^sign * m * 2^e."""
        f, mantissa = self.field(x), x & (self.min_normal - 1)
        if f:
            mantissa |= self.min_normal
        return self.negative(x), mantissa, max(f, 1) - self.bias - self.mbits

    def signed(self, sign, magnitude):
        return magnitude | self.sign if sign else magnitude


F16 = Format("f16", 16, 10)
F32 = Format("f32", 32, 23)
F64 = Format("f64", 64, 52)
FORMATS = {"f16": F16, "f32": F32, "f64": F64}


def round_integer(m, shift, sticky, sign, mode):
    """m / 2^shift, rounded to an integer by `mode`.  `sticky`: the true m is a little larger."""
    if shift <= 0:
        assert not sticky or shift == 0
        whole, rest, half = m << -shift, 0, 1
    else:
        whole, rest, half = m >> shift, m & ((1 << shift) - 1), 1 << (shift - 1)
    if shift <= 0:
        above, tie, inexact = False, False, sticky
    else:
        above = rest > half or rest == half and sticky
        tie = rest == half and not sticky
        inexact = rest != 0 or sticky
    if mode == NEAREST:
        return whole + (above or tie and whole & 1)
    if mode == ZERO or not inexact:
        return whole
    return whole + (mode == (DOWN if sign else UP))


def overflowed(fmt, sign, mode):
    """The bits that a value too large for the format gives: infinity or the largest number."""
    if mode == NEAREST or mode == (DOWN if sign else UP):
        return fmt.signed(sign, fmt.inf)
    return fmt.signed(sign, fmt.max)


def rounded(fmt, sign, m, e, sticky, mode, flush):
    """The bits of (-1)^sign * m * 2^e, rounded once.

    `flush`: a result below the smallest normal number becomes zero.  What is tiny is decided
    after rounding at full precision, as if the exponent had no lower limit."""
    if m == 0:
        if not sticky:
            return fmt.signed(sign, 0)
        m, e = 1, e - 2000                      # some number above zero and far below 2^e
    if m.bit_length() < fmt.mbits + 4 and sticky:
        m, e = m << fmt.mbits + 4, e - fmt.mbits - 4
    top = m.bit_length() + e - 1
    if flush and top < fmt.emin:
        r = round_integer(m, top - fmt.mbits - e, sticky, sign, mode)
        reaches = top + 1 == fmt.emin and r == 2 << fmt.mbits
        return fmt.signed(sign, fmt.min_normal if reaches else 0)
    ulp = max(top, fmt.emin) - fmt.mbits
    r = round_integer(m, ulp - e, sticky, sign, mode)
    magnitude = (ulp + fmt.mbits + fmt.bias - 1 << fmt.mbits) + r
    if magnitude >= fmt.inf:
        return overflowed(fmt, sign, mode)
    return fmt.signed(sign, magnitude)


class Env:
    """The rules in force for one instruction: MODE, the generation, CLAMP; collects doubts."""

    def __init__(self, mode, gen, clamp=0):
        self.gen, self.clamp = gen, clamp
        self.doubts = set()
        single, double = mode & 3, mode >> 2 & 3
        self.round = {16: double, 32: single, 64: double}
        self.keep_in = {16: mode >> 6 & 1, 32: mode >> 4 & 1, 64: mode >> 6 & 1}
        self.keep_out = {16: mode >> 7 & 1, 32: mode >> 5 & 1, 64: mode >> 7 & 1}
        self.dx10, self.ieee = mode >> 8 & 1, mode >> 9 & 1
        self.ovfl = gen >= 9 and mode >> 23 & 1
        self.same_rounding = single == double
        # the lane that is executed: its number, the old destination, the carry in
        self.lane = self.old = self.carry = 0

    # denormals

    def flush(self, fmt, x, always=False):
        """The source x: zero with its sign if x is a denormal and MODE or `always` says that it is flushed."""
        if fmt.is_denormal(x) and (always or not self.keep_in[fmt.width]):
            return x & fmt.sign
        return x

    # NaN

    def quieted(self, fmt, x):
        """A NaN as an arithmetic instruction hands it on."""
        if self.ieee:
            return x | fmt.quiet
        if fmt.is_snan(x):
            self.doubts.add("nan-quiet")
        return x

    def nan_of(self, fmt, *sources):
        """The first NaN among the sources, as an instruction hands it on; None if there is none."""
        nans = [x for x in sources if fmt.is_nan(x)]
        if not nans:
            return None
        if any(x != nans[0] for x in nans):
            self.doubts.add("nan-payload")
        return self.quieted(fmt, nans[0])

    # results

    def store(self, fmt, sign, m, e, sticky=False, mode=None, flush=None):
        """The bits of an exact result, rounded and flushed by MODE unless told otherwise."""
        if mode is None:
            mode = self.round[fmt.width]
        if flush is None:
            flush = not self.keep_out[fmt.width]
        x = rounded(fmt, sign, m, e, sticky, mode, flush)
        if self.ovfl and fmt is F16 and fmt.is_inf(x):
            self.doubts.add("fp16-ovfl")
            return fmt.signed(sign, fmt.max)
        return x

    def omod(self, fmt, x, k):
        """A result x, already rounded, with OMOD k applied: 1 is *2, 2 is *4, 3 is /2."""
        if k == 0 or self.ieee or self.keep_out[fmt.width] or not fmt.is_finite(x):
            return x
        if fmt.field(x) == 0:
            return 0
        sign, m, e = fmt.value(x)
        if k == 3:
            return x & fmt.sign if fmt.field(x) == 1 else x - fmt.min_normal
        return self.store(fmt, sign, m, e + k)

    def clamped(self, fmt, x):
        if fmt.is_nan(x):
            return 0 if self.dx10 else x
        if x & fmt.sign:
            return 0
        return min(x, fmt.one)

    def integer(self, x, kind, well_known=False):
        """An exact integer result: wrapped, or with CLAMP saturated to the type."""
        bits = int(kind[1:])
        mask = (1 << bits) - 1
        if not self.clamp:
            return x & mask
        low, high = (0, mask) if kind[0] == "u" else (-1 << bits - 1, mask >> 1)
        r = min(max(x, low), high)
        if r != x and not well_known:
            self.doubts.add("int-clamp")
        return r & mask
