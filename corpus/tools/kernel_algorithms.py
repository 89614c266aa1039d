"""What the kernels of algorithms.cl compute, in Python: launches with expected results."""

import base64
import cmath
import hashlib
import math
import random
import struct
import zlib


def f32(x):
    """Rounded to binary32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def f16(x):
    """Rounded to binary16."""
    return struct.unpack("<e", struct.pack("<e", x))[0]


def u32(x):
    return x & 0xFFFFFFFF


def u64(x):
    return x & 0xFFFFFFFFFFFFFFFF


def signed(x, bits):
    x &= (1 << bits) - 1
    return x - (1 << bits) if x >> (bits - 1) else x


def clamp(x, low, high):
    return max(low, min(high, x))


def pointer(name):
    return {"buffer": name}


def aes_tables():
    """The S-box of FIPS 197, by inversion in GF(2^8) and the affine map."""
    def times(a, b):
        product = 0
        while b:
            product ^= a if b & 1 else 0
            a, b = (a << 1 ^ (0x11B if a & 0x80 else 0)), b >> 1
        return product
    inverse = [0] + [next(b for b in range(1, 256) if times(a, b) == 1) for a in range(1, 256)]
    affine = lambda b: b ^ b << 1 ^ b << 2 ^ b << 3 ^ b << 4
    sbox = [(affine(b) & 0xFF ^ affine(b) >> 8) ^ 0x63 for b in inverse]
    return times, sbox


def aes_keys(key, sbox):
    words, rcon = [list(key[i:i + 4]) for i in range(0, 16, 4)], 1
    for i in range(4, 44):
        word = list(words[i - 1])
        if i % 4 == 0:
            word = [sbox[b] for b in word[1:] + word[:1]]
            word[0] ^= rcon
            rcon = rcon << 1 ^ (0x11B if rcon & 0x80 else 0)
        words.append([a ^ b for a, b in zip(words[i - 4], word)])
    return sum(words, [])


def aes_encrypt(block, keys, times, sbox):
    state = [b ^ k for b, k in zip(block, keys)]
    for r in range(1, 11):
        state = [sbox[b] for b in state]
        state = [state[(c + row) % 4 * 4 + row] for c in range(4) for row in range(4)]
        if r < 10:
            mixed = []
            for c in range(0, 16, 4):
                column = state[c:c + 4]
                for row in range(4):
                    mixed.append(times(column[row], 2) ^ times(column[(row + 1) % 4], 3)
                                 ^ column[(row + 2) % 4] ^ column[(row + 3) % 4])
            state = mixed
        state = [b ^ k for b, k in zip(state, keys[16 * r:16 * r + 16])]
    return state


def make(launch):
    rng = random.Random(20261123)
    small = lambda: f32(rng.randint(-4096, 4096) / 64)
    bytes_ = lambda n: [rng.getrandbits(8) for _ in range(n)]

    # Transforms and ciphers.
    data = [complex(rng.randint(-64, 64) / 8, rng.randint(-64, 64) / 8) for _ in range(128)]
    result = []
    for g in (0, 64):
        for k in range(64):
            result.append(sum(data[g + n] * cmath.exp(-2j * cmath.pi * k * n / 64) for n in range(64)))
    parts = lambda list_: [part for z in list_ for part in (z.real, z.imag)]
    launch("fft64", "fft64", [128], [64], [pointer("data")], {"data": {"f32": parts(data)}},
           {"data": {"f32": [f32(x) for x in parts(result)], "abs": 2e-3}})

    texts = [bytes(bytes_(rng.randint(0, 55))) for _ in range(70)]
    blocks = [t + b"\x80" + bytes(55 - len(t)) + struct.pack(">Q", 8 * len(t)) for t in texts]
    words = lambda raw: list(struct.unpack(f">{len(raw) // 4}I", raw))
    launch("sha256", "sha256", [70], [64], [pointer("out"), pointer("blocks")],
           {"blocks": {"u32": sum(map(words, blocks), [])}, "out": {"size": 70 * 32}},
           {"out": {"u32": sum((words(hashlib.sha256(t).digest()) for t in texts), [])}})

    times, sbox = aes_tables()
    vector = aes_encrypt(bytes.fromhex("00112233445566778899aabbccddeeff"), aes_keys(bytes(range(16)), sbox), times, sbox)
    assert bytes(vector).hex() == "69c4e0d86a7b0430d8cdb78070b4c55a", "FIPS 197, appendix C.1"
    key, plain = bytes_(16), [bytes_(16) for _ in range(66)]
    keys = aes_keys(key, sbox)
    launch("aes128", "aes128", [66], [33], [pointer("blocks"), pointer("keys"), pointer("sbox")],
           {"blocks": {"u8": sum(plain, [])}, "keys": {"u8": keys}, "sbox": {"u8": sbox}},
           {"blocks": {"u8": sum((aes_encrypt(block, keys, times, sbox) for block in plain), [])}})

    data = bytes_(3 * 50)
    launch("base64", "base64", [50], [16], [pointer("out"), pointer("in")], {"in": {"u8": data}, "out": {"size": 200}},
           {"out": {"u8": list(base64.b64encode(bytes(data)))}})

    data = bytes_(20 * 31)
    launch("adler32", "adler32", [20], [64], [pointer("out"), pointer("data"), {"u32": 31}],
           {"data": {"u8": data}, "out": {"size": 80}},
           {"out": {"u32": [zlib.adler32(bytes(data[i * 31:i * 31 + 31])) for i in range(20)]}})

    # Physics and images.
    bodies = [[small() / 8 for _ in range(3)] + [rng.randint(1, 8) / 4] for _ in range(64)]
    forces = []
    for me in bodies:
        force = [0.0] * 3
        for other in bodies:
            d = [o - m for o, m in zip(other[:3], me[:3])]
            r = 1 / math.sqrt(sum(x * x for x in d) + 0.01)
            force = [f + x * other[3] * r ** 3 for f, x in zip(force, d)]
        forces += [f32(f) for f in force] + [0.0]
    launch("nbody", "nbody", [64], [32], [pointer("out"), pointer("bodies"), {"i32": 64}],
           {"bodies": {"f32": sum(bodies, [])}, "out": {"size": 1024}},
           {"out": {"f32": forces, "abs": 1e-4, "rel": 1e-4}})

    width, height = 19, 13
    image, weights = [small() for _ in range(width * height)], [small() for _ in range(9)]
    result = []
    for y in range(height):
        for x in range(width):
            total = 0.0
            for j in range(3):
                for i in range(3):
                    at = clamp(y + j - 1, 0, height - 1) * width + clamp(x + i - 1, 0, width - 1)
                    total = f32(total + f32(image[at] * weights[j * 3 + i]))
            result.append(total)
    launch("convolve", "convolve", [24, 16], [8, 8],
           [pointer("out"), pointer("in"), pointer("weights"), {"i32": width}, {"i32": height}],
           {"in": {"f32": image}, "weights": {"f32": weights}, "out": {"size": 4 * width * height}},
           {"out": {"f32": result}})

    width, height = 21, 9
    image, result = bytes_(width * height), []
    for y in range(height):
        for x in range(width):
            near = [image[clamp(y + j, 0, height - 1) * width + clamp(x + i, 0, width - 1)]
                    for j in (-1, 0, 1) for i in (-1, 0, 1)]
            result.append(sorted(near)[4])
    launch("median", "median", [width, height], [8, 4], [pointer("out"), pointer("in")],
           {"in": {"u8": image}, "out": {"size": width * height}}, {"out": {"u8": result}})

    cells, result = [rng.getrandbits(1) for _ in range(20 * 12)], []
    for y in range(12):
        for x in range(20):
            n = sum(cells[(y + j) % 12 * 20 + (x + i) % 20] for j in (-1, 0, 1) for i in (-1, 0, 1)) - cells[y * 20 + x]
            result.append(int(n == 3 or n == 2 and cells[y * 20 + x]))
    launch("life", "life", [20, 12], [10, 6], [pointer("out"), pointer("in")],
           {"in": {"u8": cells}, "out": {"size": 240}}, {"out": {"u8": result}})

    size, offset = [9, 6, 4], [3, 2, 1]
    data, result = [rng.randint(-999, 999) for _ in range(9 * 6 * 4)], []
    get = lambda x, y, z: data[(z * 6 + y) * 9 + x] if 0 <= x < 9 and 0 <= y < 6 and 0 <= z < 4 else 0
    for z in range(4):
        for y in range(6):
            for x in range(9):
                total = -6 * get(x, y, z) + get(x - 1, y, z) + get(x + 1, y, z) + get(x, y - 1, z) + get(x, y + 1, z)
                result.append(total + get(x, y, z - 1) + get(x, y, z + 1) + 2000)
    launch("stencil3", "stencil3", size, [4, 4, 2], [pointer("out"), pointer("in")],
           {"in": {"i32": data}, "out": {"size": 4 * len(data)}}, {"out": {"i32": result}}, offset)

    old, new = b"", b""
    for i in range(40):
        x, y, z, vx, vy, vz = (small() for _ in range(6))
        kind, cell = rng.randint(0, 100), rng.randint(-99, 99)
        old += struct.pack("<fffifffhBx", x, y, z, i + 1, vx, vy, vz, cell, kind)
        x, y, z = (f32(p + f32(v * 0.125)) for p, v in ((x, vx), (y, vy), (z, vz)))
        if x < 0:
            vx, kind = -vx, kind | 0x80
        cell = int(f32(math.floor(x) + f32(10 * math.floor(y))))
        new += struct.pack("<fffifffhBx", x, y, z, -i - 1, vx, vy, vz, cell, kind)
    unpack = lambda raw: list(struct.unpack(f"<{len(raw) // 4}I", raw))
    launch("particles", "particles", [40], [64], [pointer("all"), {"f32": 0.125}], {"all": {"u32": unpack(old)}},
           {"all": {"u32": unpack(new)}})

    # Sorting, searching, graphs.
    text = "".join(rng.choice("ab") for _ in range(300))
    found = [int(text.startswith("abba", i)) for i in range(300)]
    ascii_ = lambda s: [ord(c) for c in s]
    launch("string-search", "string_search", [320], [64],
           [pointer("count"), pointer("match"), pointer("text"), {"u32": 300}, pointer("pattern"), {"u32": 4}],
           {"count": {"size": 4}, "match": {"size": 300}, "text": {"u8": ascii_(text)}, "pattern": {"u8": ascii_("abba")}},
           {"count": {"u32": [sum(found)]}, "match": {"u8": found}})

    data = bytes_(256)
    launch("radix-sort", "radix_sort", [256], [128], [pointer("data")], {"data": {"u8": data}},
           {"data": {"u8": sorted(data[:128]) + sorted(data[128:])}})

    data = [rng.randint(-500, 500) for _ in range(70 * 16)]
    rows = [sorted(data[i:i + 16]) for i in range(0, len(data), 16)]
    launch("insertion-sort", "insertion_sort", [70], [64], [pointer("data")], {"data": {"i32": data}},
           {"data": {"i32": sum(rows, [])}})

    data = [rng.getrandbits(16) for _ in range(21 * 13)]
    launch("transpose", "transpose", [24, 16], [8, 8], [pointer("out"), pointer("in"), {"u32": 21}, {"u32": 13}],
           {"in": {"u16": data}, "out": {"size": 2 * len(data)}},
           {"out": {"u16": [data[y * 21 + x] for x in range(21) for y in range(13)]}})

    data = [rng.randint(-1000, 1000) for _ in range(384)]
    scanned = [sum(data[i // 128 * 128:i]) for i in range(384)]
    launch("exclusive-scan", "exclusive_scan", [192], [64], [pointer("data"), pointer("sums")],
           {"data": {"i32": data}, "sums": {"size": 12}},
           {"data": {"i32": scanned}, "sums": {"i32": [sum(data[g:g + 128]) for g in (0, 128, 256)]}})

    word = lambda: [rng.choice(b"abc") for _ in range(12)]
    pairs = [(word(), word()) for _ in range(66)]
    def distance(a, b):
        row = list(range(len(b) + 1))
        for i, x in enumerate(a):
            last, row[0] = row[0], i + 1
            for j, y in enumerate(b):
                last, row[j + 1] = row[j + 1], min(row[j + 1] + 1, row[j] + 1, last + (x != y))
        return row[-1]
    launch("levenshtein", "levenshtein", [66], [64], [pointer("out"), pointer("words"), {"i32": 12}],
           {"words": {"u8": sum((a + b for a, b in pairs), [])}, "out": {"size": 264}},
           {"out": {"u32": [distance(a, b) for a, b in pairs]}})

    n = 16
    graph = [[0 if x == y else rng.choice([1, 3, 9, 10 ** 6]) for x in range(n)] for y in range(n)]
    flat = lambda: sum(graph, [])
    before = flat()
    for k in range(n):
        for y in range(n):
            for x in range(n):
                graph[y][x] = min(graph[y][x], graph[y][k] + graph[k][x])
    launch("floyd", "floyd", [16, 16], [16, 16], [pointer("distance")], {"distance": {"u32": before}},
           {"distance": {"u32": flat()}})

    n = 100
    edges = [sorted(rng.sample(range(n), rng.randint(0, 3))) for _ in range(n)]
    level, queue = [2 ** 32 - 1] * n, [0]
    level[0] = 0
    for at in queue:
        for to in edges[at]:
            if level[to] == 2 ** 32 - 1:
                level[to] = level[at] + 1
                queue.append(to)
    rows = [sum(map(len, edges[:i])) for i in range(n + 1)]
    launch("bfs", "bfs", [128], [128], [pointer("level"), pointer("rows"), pointer("cols"), {"u32": n}],
           {"level": {"u32": [0] + [2 ** 32 - 1] * (n - 1)}, "rows": {"u32": rows}, "cols": {"u32": sum(edges, [])}},
           {"level": {"u32": level}})

    order = list(range(12))
    rng.shuffle(order)
    values, follower = [rng.getrandbits(20) for _ in range(12)], dict(zip(order, order[1:]))
    nodes, sums = [], []
    for i in range(12):
        nodes += [{"buffer": "nodes", "at": 16 * follower[i]} if i in follower else {"null": True}, {"u32": values[i]}]
        at, total = i, 0
        while at is not None:
            at, total = follower.get(at), u32(total * 3 + values[at])
        sums.append(total)
    launch("list-sum", "list_sum", [12], [64], [pointer("out"), pointer("nodes")],
           {"nodes": {"struct": nodes, "size": 192}, "out": {"size": 48}}, {"out": {"u32": sums}})

    # Numbers of all kinds.
    halves = lambda n: [f16(rng.randint(-512, 512) / 32) for _ in range(n)]
    x, y = halves(90), halves(90)
    launch("half-axpy", "half_axpy", [90], [64], [pointer("y"), pointer("x"), {"f16": 1.5}],
           {"x": {"f16": x}, "y": {"f16": y}}, {"y": {"f16": [f16(f16(1.5 * a) + b) for a, b in zip(x, y)]}})

    a, b = halves(4 * 33), [small() for _ in range(4 * 33)]
    result = []
    for i in range(33):
        for k in range(4):
            result.append(f16(max(a[4 * i + k], f16(b[4 * i + k])) - a[4 * i + 3 - k]))
    launch("half-vectors", "half_vectors", [33], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"f16": a}, "b": {"f32": b}, "out": {"size": 8 * 33}}, {"out": {"f16": result, "abs": 0}})

    factor = [rng.getrandbits(20) + 1 for _ in range(70)]
    a, b = ([f * (rng.getrandbits(40) + 1) for f in factor] for _ in range(2))
    launch("gcd64", "gcd64", [70], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"u64": a}, "b": {"u64": b}, "out": {"size": 560}}, {"out": {"u64": list(map(math.gcd, a, b))}})

    a = [signed(rng.getrandbits(64), 64) for _ in range(66)]
    b = [signed(rng.getrandbits(rng.choice((8, 34, 64))), 64) or 7 for _ in range(66)]
    result = []
    for p, q in zip(a, b):
        quotient = abs(p) // abs(q) * (1 if (p < 0) == (q < 0) else -1)
        rest = p - quotient * q
        result.append(signed(quotient ^ rest << 3 ^ (p * q) >> 64 ^ p >> (q & 63), 64))
    launch("long-math", "long_math", [66], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"i64": a}, "b": {"i64": b}, "out": {"size": 528}}, {"out": {"i64": result}})

    a, b, result = [rng.getrandbits(32) for _ in range(65)], [rng.getrandbits(rng.choice((9, 32))) for _ in range(65)], []
    clz = lambda v, bits: bits - v.bit_length()
    for x, y in zip(a, b):
        turn = y & 31
        result.append(x.bit_count() | clz(y, 32) << 8 | clz(x & 0xFFFF, 16) << 16)
        result.append(u32(x << turn | x >> (32 - turn)) ^ (x * y) >> 32)
        result.append(u32((x & ~0x0FF0F00F | y & 0x0FF0F00F) + (x & 0xFFFFFF) * (y & 0xFFFFFF)))
        result.append(min(x + y, 2 ** 32 - 1) ^ max(x - y, 0) ^ (x + y) >> 1 ^ abs(signed(x, 32)))
    launch("bits", "bits", [65], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"u32": a}, "b": {"u32": b}, "out": {"size": 16 * 65}}, {"out": {"u32": result}})

    a, b, result = bytes_(4 * 65), [rng.randint(-128, 127) for _ in range(4 * 65)], []
    for i in range(0, 4 * 65, 4):
        for k in range(4):
            p = min(a[i + k] + a[i + 3 - k], 255)
            q = abs(a[i + k] - a[i + (k ^ 1)])
            r = clamp(b[i + k] + b[i + (k + 2) % 4], -128, 127)
            result.append(abs(p - q) + r & 0xFF)
    launch("saturate", "saturate", [65], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"u8": a}, "b": {"i8": b}, "out": {"size": 260}}, {"out": {"u8": result}})

    taps, data = [rng.randint(-400, 400) for _ in range(7)], [rng.randint(-32768, 32767) for _ in range(106)]
    sums = [sum(data[i + k] * taps[k] for k in range(7)) >> 8 for i in range(100)]
    launch("fir", "fir", [100], [64], [pointer("out"), pointer("in"), pointer("taps"), {"i32": 7}],
           {"in": {"i16": data}, "taps": {"i16": taps}, "out": {"size": 200}},
           {"out": {"i16": [clamp(s, -32768, 32767) for s in sums]}})

    a, b = [rng.uniform(0, 1e6) for _ in range(65)], [rng.uniform(-9, 9) for _ in range(65)]
    launch("double-roots", "double_roots", [65], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"f64": a}, "b": {"f64": b}, "out": {"size": 1040}},
           {"out": {"f64": [v for p, q in zip(a, b) for v in (math.sqrt(p), p / q)], "ulp": 2}})

    a = [small() / 4 for _ in range(65)]
    result = [v for x in a for v in (math.exp(x * 0.25), math.log(abs(x) + 0.5), math.sin(x) * math.cos(x * 0.5),
                                     (abs(x) + 1) ** 1.5, math.atan2(x, 2.0))]
    launch("transcendental", "transcendental", [65], [64], [pointer("out"), pointer("a")],
           {"a": {"f32": a}, "out": {"size": 1300}},
           {"out": {"f32": [f32(v) for v in result], "rel": 2e-5, "abs": 1e-6}})

    n = 12
    a, b, c = ([rng.uniform(-9, 9) for _ in range(n * n)] for _ in range(3))
    result = []
    for row in range(n):
        for col in range(n):
            total = c[row * n + col] * 0.5
            for k in range(n):
                total += a[row * n + k] * b[k * n + col]
            result.append(total)
    launch("dgemm", "dgemm", [n, n], [5, 5], [pointer("c"), pointer("a"), pointer("b"), {"i32": n}],
           {"a": {"f64": a}, "b": {"f64": b}, "c": {"f64": c}}, {"c": {"f64": result}})

    a, b = ([small() for _ in range(4 * 40)] for _ in range(2))
    result = []
    for i in range(0, 160, 4):
        (x, y, z, w), (p, q, r, s) = a[i:i + 4], b[i:i + 4]
        c = (y * r - z * q, z * p - x * r, x * q - y * p)
        length = math.sqrt(sum(v * v for v in c))
        result += [f32(v / length) for v in c] + [f32(x * p + y * q + z * r + w * s)]
    launch("vectors", "vectors", [40], [64], [pointer("out"), pointer("a"), pointer("b")],
           {"a": {"f32": a}, "b": {"f32": b}, "out": {"size": 640}}, {"out": {"f32": result, "rel": 1e-4, "abs": 1e-3}})

    def shifted(x):
        for _ in range(20):
            x ^= x >> 12
            x ^= u64(x << 25)
            x ^= x >> 27
        return u64(x * 0x2545F4914F6CDD1D)
    seed = 0x123456789ABCDEF
    launch("xorshift", "xorshift", [70], [64], [pointer("out"), {"u64": seed}], {"out": {"size": 560}},
           {"out": {"u64": [shifted(seed + i) for i in range(70)]}})

    # Atomics, calls, LDS.
    data = [signed(rng.getrandbits(32), 32) for _ in range(200)]
    every, some, odd = -1, 0, 0
    for v in data:
        every, some, odd = every & v, some | v, odd ^ v
    total = sum(data)
    launch("atomics", "atomics", [200], [64], [pointer("out"), pointer("in")],
           {"in": {"i32": data}, "out": {"i32": [0, 0, 0, -1, 0, 0, 5]}},
           {"out": {"i32": [signed(total, 32), min(data + [0]), max(data + [0]), every, some, odd, signed(5 - total, 32)]}})

    data = [float(rng.randint(-99, 99)) for _ in range(150)]
    launch("float-sum", "float_sum", [150], [64], [pointer("sum"), pointer("in")],
           {"in": {"f32": data}, "sum": {"f32": [0.5]}}, {"sum": {"f32": [sum(data) + 0.5]}})

    data, odd = [rng.getrandbits(64) for _ in range(130)], 0
    for v in data:
        odd ^= v
    launch("atomics64", "atomics64", [130], [64], [pointer("out"), pointer("in")],
           {"in": {"u64": data}, "out": {"size": 24}}, {"out": {"u64": [u64(sum(data)), max(data), odd]}})

    def table_hash(seed):
        table, v = [], seed
        for _ in range(24):
            v = u32(v * 1664525 + 1013904223)
            table.append(v)
        total = 0
        for k in range(24):
            total = u32(total << 5 | total >> 27) ^ table[(seed % 24 + k * 7) % 24]
        return u32(total + table[seed & 15])
    result = []
    for i in range(75):
        v = table_hash(1000 + i)
        result.append(v ^ table_hash(v) if i & 1 else v)
    launch("call-chain", "call_chain", [75], [64], [pointer("out"), {"u32": 1000}], {"out": {"size": 300}},
           {"out": {"u32": result}})

    n, data, result = 80, [rng.getrandbits(32) for _ in range(160)], []
    for g in (0, n):
        a = data[g:g + n]
        b = [a[i] << 20 | a[(i + 1) % n] for i in reversed(range(n))]
        result += [u64(b[i] + a[n - 1 - i]) for i in range(n)]
    launch("two-locals", "two_locals", [160], [80],
           [pointer("out"), pointer("in"), {"local": 4 * n}, {"local": 8 * n}],
           {"in": {"u32": data}, "out": {"size": 1280}}, {"out": {"u64": result}})

    n = 150
    a, b = [small() for _ in range(3 * n)], [small() for _ in range(n)]
    result = []
    for row in range(3):
        part = []
        for i in range(96):
            total = 0.0
            for k in range(i, n, 96):
                total = f32(total + f32(a[row * n + k] * b[k]))
            part.append(total)
        sums = []
        for i in range(3):
            total = 0.0
            for v in part[32 * i:32 * i + 32]:
                total = f32(total + v)
            sums.append(total)
        result.append(f32(f32(sums[0] + sums[1]) + sums[2]))
    launch("group-dot", "group_dot", [288], [96], [pointer("out"), pointer("a"), pointer("b"), {"i32": n}],
           {"a": {"f32": a}, "b": {"f32": b}, "out": {"size": 12}}, {"out": {"f32": result}})
