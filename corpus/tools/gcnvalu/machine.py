"""One vector instruction on a wave: operands, selection, lanes, writes."""

from gcnmodel import (B32, B64, EXEC, F16, F32, F64, GPR_IDX_EN, I16, I64, M0, VSKIP, ZERO_LANES, Compare,
                      Illegal, Unsupported, bit, check_register, scalar_reader)

from . import floats
from .ints import sext
from .packed import Packed

KIND = {"f16": F16, "i16": I16, "u16": I16, "f64": F64, "i64": I64, "b64": B64, "u64": B64, "f32": F32}
SRC_BIT, DST_BIT = 12, 15               # of M0, in GPR index mode


def bits_of(kind):
    return int(kind[1:])


def dwords_of(kind):
    return max(1, bits_of(kind) // 32)


def read_vgprs(st, n, dwords):
    """64 lane values of v[n : n + dwords - 1]."""
    lanes = st.vgpr.get(n, ZERO_LANES)
    for k in range(1, dwords):
        lanes = [x | y << 32 * k for x, y in zip(lanes, st.vgpr.get(n + k, ZERO_LANES))]
    return lanes


def write_vgpr(st, n, lane, value, dwords):
    for k in range(dwords):
        lanes = st.vgpr.setdefault(n + k, [0] * 64)
        lanes[lane] = value >> 32 * k & 0xFFFFFFFF


class Machine:
    """Executes one decoded `Op`."""

    def __init__(self, op, doubts):
        self.op, self.doubts = op, doubts
        self.readers = []
        scalars = set()
        for n, code in enumerate(op.src):
            self.readers.append(self.reader(n, code))
            if code < 128 or code == 255:
                scalars.add(code & ~1 if code < 128 and self.width(n) == 64 else code)
            elif 251 <= code <= 253 or 235 <= code <= 239:
                scalars.add(code)
        m = op.m
        if m and (m.cin or m.vcc):
            mask = op.mask if m.cin else 106
            check_register(mask, 64, op.arch, doubts) if mask < 128 else None
            if mask >= 128:
                raise Illegal("illegal-operand", "lane mask")
            scalars.add(mask)
        if op.row.mnemonic == "v_writelane_b32":
            scalars.discard(M0)
        if len(scalars) > 1:
            doubts.add("constant-bus")
        if m:
            if m.cout:
                check_register(op.sdst, 64, op.arch, doubts)
                if op.sdst == EXEC:
                    doubts.add("valu-sdst-exec")
            if m.special in ("movrels", "movrelsd", "swap") and op.src[0] < 256:
                raise Illegal("illegal-operand", "SRC0 must be a VGPR")
            if m.special in ("readlane", "readfirstlane"):
                check_register(op.vdst, 32, op.arch, doubts)
                if op.vdst == M0:
                    doubts.add("valu-dst-m0")
            elif m.dst != "none" and op.vdst + dwords_of(m.dst) > 256:
                raise Illegal("illegal-operand", "past v255")
            if m.doubt and m.doubt != "cvt-i16-hi16":
                doubts.add(m.doubt)
        self.overlap_doubt()
        if op.form == "e64" and op.op_sel and not (m.op_sel and op.gen >= 9):
            half = all(bits_of(t) == 16 for t in m.src + [m.dst])
            doubts.add("opsel-promoted" if half else "opsel-ignored")

    def overlap_doubt(self):
        op, m = self.op, self.op.m
        if not m or "qsad" not in op.row.mnemonic:
            return
        written = set(range(op.vdst, op.vdst + dwords_of(m.dst)))
        for n, code in enumerate(op.src):
            if code >= 256 and written & set(range(code - 256, code - 256 + dwords_of(m.src[n]))):
                self.doubts.add("qsad-overlap")

    # --- sources

    def kind(self, n):
        op = self.op
        if op.form == "vop3p" and "_mix" in op.row.mnemonic and not op.packed.op_sel_hi >> n & 1:
            return "f32"
        return op.m.src[n]

    def width(self, n):
        return bits_of(self.kind(n))

    def reader(self, n, code):
        """A function that reads source n from a state: 64 raw lane values, of 16-bit operands whole registers."""
        op, kind = self.op, self.kind(n)
        dwords = dwords_of(kind)
        if code >= 256:
            first = code - 256
            if first + dwords > 256:
                raise Illegal("illegal-operand", "past v255")
            return lambda st: read_vgprs(st, self.indexed(st, first, SRC_BIT + n, dwords), dwords)
        if code in (249, 250):
            raise Illegal("illegal-operand", "SDWA or DPP marker out of place")
        if code == 254:
            raise Unsupported("LDS_DIRECT")
        if dwords == 4:
            raise Unsupported("128-bit scalar operand")
        model_kind = KIND.get(kind, B32)
        if code < 128 and dwords == 1:
            model_kind = B32
        if op.form == "vop3p" and bits_of(kind) == 16 and 128 <= code <= 208:
            model_kind = B32                    # an integer constant extends into the high half
        if kind == "f16" and op.gen < 8 and 240 <= code <= 248:
            self.doubts.add("f16-inline-gfx6")
        scalar = scalar_reader(code, model_kind, op.arch, op.literal, self.doubts)
        return lambda st: [scalar(st)] * 64

    def indexed(self, st, n, m0_bit, dwords):
        """The VGPR number n in GPR index mode.  Out of range it is 0 for sources, None for the destination."""
        op = self.op
        if op.gen < 8 or not bit(st.mode, GPR_IDX_EN):
            return n
        if op.sdwa or op.dpp or op.m and op.m.special:
            st.doubts.add("gpridx-odd")
        if not bit(st.sgpr[M0], m0_bit):
            return n
        if op.row.mnemonic != "v_mov_b32":
            st.doubts.add("gpridx")
        n += st.sgpr[M0] & 0xFF
        if n + dwords > 256:
            st.doubts.add("gpridx-range")
            return 0 if m0_bit != DST_BIT else None
        return n

    def sources(self, st):
        """The 64 lane values of each source after selection, ABS and NEG; and the lanes that DPP disables."""
        op, out = self.op, []
        active = st.read64(EXEC)
        enabled = active
        for n, read in enumerate(self.readers):
            lanes = read(st)
            if n == 0 and op.dpp:
                lanes, enabled = self.moved(st, lanes, active)
            width, is_float = self.width(n), self.kind(n)[0] == "f"
            if op.sdwa:
                lanes = [self.select(x, n) for x in lanes]
            if op.op_sel >> n & 1 and width == 16:
                lanes = [x >> 16 for x in lanes]
            if width == 16 and op.form != "vop3p":
                lanes = [x & 0xFFFF for x in lanes]
            sign = 1 << width - 1
            if op.sdwa and not is_float and width == 16 and (op.abs | op.neg) >> n & 1:
                raise Illegal("illegal-operand", "modifier of an integer source")
            if op.sdwa and op.sdwa.sel[n] < 6 and self.kind(n) == "f32":
                st.doubts.add("sdwa-f32-subword")
            if op.abs >> n & 1:
                lanes = [x & ~sign for x in lanes]
            if op.neg >> n & 1:
                lanes = [x ^ sign for x in lanes]
            out.append(lanes)
        return out, enabled

    def select(self, x, n):
        sel = self.op.sdwa.sel[n]
        if sel == 6:
            return x
        x, width = (x >> 8 * sel & 0xFF, 8) if sel < 4 else (x >> 16 * (sel - 4) & 0xFFFF, 16)
        return sext(x, width) & 0xFFFFFFFF if self.op.sdwa.sext[n] else x

    def moved(self, st, lanes, active):
        """The values of SRC0 as DPP moves them between lanes, and the lanes that take part."""
        dpp = self.op.dpp
        out, enabled = [0] * 64, 0
        for lane in range(64):
            if not (active >> lane & 1 and dpp.enabled(lane)):
                continue
            source = dpp.source(lane)
            if source is not None and not active >> source & 1:
                st.doubts.add("dpp-inactive-src")
                source = None
            if source is None and not dpp.bound_ctrl:
                continue
            enabled |= 1 << lane
            out[lane] = 0 if source is None else lanes[source]
        return out, enabled

    # --- execution

    def step(self, st):
        """Executes the instruction on a state; PC stays as it is."""
        op, m = self.op, self.op.m
        if bit(st.mode, VSKIP):
            st.doubts.add("vskip-bit")
            return
        if op.gen < 8 and bit(st.mode, GPR_IDX_EN):
            st.doubts.add("mode-bits")
        if m.special:
            getattr(self, m.special)(st)
            return
        clamps = m.clamp == "int" and op.gen >= 8 or op.packed and m.clamp
        env = floats.Env(st.mode, op.gen, op.clamp if clamps else 0)
        env.doubts = st.doubts
        sources, enabled = self.sources(st)
        dwords = dwords_of(m.dst)
        target = self.indexed(st, op.vdst, DST_BIT, dwords)
        if m.acc and target != op.vdst:
            st.doubts.add("gpridx-mac")
        old = read_vgprs(st, op.vdst if target is None else target, dwords)
        if m.acc:
            mask = 0xFFFF if bits_of(m.dst) == 16 else 0xFFFFFFFF
            if target is None:
                old = read_vgprs(st, 0, dwords)
            sources.append([x & mask for x in old])
        mask_in = st.read64(op.mask) if m.cin else st.read64(106)
        flags, results = 0, {}
        modifiers = [Packed(op.packed.op_sel, op.packed.op_sel_hi, op.packed.neg_lo, op.packed.neg_hi)] \
            if op.packed else []
        for lane in range(64):
            if not enabled >> lane & 1:
                continue
            env.lane, env.old = lane, old[lane]
            env.carry = mask_in >> lane & 1 if m.cin or m.vcc else 0
            r = m.f(env, *modifiers, *(s[lane] for s in sources))
            if m.cout:
                r, flag = r
                flags |= flag << lane
            results[lane] = self.finish(st, env, r, old[lane])
        if m.cout:
            if op.dpp and enabled != st.read64(EXEC):
                st.doubts.add("dpp-carry")
            if st.read64(EXEC) == 0:
                st.doubts.add("valu-exec-zero")
            st.write64(op.sdst, flags)
        if target is not None:
            for lane, r in results.items():
                write_vgpr(st, target, lane, r, dwords)

    def finish(self, st, env, r, old):
        """The register that holds result r after OMOD and CLAMP; `old` is what it held before."""
        op, m = self.op, self.op.m
        if m.float_result and not op.packed:
            fmt = floats.FORMATS[m.dst]
            r = env.omod(fmt, r, op.omod)
            if op.clamp:
                r = env.clamped(fmt, r)
        elif (op.omod or op.clamp) and m.clamp == "ignored":
            st.doubts.add("cvt-int-clamp")
        if m.doubt == "cvt-i16-hi16" and old >> 16 and not op.sdwa:
            st.doubts.add("cvt-i16-hi16")
        if op.sdwa:
            return self.place(r, old)
        return self.half(st, r, old) if bits_of(m.dst) == 16 else r

    def half(self, st, r, old):
        """The register that a 16-bit result r leaves; `old` is what it held before."""
        op, m = self.op, self.op.m
        if op.gen < 9:
            return r
        if "mixhi" in op.row.mnemonic or op.op_sel >> 3 & 1:
            return r << 16 | old & 0xFFFF
        if m.keep and m.keep != "keep" and old >> 16:
            st.doubts.add("mac-f16-hi16" if m.keep == "mac" else "hi16-new9")
        if m.keep in ("keep", "mac", "keep-new9"):
            return old & 0xFFFF0000 | r
        return r

    def place(self, r, old):
        """The register of an SDWA result: r in the field DST_SEL, the rest by DST_UNUSED."""
        sdwa = self.op.sdwa
        if sdwa.dst_sel == 6:
            return r
        shift, width = (8 * sdwa.dst_sel, 8) if sdwa.dst_sel < 4 else (16 * (sdwa.dst_sel - 4), 16)
        field = (r & (1 << width) - 1) << shift
        if sdwa.dst_unused == 0:
            return field
        if sdwa.dst_unused == 1:
            return sext(field, shift + width) & 0xFFFFFFFF
        return old & ~((1 << width) - 1 << shift) & 0xFFFFFFFF | field

    # --- moves and lane operations

    def nothing(self, st):
        pass

    def readfirstlane(self, st):
        active = st.read64(EXEC)
        lane = (active & -active).bit_length() - 1 if active else 0
        self.to_sgpr(st, self.plain(st, 0)[lane])

    def readlane(self, st):
        if self.op.src[1] >= 256:
            st.doubts.add("lane-sel-vgpr")
        lane = self.plain(st, 1)[0] & 63
        self.to_sgpr(st, self.plain(st, 0)[lane])

    def writelane(self, st):
        if self.op.src[1] >= 256:
            st.doubts.add("lane-sel-vgpr")
        lane = self.plain(st, 1)[0] & 63
        write_vgpr(st, self.op.vdst, lane, self.plain(st, 0)[0], 1)

    def plain(self, st, n):
        """The 64 values of source n of a lane operation, which is never indexed."""
        if self.op.gen >= 8 and bit(st.mode, GPR_IDX_EN):
            st.doubts.add("gpridx-odd")
        code = self.op.src[n]
        return read_vgprs(st, code - 256, 1) if code >= 256 else self.readers[n](st)

    def to_sgpr(self, st, value):
        st.sgpr[self.op.vdst] = value

    def swap(self, st):
        a, b = self.op.vdst, self.op.src[0] - 256
        x, y = list(read_vgprs(st, a, 1)), list(read_vgprs(st, b, 1))
        for lane in range(64):
            if st.read64(EXEC) >> lane & 1:
                write_vgpr(st, a, lane, y[lane], 1)
                write_vgpr(st, b, lane, x[lane], 1)

    def move(self, st, source, target):
        """v[target] = v[source], or = SRC0 if `source` is None.  Register numbers may be out of range."""
        if source is None:
            lanes = self.readers[0](st)
        elif source > 255:
            st.doubts.add("movrel-range")
            lanes = list(read_vgprs(st, 0, 1))
        else:
            lanes = list(read_vgprs(st, source, 1))
        if target > 255:
            st.doubts.add("movrel-range")
            return
        for lane in range(64):
            if st.read64(EXEC) >> lane & 1:
                write_vgpr(st, target, lane, lanes[lane], 1)

    def movrels(self, st):
        self.move(st, self.op.src[0] - 256 + st.sgpr[M0], self.op.vdst)

    def movreld(self, st):
        self.move(st, None, self.op.vdst + st.sgpr[M0])

    def movrelsd(self, st):
        self.move(st, self.op.src[0] - 256 + st.sgpr[M0], self.op.vdst + st.sgpr[M0])


class CompareMachine(Machine):
    """A compare in SDWA or DPP form."""

    def __init__(self, op, doubts):
        self.compare = Compare(op.row, op.arch, doubts)
        letter, width = self.compare.letter, self.compare.width
        second = "b32" if self.compare.is_class else f"{letter}{width}"
        self.kinds = [f"{letter}{width}", second]
        if width == 64:
            raise Illegal("illegal-operand", "64-bit compare")
        check_register(op.sdst, 64, op.arch, doubts)
        if op.dpp:
            doubts.add("dpp-vopc")
        if op.clamp:
            doubts.add("sdwa-vopc-clamp")
        super().__init__(op, doubts)

    def kind(self, n):
        return self.kinds[n]

    def step(self, st):
        op, compare = self.op, self.compare
        if bit(st.mode, VSKIP):
            st.doubts.add("vskip-bit")
            return
        (a, b), enabled = self.sources(st)
        if st.read64(EXEC) == 0:
            st.doubts.add("vcmp-exec-zero")
        flush = compare.is_float and not compare.is_class and compare.flushes(st.mode)
        r = compare.result(a, b, enabled, flush)
        if flush and r != compare.result(a, b, enabled, False):
            st.doubts.add("cmp-denorm-flush")
        st.write64(op.sdst, r)
        if compare.writes_exec:
            st.write64(EXEC, r)
