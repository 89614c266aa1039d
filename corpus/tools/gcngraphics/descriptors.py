"""T# and S#: words to fields, and fields to words."""

from gcnmem.machine import M32, sx

from . import formats

D1, D2, D3, CUBE, D1_ARRAY, D2_ARRAY, MSAA, MSAA_ARRAY = range(8, 16)
ARRAYS = (D1_ARRAY, D2_ARRAY, MSAA_ARRAY)
# the type that an instruction accesses, by that of T#: without DA, and with it
UNDER_DA = {D1: (D1, D1_ARRAY), D1_ARRAY: (D1, D1_ARRAY), D2: (D2, D2_ARRAY), D2_ARRAY: (D2, D2_ARRAY),
            CUBE: (D2, CUBE), D3: (D3, D3), MSAA: (MSAA, MSAA_ARRAY), MSAA_ARRAY: (MSAA, MSAA_ARRAY)}
FLAT_1D = (D1, D1_ARRAY)


def bits(word, first, count):
    return word >> first & (1 << count) - 1


def align(value, unit):
    return -(-value // unit) * unit


class Texture:
    """A T# as an instruction of a generation sees it."""

    def __init__(self, words, gen, r128=False, doubts=None):
        self.gen = gen
        self.doubts = set() if doubts is None else doubts
        w = list(words) + [0] * (8 - len(words))
        self.base = w[0] << 8 | bits(w[1], 0, 8) << 40
        self.min_lod = bits(w[1], 8, 12)                            # in 1/256
        self.dfmt, self.nfmt = bits(w[1], 20, 6), bits(w[1], 26, 4)
        self.width, self.height = bits(w[2], 0, 14) + 1, bits(w[2], 14, 14) + 1
        self.select = [bits(w[3], 3 * k, 3) for k in range(4)]
        self.base_level, self.last_level = bits(w[3], 12, 4), bits(w[3], 16, 4)
        self.tiling, self.pow2, self.type = bits(w[3], 20, 5), bits(w[3], 25, 1) and gen < 9, w[3] >> 28
        self.resource = self.type
        self.depth_field = bits(w[4], 0, 13)
        self.base_array = bits(w[5], 0, 13)
        if gen < 9:
            self.pitch, self.last_array = bits(w[4], 13, 14) + 1, bits(w[5], 13, 13)
        else:
            self.pitch, self.last_array = bits(w[4], 13, 16) + 1, self.depth_field
        self.max_mip = bits(w[5], 28, 4) if gen >= 9 else self.last_level
        self.compressed = gen >= 8 and bits(w[6], 21, 1)
        self.known = formats.element_size(self.dfmt) > 0
        if r128:
            self.depth_field = self.base_array = self.last_array = 0
        # TYPE below 8 is a buffer, or nothing; a format that there is not is like nothing
        self.null = self.type < 8 or not self.known
        if self.type < 8 and any(w) or self.type >= 8 and not self.known:
            self.doubts.add("image-invalid")
        if not self.null:
            self.settle(r128)

    def settle(self, r128):
        self.block = formats.block(self.dfmt)                       # texels of an element, each way
        self.bytes = formats.element_size(self.dfmt)
        self.samples = 1
        if self.type in (MSAA, MSAA_ARRAY):
            self.samples, self.base_level, self.last_level = 1 << self.last_level, 0, 0
            self.max_mip = 0
        if self.type in FLAT_1D:
            self.height = 1
        if r128:
            self.pitch = align(self.width, self.pitch_unit())
        if self.tiling != (8 if self.gen < 9 else 0):
            self.doubts.add("tiled-as-linear")

    def under(self, da):
        """The image as an instruction with or without DA accesses it: `type` is what it takes the image for, and
        `resource` what T# says."""
        self.type = UNDER_DA.get(self.type, (self.type,) * 2)[bool(da)]
        return self

    def pitch_unit(self):
        """What a pitch in elements must be a multiple of."""
        return max(8, 64 // self.bytes) if self.gen < 9 else max(1, 256 // self.bytes)

    def size(self, level):
        """Width, height and depth of a level, counted from BASE_LEVEL."""
        level += self.base_level
        depth = self.depth_field + 1 if self.type == D3 else 1
        return tuple(max(1, n >> level) for n in (self.width, self.height, depth))

    def levels(self):
        """Number of levels from BASE_LEVEL on."""
        return max(1, self.last_level - self.base_level + 1)

    def slices(self):
        """Number of layers (of a cube: faces) from BASE_ARRAY on."""
        return max(1, self.last_array - self.base_array + 1)

    def total_layers(self):
        """Number of layers of the whole resource."""
        if self.type == D3:
            return self.depth_field + 1
        if self.gen < 9 and self.resource == CUBE:
            return 6 * (self.depth_field + 1)
        return self.depth_field + 1

    def is_integer(self):
        return self.nfmt in (formats.UINT, formats.SINT)


class Sampler:
    """An S#."""

    def __init__(self, words, gen):
        self.clamp = [bits(words[0], 3 * k, 3) for k in range(3)]
        self.max_aniso = bits(words[0], 9, 3)
        self.compare = bits(words[0], 12, 3)
        self.unnormalized = bits(words[0], 15, 1)
        self.trunc = bits(words[0], 27, 1)
        self.no_cube_wrap = bits(words[0], 28, 1)
        self.mode = bits(words[0], 29, 2)                           # 0 blend, 1 least, 2 greatest
        self.min_lod, self.max_lod = bits(words[1], 0, 12), bits(words[1], 12, 12)
        self.bias = sx(bits(words[2], 0, 14), 14)                   # in 1/256
        self.mag, self.min = bits(words[2], 20, 2), bits(words[2], 22, 2)
        self.z_filter, self.mip_filter = bits(words[2], 24, 2), bits(words[2], 26, 2)
        self.border = bits(words[3], 30, 2)


def texture(gen, kind=D2, width=8, height=1, depth=1, layers=1, dfmt=10, nfmt=0, select=(4, 5, 6, 7), base=0x10000,
            base_level=0, last_level=0, pitch=None, base_array=0, last_array=None, min_lod=0, tiling=None, pow2=0,
            max_mip=None, perf_mod=4, samples_log2=0, more=()):
    """The eight dwords of a T# for a linear image.  `layers`: of a cube, all faces."""
    size, block = max(1, formats.element_size(dfmt)), formats.block(dfmt)
    unit = max(8, 64 // size) if gen < 9 else max(1, 256 // size)
    columns = align(-(-width // block), unit)
    rows = -(-height // block)
    while gen < 9 and columns * rows % max(64, 256 // size):
        columns += unit
    pitch = columns * block if pitch is None else pitch
    last = layers - 1 if last_array is None else last_array
    if kind in (MSAA, MSAA_ARRAY):
        last_level = samples_log2
    if kind == D3:
        field = depth - 1
    elif gen >= 9:
        field = last
    else:
        field = layers // 6 - 1 if kind == CUBE else layers - 1
    w = [base >> 8 & M32, base >> 40 & 0xFF | min_lod << 8 | dfmt << 20 | nfmt << 26,
         width - 1 | height - 1 << 14 | perf_mod << 28,
         sum(s << 3 * k for k, s in enumerate(select)) | base_level << 12 | last_level << 16
         | (tiling if tiling is not None else 8 if gen < 9 else 0) << 20 | pow2 << 25 | kind << 28,
         field | pitch - 1 << 13, base_array, 0, 0]
    if gen < 9:
        w[5] |= (0 if kind == D3 else last) << 13
    else:
        levels = 0 if kind in (MSAA, MSAA_ARRAY) else last_level
        w[5] |= (levels if max_mip is None else max_mip) << 28
    for index, value in more:
        w[index] |= value
    return w


def sampler(clamp=(2, 2, 2), mag=0, min_=0, mip=0, z=None, compare=0, unnormalized=0, trunc=0, no_cube_wrap=0, mode=0,
            min_lod=0, max_lod=0xFFF, bias=0, border=0, aniso=0, more=()):
    """The four dwords of an S#; lods and bias in 1/256."""
    z = (mag & 1) + 1 if z is None else z
    w = [sum(c << 3 * k for k, c in enumerate(clamp)) | aniso << 9 | compare << 12 | unnormalized << 15 | trunc << 27
         | no_cube_wrap << 28 | mode << 29, min_lod | max_lod << 12,
         bias & 0x3FFF | mag << 20 | min_ << 22 | z << 24 | mip << 26, border << 30]
    for index, value in more:
        w[index] |= value
    return w
