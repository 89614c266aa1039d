"""Integer functions of one lane.  Sources are unsigned; `env.integer` wraps or saturates."""

M32 = 0xFFFFFFFF


def sext(x, n):
    x &= (1 << n) - 1
    return x - (1 << n) if x >> n - 1 else x


def i32(x):
    return sext(x, 32)


def halves(x):
    return x & 0xFFFF, x >> 16 & 0xFFFF


def parts(x, width, count):
    return [x >> width * k & (1 << width) - 1 for k in range(count)]


def joined(values, width):
    return sum(v << width * k for k, v in enumerate(values))


# --- carry -------------------------------------------------------------------------

def add_carry(env, a, b):
    t = a + b + env.carry
    return env.integer(t, "u32", True), t >> 32


def sub_borrow(env, a, b):
    t = a - b - env.carry
    return env.integer(t, "u32", True), int(t < 0)


def subrev_borrow(env, a, b):
    return sub_borrow(env, b, a)


# --- shifts, bits ------------------------------------------------------------------

def bfe_u32(env, a, b, c):
    return a >> (b & 31) & (1 << (c & 31)) - 1


def bfe_i32(env, a, b, c):
    width, offset = c & 31, b & 31
    if width == 0:
        return 0
    return sext(a >> offset, min(width, 32 - offset)) & M32


def bfm(env, a, b):
    return ((1 << (a & 31)) - 1 << (b & 31)) & M32


def ffbh_u32(env, a):
    return 32 - a.bit_length() if a else M32


def ffbl_b32(env, a):
    return (a & -a).bit_length() - 1 if a else M32


def ffbh_i32(env, a):
    return ffbh_u32(env, a ^ M32 if a >> 31 else a)


def bfrev(env, a):
    return int(f"{a:032b}"[::-1], 2)


def mbcnt_lo(env, a, b):
    below = (1 << env.lane) - 1 if env.lane < 32 else M32
    return (a & below).bit_count() + b & M32


def mbcnt_hi(env, a, b):
    below = 0 if env.lane < 32 else (1 << env.lane - 32) - 1
    return (a & below).bit_count() + b & M32


def perm(env, a, b, c):
    data = b | a << 32                  # bytes 0..3 come from S1
    out = []
    for s in parts(c, 8, 4):
        if s <= 7:
            out.append(data >> 8 * s & 255)
        elif s <= 11:
            out.append(255 * (data >> 16 * (s - 8) + 15 & 1))
        else:
            out.append(0 if s == 12 else 255)
    return joined(out, 8)


def lerp(env, a, b, c):
    return joined([x + y + (z & 1) >> 1 for x, y, z in zip(parts(a, 8, 4), parts(b, 8, 4), parts(c, 8, 4))], 8)


# --- sums of absolute differences --------------------------------------------------

def sad4(a, b):
    return sum(abs(x - y) for x, y in zip(parts(a, 8, 4), parts(b, 8, 4)))


def msad4(a, b):
    return sum(abs(x - y) for x, y in zip(parts(a, 8, 4), parts(b, 8, 4)) if y)


def sad_u8(env, a, b, c):
    return env.integer(sad4(a, b) + c, "u32")


def msad_u8(env, a, b, c):
    return env.integer(msad4(a, b) + c, "u32")


def sad_hi_u8(env, a, b, c):
    return env.integer((sad4(a, b) << 16) + c, "u32")


def sad_u16(env, a, b, c):
    return env.integer(sum(abs(x - y) for x, y in zip(halves(a), halves(b))) + c, "u32")


def sad_u32(env, a, b, c):
    return env.integer(abs(a - b) + c, "u32")


def quad(sad, width, doubt):
    """Four sums of absolute differences, over S0 shifted by 0, 1, 2 and 3 bytes, each added to a part of S2."""
    def f(env, a, b, c):
        sums = [sad(a >> 8 * k & M32, b) + x for k, x in enumerate(parts(c, width, 4))]
        if any(s >> width for s in sums):
            env.doubts.add(doubt)
        return joined([env.integer(s, f"u{width}") for s in sums], width)
    return f


# --- products ----------------------------------------------------------------------

def mul_i24(a, b):
    return sext(a, 24) * sext(b, 24)


def mul_u24(a, b):
    return (a & 0xFFFFFF) * (b & 0xFFFFFF)


def mad_u64(env, a, b, c):
    t = a * b + c
    return env.integer(t, "u64"), t >> 64


def mad_i64(env, a, b, c):
    env.doubts.add("mad-i64-carry")
    t = i32(a) * i32(b) + sext(c, 64)
    return env.integer(t, "i64"), t >> 64 & 1


# --- 16 bits -----------------------------------------------------------------------

def sat_pk_u8(env, a):
    return joined([min(max(sext(h, 16), 0), 255) for h in halves(a)], 8)


def pack_saturated(env, a, b, signed):
    low, high = (-32768, 32767) if signed else (0, 65535)
    return joined([min(max(i32(x) if signed else x, low), high) & 0xFFFF for x in (a, b)], 16)


SCREEN_PARTITION = (
    "137f5fff7ffffffff26efafffbffffffdf4cff5fffdfffff9bf8fffafffeffff"
    "ffff4cdf6fffeffffffff89bf99ffdffffff7f13ff9fffbfffff6ef26ff6fff7"
    "bfffffff23bfaffff7fffffff19df5ffffefffffef8cffaffffdffff67f4fff5"
    "9fffdfffffff8ceff66ffefffffff467ff6fff7fffffbf239ff9fffbffff9df1")


def screen_partition(env, a):
    env.doubts.add("screen-partition")
    return int(SCREEN_PARTITION[a & 255], 16)
