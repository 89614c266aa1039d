"""What the kernels of images.cl compute, in Python: launches with images and expected results.

Lookups of texels are exact.  Filtered ones have a bound: coordinates are rounded to 1/256 of a texel
(docs/gcn/sampling.md), so that along each axis a result is off by at most 1/512 of the greatest
difference of texels.
"""

import math
import random
import struct

EDGE, BORDER, REPEAT, MIRROR, ONCE = "clamp_to_edge", "clamp_to_border", "repeat", "mirrored_repeat", "mirror_clamp"


def f32(x):
    """Rounded to binary32."""
    return struct.unpack("<f", struct.pack("<f", x))[0]


def pointer(name):
    return {"buffer": name}


def picture(name):
    return {"image": name}


def sampler(address=EDGE, filter="nearest", normalized=True, **more):
    return {"sampler": {"address": address, "filter": filter, "normalized": normalized, **more}}


def image(kind, size, format, content=None, **more):
    return {"type": kind, "size": size, "format": format, **(content or {}), **more}


def wrapped(i, n, mode):
    """The index of a texel after the address mode; None is the border."""
    if mode == REPEAT:
        return i % n
    if mode == MIRROR:
        return min(i % (2 * n), 2 * n - 1 - i % (2 * n))
    if mode == ONCE:
        return min(i if i >= 0 else -1 - i, n - 1)
    if mode == BORDER:
        return i if 0 <= i < n else None
    return min(max(i, 0), n - 1)


def texel(data, sizes, place, mode, border=0):
    """The texel of an image, whose list `data` has x as the fastest index."""
    at = 0
    for i, n in reversed(list(zip(place, sizes))):
        i = wrapped(i, n, mode)
        if i is None:
            return border
        at = at * n + i
    return data[at]


def linear(data, sizes, coordinates, mode, border=0):
    """The linear blend of the texels around a place; coordinates in texels."""
    low = [math.floor(t - 0.5) for t in coordinates]
    total = 0.0
    for corner in range(1 << len(sizes)):
        weight, place = 1.0, []
        for k, t in enumerate(coordinates):
            part = t - 0.5 - low[k]
            up = corner >> k & 1
            weight *= part if up else 1 - part
            place.append(low[k] + up)
        total += weight * texel(data, sizes, place, mode, border)
    return total


def nearest(data, sizes, coordinates, mode, border=0):
    return texel(data, sizes, [math.floor(t) for t in coordinates], mode, border)


class Maker:
    """Makes the launches, in the order of the kernels."""

    def __init__(self, launch):
        self.rng = random.Random(20261126)
        self.launch = launch

    def ints(self, n, low, high):
        return [self.rng.randint(low, high) for _ in range(n)]

    def one(self, name, kernel, grid, args, images, expect=None, expect_images=None, buffers=None, group=None):
        self.launch(name, kernel, grid, group or ([8, 8] if len(grid) == 2 else [4, 4, 2] if len(grid) == 3 else [64]),
                    args, buffers or {}, expect or {}, images=images, expect_images=expect_images or {})

    def map(self, name, kernel, size, formats, data, result, ty="u8", to_size=None):
        """Adds a launch of a kernel that maps one plane to another."""
        self.one(name, kernel, size, [picture("to"), picture("from")],
                 {"from": image("2d", size, formats[0], {ty[0]: data}), "to": image("2d", to_size or size, formats[1])},
                 expect_images={"to": {ty[1]: result}, "from": {ty[0]: data}})

    def copies(self):
        w, h = 11, 5
        for format, ty, count, low, high in (
                ("r8_unorm", "u8", 1, 0, 255), ("r8g8_snorm", "i8", 2, -127, 127), ("r8g8b8a8_unorm", "u8", 4, 0, 255),
                ("b8g8r8a8_unorm", "u8", 4, 0, 255), ("r16_unorm", "u16", 1, 0, 65535),
                ("r16g16_snorm", "i16", 2, -32767, 32767), ("r16g16b16a16_unorm", "u16", 4, 0, 65535),
                ("r5g6b5_unorm_pack16", "u16", 1, 0, 65535), ("r16g16b16a16_sfloat", "f16", 4, -2048, 2048),
                ("r32_sfloat", "f32", 1, -9999, 9999), ("r32g32b32a32_sfloat", "f32", 4, -9999, 9999)):
            data = self.ints(w * h * count, low, high)
            self.map("copy-" + format, "copy_float", [w, h], (format, format), data, data, (ty, ty))
        for letter, kernel in (("u", "copy_uint"), ("i", "copy_int")):
            for format, bits, count in (("r8", 8, 1), ("r8g8b8a8", 8, 4), ("r16g16", 16, 2), ("r32", 32, 1),
                                        ("r32g32b32a32", 32, 4)):
                low = 0 if letter == "u" else -(1 << bits - 1)
                data = self.ints(w * h * count, low, low + (1 << bits) - 1)
                format += "_uint" if letter == "u" else "_sint"
                ty = letter + str(bits)
                self.map("copy-" + format, kernel, [w, h], (format, format), data, data, (ty, ty))
        data = self.ints(6 * 3 * 4, -1000, 1000)
        self.map("half", "add_half", [6, 3], ("r16g16b16a16_sfloat",) * 2, data,
                 [v + 1 + i % 4 for i, v in enumerate(data)], ("f16", "f16"))

    def formats(self):
        w, h = 7, 3

        def unpacked(name, format, ty, data, values, **tolerance):
            self.one("unpack-" + name, "unpack", [w, h], [pointer("out"), picture("from")],
                     {"from": image("2d", [w, h], format, {ty: data})},
                     {"out": {"f32": [f32(v) for v in values], **tolerance}}, buffers={"out": {"size": 16 * w * h}})

        def curve(c):
            return c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4

        data = self.ints(w * h * 4, 0, 255)
        unpacked("unorm8", "r8g8b8a8_unorm", "u8", data, [v / 255 for v in data], ulp=1)
        unpacked("srgb", "r8g8b8a8_srgb", "u8", data,
                 [v / 255 if i % 4 == 3 else curve(v / 255) for i, v in enumerate(data)], abs=1 / 2048)
        data = [-128] + self.ints(w * h * 2 - 1, -128, 127)
        pairs = [max(v / 127, -1) for v in data]
        unpacked("snorm8", "r8g8_snorm", "i8", data,
                 sum(([pairs[i], pairs[i + 1], 0, 1] for i in range(0, len(pairs), 2)), []), ulp=1)
        data = self.ints(w * h, 0, 65535)
        unpacked("565", "r5g6b5_unorm_pack16", "u16", data,
                 sum(([(v >> 11) / 31, (v >> 5 & 63) / 63, (v & 31) / 31, 1] for v in data), []), ulp=1)
        unpacked("unorm16", "r16_unorm", "u16", data, sum(([v / 65535, 0, 0, 1] for v in data), []), ulp=1)
        halves = [v / 64 for v in self.ints(w * h * 2, -2000, 2000)]
        unpacked("half", "r16g16_sfloat", "f16", halves,
                 sum(([halves[i], halves[i + 1], 0, 1] for i in range(0, len(halves), 2)), []))

        values = [f32(v / 100) for v in self.ints(w * h * 4, -150, 150)]

        def packed(name, format, ty, count, number):
            kept = [v for i, v in enumerate(values) if i % 4 < count]
            self.one("pack-" + name, "pack", [w, h], [picture("to"), pointer("in")],
                     {"to": image("2d", [w, h], format)}, expect_images={"to": {ty: [number(v) for v in kept]}},
                     buffers={"in": {"f32": values}})

        packed("unorm8", "r8g8b8a8_unorm", "u8", 4, lambda v: round(min(max(v, 0), 1) * 255))
        packed("snorm8", "r8g8_snorm", "i8", 2, lambda v: round(min(max(v, -1), 1) * 127))
        packed("unorm16", "r16_unorm", "u16", 1, lambda v: round(min(max(v, 0), 1) * 65535))
        packed("snorm16", "r16g16b16a16_snorm", "i16", 4, lambda v: round(min(max(v, -1), 1) * 32767))
        packed("float", "r32g32_sfloat", "f32", 2, lambda v: v)

    def neighbourhoods(self):
        w, h = 13, 9
        data = self.ints(w * h, 0, 255)
        around = [(dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]

        def window(x, y, mode=EDGE):
            return [texel(data, (w, h), (x + dx, y + dy), mode) for dx, dy in around]
        places = [(x, y) for y in range(h) for x in range(w)]
        bytes_ = ("r8_uint", "r8_uint"), data
        self.map("box-blur", "box_blur", [w, h], *bytes_, [sum(window(*at)) // 9 for at in places], ("u8", "u8"))
        weights = [1, 2, 1, 2, 4, 2, 1, 2, 1]
        self.map("gauss", "gauss", [w, h], ("r32_sfloat", "r32_sfloat"), data,
                 [sum(a * b for a, b in zip(weights, window(*at, BORDER))) / 16 for at in places], ("f32", "f32"))
        edges = []
        for at in places:
            p = window(*at)
            gx = p[2] + 2 * p[5] + p[8] - p[0] - 2 * p[3] - p[6]
            gy = p[6] + 2 * p[7] + p[8] - p[0] - 2 * p[1] - p[2]
            edges += [gx, gy, abs(gx) + abs(gy), 1]
        self.map("sobel", "sobel", [w, h], ("r32_sfloat", "r32g32b32a32_sfloat"), data, edges, ("f32", "f32"))
        self.map("median", "median", [w, h], *bytes_, [sorted(window(*at))[4] for at in places], ("u8", "u8"))
        self.launch("dilate", "dilate", [16, 16], [8, 8], [picture("to"), picture("from")], {}, {},
                    images={"from": image("2d", [w, h], "r8_uint", {"u8": data}), "to": image("2d", [w, h], "r8_uint")},
                    expect_images={"to": {"u8": [max(window(*at)) for at in places]}})
        cells = [self.rng.randint(0, 2) // 2 for _ in range(w * h)]

        def lives(x, y):
            alive = sum(texel(cells, (w, h), (x + dx, y + dy), REPEAT) for dx, dy in around if dx or dy)
            return int(alive == 3 or alive == 2 and cells[y * w + x])
        self.map("life", "life", [w, h], ("r8_uint", "r8_uint"), cells, [lives(*at) for at in places], ("u8", "u8"))

    def geometry(self):
        w, h = 8, 4
        data = self.ints(w * h, 0, 16)
        places = [(x, y) for y in range(16) for x in range(16)]
        scaled = [((x + 0.5) / 16 * w, (y + 0.5) / 16 * h) for x, y in places]
        for name, filter, look, bound in (("nearest", "nearest", nearest, {}), ("linear", "linear", linear,
                                                                               {"abs": 16 / 256})):
            self.one("resize-" + name, "resize", [16, 16], [picture("to"), picture("from"), sampler(filter=filter)],
                     {"from": image("2d", [w, h], "r32_sfloat", {"f32": data}),
                      "to": image("2d", [16, 16], "r32_sfloat")},
                     expect_images={"to": {"f32": [look(data, (w, h), at, EDGE) for at in scaled], **bound}})
        c, s = f32(math.cos(0.5)), f32(math.sin(0.5))
        turned = []
        for y in range(h):
            for x in range(w):
                dx, dy = x + 0.5 - w / 2, y + 0.5 - h / 2
                turned.append(linear(data, (w, h), (w / 2 + c * dx - s * dy, h / 2 + s * dx + c * dy), EDGE))
        self.one("rotate", "rotate", [w, h], [picture("to"), picture("from"), {"f32": c}, {"f32": s}],
                 {"from": image("2d", [w, h], "r32_sfloat", {"f32": data}), "to": image("2d", [w, h], "r32_sfloat")},
                 expect_images={"to": {"f32": turned, "abs": 16 / 256}})
        bytes_ = self.ints(w * h * 2, 0, 255)
        quarter = []
        for y in range(w):
            for x in range(h):
                at = (h - 1 - x) * w + y
                quarter += bytes_[2 * at:2 * at + 2]
        self.map("turn", "turn", [w, h], ("r8g8_uint", "r8g8_uint"), bytes_, quarter, ("u8", "u8"), [h, w])
        by = self.ints(w * h * 2, -3, 3)
        moved = [texel(data, (w, h), (i % w + by[2 * i], i // w + by[2 * i + 1]), BORDER) for i in range(w * h)]
        self.one("displace", "displace", [w, h], [picture("to"), picture("from"), picture("by")],
                 {"from": image("2d", [w, h], "r32_sfloat", {"f32": data}), "to": image("2d", [w, h], "r32_sfloat"),
                  "by": image("2d", [w, h], "r8g8_sint", {"i8": by})}, expect_images={"to": {"f32": moved}})
        small = self.ints(8, 0, 99)
        self.one("tiles", "tiles", [16, 8], [pointer("out"), picture("from")],
                 {"from": image("2d", [4, 2], "r8_uint", {"u8": small})},
                 {"out": {"u32": [nearest(small, (4, 2), ((x + 0.5) / 2, (y + 0.5) / 4), REPEAT)
                                  for y in range(8) for x in range(16)]}}, buffers={"out": {"size": 512}})

    def samplers(self):
        w, h = 8, 4
        data = self.ints(w * h * 4, 0, 16)
        channels = [data[k::4] for k in range(4)]
        from_ = {"from": image("2d", [w, h], "r32g32b32a32_sfloat", {"f32": data})}
        at = [(self.rng.randint(-16 * 32, 32 * 32) / 256, self.rng.randint(-16 * 32, 32 * 32) / 256) for _ in range(64)]
        at = [(x + 1 / 1024, y + 1 / 1024) for x, y in at]
        for mode in (EDGE, BORDER, REPEAT, MIRROR, ONCE):
            for filter, look, bound in (("nearest", nearest, {}), ("linear", linear, {"abs": 16 / 256})):
                values = [look(channel, (w, h), (u * w, v * h), mode) for u, v in at for channel in channels]
                self.one(f"look-{mode}-{filter}", "look", [64],
                         [pointer("out"), picture("from"), sampler(mode, filter), pointer("at")], from_,
                         {"out": {"f32": values, **bound}}, buffers={"out": {"size": 1024},
                                                                     "at": {"f32": [x for pair in at for x in pair]}})
        texels = [(u * 4, v * 4) for u, v in at]
        for mode in (EDGE, BORDER):
            values = [linear(channel, (w, h), place, mode) for place in texels for channel in channels]
            self.one(f"look-{mode}-texels", "look", [64],
                     [pointer("out"), picture("from"), sampler(mode, "linear", False), pointer("at")], from_,
                     {"out": {"f32": values, "abs": 16 / 256}},
                     buffers={"out": {"size": 1024}, "at": {"f32": [x for pair in texels for x in pair]}})
        whole = [(self.rng.randint(-3, 10), self.rng.randint(-3, 6)) for _ in range(64)]
        bytes_ = self.ints(w * h * 4, 0, 255)
        channels = [bytes_[k::4] for k in range(4)]
        for colour, border in (("transparent_black", [0, 0, 0, 0]), ("opaque_black", [0, 0, 0, 1]),
                               ("opaque_white", [1, 1, 1, 1])):
            values = [texel(channel, (w, h), place, BORDER, edge) for place in whole
                      for channel, edge in zip(channels, border)]
            self.one("border-" + colour, "look_uint", [64],
                     [pointer("out"), picture("from"), sampler(BORDER, normalized=False, border=colour), pointer("at")],
                     {"from": image("2d", [w, h], "r8g8b8a8_uint", {"u8": bytes_})}, {"out": {"u32": values}},
                     buffers={"out": {"size": 1024}, "at": {"i32": [x for pair in whole for x in pair]}})

    def colours(self):
        w, h = 10, 6
        data = self.ints(w * h * 4, 0, 255)
        at = range(0, len(data), 4)
        self.map("swizzle", "swizzle", [w, h], ("r8g8b8a8_unorm", "b8g8r8a8_unorm"), data,
                 sum(([data[i + 1], data[i + 2], data[i + 3], data[i]] for i in at), []), ("u8", "u8"))
        over = [v % 17 if i % 4 < 3 else v % 5 / 4 for i, v in enumerate(data)]
        under = [v % 13 for v in reversed(data)]
        mixed = [a * over[i // 4 * 4 + 3] + b * (1 - over[i // 4 * 4 + 3]) for i, (a, b) in enumerate(zip(over, under))]
        self.one("blend", "blend", [w, h], [picture("to"), picture("over"), picture("under")],
                 {"over": image("2d", [w, h], "r16g16b16a16_sfloat", {"f16": over}),
                  "under": image("2d", [w, h], "r32g32b32a32_sfloat", {"f32": under}),
                  "to": image("2d", [w, h], "r32g32b32a32_sfloat")}, expect_images={"to": {"f32": mixed}})
        bright, tints = [], []
        for i in at:
            r, g, b = data[i:i + 3]
            bright.append((77 * r + 150 * g + 29 * b) >> 8)
            for sum_ in (-43 * r - 85 * g + 128 * b, 128 * r - 107 * g - 21 * b):
                tints.append(min(max(int(sum_ / 256) + 128, 0), 255))
        self.one("luma", "luma", [w, h], [picture("y"), picture("uv"), picture("from")],
                 {"from": image("2d", [w, h], "r8g8b8a8_uint", {"u8": data}), "y": image("2d", [w, h], "r8_uint"),
                  "uv": image("2d", [w, h], "r8g8_uint")}, expect_images={"y": {"u8": bright}, "uv": {"u8": tints}})
        table = self.ints(256 * 2, 0, 65535)
        index = data[:w * h]
        self.one("colour-table", "colour_table", [w, h], [picture("to"), picture("from"), picture("table")],
                 {"from": image("2d", [w, h], "r8_uint", {"u8": index}), "to": image("2d", [w, h], "r16g16_uint"),
                  "table": image("1d", 256, "r16g16_uint", {"u16": table})},
                 expect_images={"to": {"u16": sum((table[2 * i:2 * i + 2] for i in index), [])}})

    def sums(self):
        w, h = 20, 14
        data = self.ints(w * h, 0, 255)
        bins = [sum(1 for v in data if v >> 4 == i) for i in range(16)]
        from_ = {"from": image("2d", [w, h], "r8_uint", {"u8": data})}
        self.one("histogram", "histogram", [w, h], [pointer("bins"), picture("from")], from_, {"bins": {"u32": bins}},
                 buffers={"bins": {"size": 64}})
        self.one("histogram-local", "histogram_local", [24, 16], [pointer("bins"), picture("from")], from_,
                 {"bins": {"u32": bins}}, buffers={"bins": {"size": 64}})
        sums = [sum(data[y * w:y * w + x + 1]) for y in range(h) for x in range(w)]
        self.one("row-sums", "row_sums", [h], [picture("to"), picture("from")],
                 {**from_, "to": image("2d", [w, h], "r32_uint")}, expect_images={"to": {"u32": sums}})
        half = [sum(data[(2 * y + j) * w + 2 * x + i] for i in (0, 1) for j in (0, 1)) / 4
                for y in range(h // 2) for x in range(w // 2)]
        self.one("halve", "halve", [w // 2, h // 2], [picture("to"), picture("from")],
                 {"from": image("2d", [w, h], "r32_sfloat", {"f32": data}),
                  "to": image("2d", [w // 2, h // 2], "r32_sfloat")}, expect_images={"to": {"f32": half}})

    def dimensions(self):
        w, h, d = 6, 5, 4
        data = self.ints(w * h * d * 4, 0, 255)
        at = [[self.rng.randint(-8, 4 * n + 8) / 4 + 1 / 16 for n in (w, h, d)] for _ in range(64)]
        channels = [data[k::4] for k in range(4)]
        for mode in (EDGE, BORDER):
            self.one(f"volume-{mode}", "volume", [64],
                     [pointer("out"), picture("from"), sampler(mode, normalized=False), pointer("at")],
                     {"from": image("3d", [w, h, d], "r8g8b8a8_uint", {"u8": data})},
                     {"out": {"u32": [nearest(c, (w, h, d), place, mode) for place in at for c in channels]}},
                     buffers={"out": {"size": 1024}, "at": {"f32": sum((place + [0] for place in at), [])}})
        values = [v / 16 for v in data[:w * h * d]]
        for mode in (EDGE, REPEAT):
            smooth = [linear(values, (w, h, d), place, mode) for place in at]
            scaled = sum(([f32(x / w), f32(y / h), f32(z / d), 0] for x, y, z in at), [])
            self.one(f"volume-smooth-{mode}", "volume_smooth", [64],
                     [pointer("out"), picture("from"), sampler(mode, "linear"), pointer("at")],
                     {"from": image("3d", [w, h, d], "r16_sfloat", {"f16": values})},
                     {"out": {"f32": smooth, "abs": 16 * 3 / 512}},
                     buffers={"out": {"size": 256}, "at": {"f32": scaled}})
        numbers = self.ints(w * h * d, -30000, 30000)
        turned = [numbers[(x * h + z) * w + y] for z in range(h) for y in range(w) for x in range(d)]
        self.one("volume-turn", "volume_turn", [w, h, d], [picture("to"), picture("from")],
                 {"from": image("3d", [w, h, d], "r16_sint", {"i16": numbers}),
                  "to": image("3d", [d, w, h], "r16_sint")}, expect_images={"to": {"i16": turned}})
        layer = w * h
        shifted = sum(([v % 200 + i for v in data[i * layer:(i + 1) * layer]] for i in range(d)), [])
        back = sum((shifted[i * layer:(i + 1) * layer] for i in reversed(range(d))), [])
        self.one("layers", "layers", [w, h, d], [picture("to"), picture("from")],
                 {"from": image("2d-array", [w, h], "r8_uint", {"u8": [v % 200 for v in data[:layer * d]]}, layers=d),
                  "to": image("2d-array", [w, h], "r8_uint", layers=d)}, expect_images={"to": {"u8": back}})
        self.one("layer-sum", "layer_sum", [w, h], [picture("to"), picture("from")],
                 {"from": image("2d-array", [w, h], "r32_sfloat", {"f32": data[:layer * d]}, layers=d),
                  "to": image("2d", [w, h], "r32_sfloat")},
                 expect_images={"to": {"f32": [sum(data[i:layer * d:layer]) for i in range(layer)]}})
        floats = [-1, 0, 0.25, 0.5, 0.75, 1.5, 2.5, 2.75, 3.4, 3.6, 9, 1]
        chosen = [min(max(round(v), 0), d - 1) for v in floats]
        self.one("layer-round", "layer_round", [len(floats)],
                 [pointer("out"), picture("from"), sampler(normalized=False), pointer("layer")],
                 {"from": image("2d-array", [w, h], "r8_uint", {"u8": data[:layer * d]}, layers=d)},
                 {"out": {"u32": [data[i * layer + 1] for i in chosen]}},
                 buffers={"out": {"size": 4 * len(floats)}, "layer": {"f32": floats}})

    def rows(self):
        n = 100
        data = self.ints(n, -500, 500)
        self.one("row", "row", [n], [picture("to"), picture("from")],
                 {"from": image("1d", n, "r32_sfloat", {"f32": data}), "to": image("1d", n, "r32_sfloat")},
                 expect_images={"to": {"f32": [sum(texel(data, (n,), (i + k,), BORDER) for k in (-1, 1))
                                               for i in range(n)]}})
        layers = [self.ints(9, -9999, 9999) for _ in range(7)]
        self.one("rows", "rows", [9, 7], [picture("to"), picture("from")],
                 {"from": image("1d-array", 9, "r16_sint", {"i16": sum(layers, [])}, layers=7),
                  "to": image("1d-array", 9, "r16_sint", layers=7)},
                 expect_images={"to": {"i16": sum(reversed(layers), [])}})
        back = list(reversed(data))
        self.one("row-buffer", "row_buffer", [n], [picture("to"), picture("from")],
                 {"from": image("1d-buffer", n, "r16_sfloat", {"f16": data}),
                  "to": image("1d-buffer", 2 * n, "r32_sfloat")}, expect_images={"to": {"f32": back + back}})
        bytes_ = self.ints(2 * n, 0, 127)
        sums = [v + (bytes_[i + 2] if i + 2 < 2 * n else 0) for i, v in enumerate(bytes_)]
        self.one("row-buffer-uint", "row_buffer_uint", [n], [picture("to"), picture("from")],
                 {"from": image("1d-buffer", n, "r8g8_uint", {"u8": bytes_}), "to": image("1d-buffer", n, "r8g8_uint")},
                 expect_images={"to": {"u8": sums}})
        depths = [v / 8 for v in self.ints(35, 0, 8)]
        for format, ty, values in (("d32_sfloat", "f32", depths), ("d16_unorm", "u16", [round(v) * 65535
                                                                                     for v in depths])):
            seen = depths if ty == "f32" else [round(v) for v in depths]
            self.one("depth-" + ty, "depth", [7, 5], [pointer("out"), picture("from"), sampler(normalized=False)],
                     {"from": image("2d", [7, 5], format, {ty: values})}, {"out": {"f32": seen}},
                     buffers={"out": {"size": 140}})
        # Channel types and orders are those of the OpenCL header.
        found = [5, 300, 2, 7, 8, 9, 33, 4, 16, 17, 3, 70000, 0x10D2, 0x10DE, 0x10D9, 0x10DD, 0x10D1, 0x10DB,
                 0x10B0, 0x10B5, 0x10B2, 0x10B0, 0x10B5, 0x10B2]
        self.one("sizes", "sizes", [1], [pointer("out")] + [picture(name) for name in "abcdef"],
                 {"a": image("1d", 5, "r8_unorm"), "b": image("2d", [300, 2], "r32g32b32a32_sfloat"),
                  "c": image("3d", [7, 8, 9], "r32g32_sint"), "d": image("1d-array", 33, "r16_sfloat", layers=4),
                  "e": image("2d-array", [16, 17], "r16g16b16a16_snorm", layers=3),
                  "f": image("1d-buffer", 70000, "r16g16_uint")},
                 {"out": {"i32": found}}, buffers={"out": {"size": 96}}, group=[1])

    def descriptors(self):
        data = self.ints(256, 0, 255)
        counts, most = [0] * 8, [7] * 8
        for v in data:
            at = v & 7
            counts[at], most[at] = counts[at] + v, max(most[at], v)
        self.one("image-atomics", "image_atomics", [256], [picture("counts"), picture("most"), pointer("in")],
                 {"counts": image("2d", [4, 2], "r32_uint"),
                  "most": image("2d", [4, 2], "r32_uint", {"fill": {"u32": 7}})},
                 expect_images={"counts": {"u32": counts}, "most": {"u32": most}}, buffers={"in": {"u32": data}})
        self.one("image-swap", "image_swap", [64], [picture("lock"), pointer("winner")],
                 {"lock": image("2d", [2, 1], "r32_uint")}, {"winner": {"u32": 1}},
                 expect_images={"lock": {"u32": [0, 1]}}, buffers={"winner": {"size": 4}})

        def set_(image, other, **how):
            parts = [{"image_descriptor": image}, {"image_descriptor": other}, {"hex": "00" * 16},
                     {"sampler_descriptor": sampler(**how)["sampler"]}]
            return {"struct": parts}
        # Three levels of 8 x 8, 4 x 4 and 2 x 2 texels.
        sides = (8, 4, 2)
        chain = [[[self.rng.randint(0, 64) for _ in range(4)] for _ in range(n * n)] for n in sides]
        texels = [v for level in chain for place in level for v in place]
        image_ = {"a": image("2d", [8, 8], "r32g32b32a32_sfloat", {"f32": texels}, levels=3)}
        at, points, between = [], [], []
        for i in range(32):
            u, v = (self.rng.randrange(8) + 0.5) / 8, (self.rng.randrange(8) + 0.5) / 8
            lod = (0, 0.25, 0.75, 1, 1.25, 2, 3, 0.5)[i % 8]
            at += [u, v, lod, 0]

            def of(level):
                n = sides[min(level, 2)]
                return chain[min(level, 2)][math.floor(v * n) * n + math.floor(u * n)]
            points += of(math.floor(lod + 0.5))
            part = lod - math.floor(lod)
            between += [a * (1 - part) + b * part for a, b in zip(of(math.floor(lod)), of(math.floor(lod) + 1))]
        for mip, values in (("nearest", points), ("linear", between)):
            self.one("levels-" + mip, "levels", [32], [pointer("out"), pointer("set"), pointer("at")], image_,
                     {"out": {"f32": values}},
                     buffers={"out": {"size": 512}, "at": {"f32": at}, "set": set_("a", "a", mip=mip)})
        self.one("level-texels", "level_texels", [4, 4], [pointer("out"), pointer("set")], image_,
                 {"out": {"f32": sum(chain[1], [])}}, buffers={"out": {"size": 256}, "set": set_("a", "a")})
        self.cube(set_)
        w, h = 8, 4
        data = self.ints(w * h * 2, 0, 255)
        greens = data[1::2]
        at = [((self.rng.randrange(w) + 0.75) / w, (self.rng.randrange(h) + 0.75) / h) for _ in range(16)]
        values = []
        for u, v in at:
            i, j = math.floor(u * w - 0.5), math.floor(v * h - 0.5)
            around = ((0, 1), (1, 1), (1, 0), (0, 0))
            values += [texel(greens, (w, h), (i + di, j + dj), EDGE) / 255 for di, dj in around]
        self.one("gather", "gather", [16], [pointer("out"), pointer("set"), pointer("at")],
                 {"a": image("2d", [w, h], "r8g8_unorm", {"u8": data})}, {"out": {"f32": [f32(v) for v in values],
                                                                                  "ulp": 1}},
                 buffers={"out": {"size": 256}, "at": {"f32": sum(map(list, at), [])},
                          "set": set_("a", "a", filter="linear")})
        depths = [v / 8 for v in self.ints(w * h, 0, 8)]
        at = [((x + 0.5) / w, (y + 0.5) / h, self.rng.randint(0, 8) / 8) for y in range(h) for x in range(w)]
        for compare, is_so in (("less", lambda a, b: a < b), ("greater_equal", lambda a, b: a >= b)):
            self.one("shadow-" + compare, "shadow", [w * h], [pointer("out"), pointer("set"), pointer("at")],
                     {"a": image("2d", [w, h], "d32_sfloat", {"f32": depths})},
                     {"out": {"f32": [float(is_so(z, depth)) for (_, _, z), depth in zip(at, depths)]}},
                     buffers={"out": {"size": 4 * w * h}, "at": {"f32": sum((list(place) + [0] for place in at), [])},
                              "set": set_("a", "a", compare=compare)})
        one, other = self.ints(w * h * 4, 0, 255), self.ints(w * h * 4, 0, 255)
        self.one("two-images", "two_images", [w, h], [picture("to"), pointer("set")],
                 {"a": image("2d", [w, h], "r32g32b32a32_sfloat", {"f32": one}),
                  "b": image("2d", [w, h], "r16g16b16a16_sfloat", {"f16": other}),
                  "to": image("2d", [w, h], "r32g32b32a32_sfloat")},
                 expect_images={"to": {"f32": [a - b for a, b in zip(one, other)]}}, buffers={"set": set_("a", "b")})

    def cube(self, set_):
        n = 4
        faces = [[self.ints(4, 0, 64) for _ in range(n * n)] for _ in range(6)]
        directions, values = [], []
        for i in range(48):
            face, x, y = i % 6, self.rng.randrange(n), self.rng.randrange(n)
            s, t = (x + 0.5) / n * 2 - 1, (y + 0.5) / n * 2 - 1
            long = 1 + self.rng.randrange(3)
            place = [(1, -t, -s), (-1, -t, s), (s, 1, t), (s, -1, -t), (s, -t, 1), (-s, -t, -1)][face]
            directions += [v * long for v in place] + [0]
            values += faces[face][y * n + x]
        texels = [v for face in faces for place in face for v in place]
        self.one("cube", "cube", [48], [pointer("out"), pointer("set"), pointer("to")],
                 {"a": image("cube", [n, n], "r32g32b32a32_sfloat", {"f32": texels})}, {"out": {"f32": values}},
                 buffers={"out": {"size": 768}, "to": {"f32": directions}, "set": set_("a", "a")})


def make(launch):
    maker = Maker(launch)
    for part in (maker.copies, maker.formats, maker.neighbourhoods, maker.geometry, maker.samplers, maker.colours,
                 maker.sums, maker.dimensions, maker.rows, maker.descriptors):
        part()
