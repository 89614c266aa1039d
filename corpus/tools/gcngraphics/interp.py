"""V_INTERP_*: attributes of a primitive; LDS_DIRECT."""

from gcnmem.formats import half_to_single
from gcnmem.machine import M32, sx
from gcnvalu import arith
from gcnvalu.floats import F16, F32, Env

# where P0, P10 and P20 of the channels are among the twelve dwords of an attribute
P0, P10, P20 = (0, 2, 4, 6), (1, 3, 5, 7), (8, 9, 10, 11)


def share(w, address, size=4):
    """`size` bytes of LDS as a number; 0 where there is no LDS."""
    if w.lds is None or address + size > len(w.lds):
        w.doubts.add("interp-outside")
        return 0
    return w.read([("lds", address, size)])


def parameter(w, op, lane, slot):
    """The dword of an attribute for a lane's primitive."""
    mask = w.m0 >> 16 & 0x7FFF
    primitives = 1 + mask.bit_count()
    mine = (mask & (1 << lane // 4) - 1).bit_count()
    w.doubts.add("interp-lds")
    return share(w, 4 * ((w.m0 & 0xFFFF) // 4 + 12 * (op.attr * primitives + mine) + slot[op.chan]))


def execute(w, op):
    env = Env(w.st.mode, op.gen)
    env.doubts = w.doubts
    written = {}
    for lane in w.lanes():
        written[lane] = INSTRUCTIONS[op.m.op](w, op, env, lane)
    for lane, value in written.items():
        w.set_v(op.vdst, lane, value)


def modified(op, n, value):
    """A value after NEG and ABS of the VOP3 form; n is 1 for the register, 2 for the addend."""
    if op.row.encoding != "VOP3":
        return value
    if op.abs >> n & 1:
        value &= 0x7FFFFFFF
    return value ^ (0x80000000 if op.neg >> n & 1 else 0)


def finish(op, env, fmt, value):
    """A result after OMOD and CLAMP of the VOP3 form."""
    if op.row.encoding != "VOP3":
        return value
    value = env.omod(fmt, value, op.omod)
    return env.clamped(fmt, value) if op.clamp else value


def p1(w, op, env, lane):
    s = modified(op, 1, w.v(op.vsrc, lane))
    return finish(op, env, F32, arith.mad(env, F32, parameter(w, op, lane, P10), s, parameter(w, op, lane, P0)))


def p2(w, op, env, lane):
    s = modified(op, 1, w.v(op.vsrc, lane))
    return finish(op, env, F32, arith.mad(env, F32, parameter(w, op, lane, P20), s, w.v(op.vdst, lane)))


def mov(w, op, _env, lane):
    return parameter(w, op, lane, (P10, P20, P0)[op.vsrc])


def half(w, op, lane, slot):
    """The half of an attribute's dword that the instruction selects, as binary32."""
    return half_to_single(parameter(w, op, lane, slot) >> 16 * op.high & 0xFFFF)


def p1ll(w, op, env, lane):
    s = modified(op, 1, w.v(op.vsrc, lane))
    w.doubts.add("interp-f16")
    return finish(op, env, F32, arith.mad(env, F32, half(w, op, lane, P10), s, half(w, op, lane, P0)))


def src2(w, op, lane):
    return w.v(op.src2 - 256, lane)


def p1lv(w, op, env, lane):
    s = modified(op, 1, w.v(op.vsrc, lane))
    w.doubts.add("interp-f16")
    addend = half_to_single(src2(w, op, lane) >> 16 * op.high & 0xFFFF)
    return finish(op, env, F32, arith.mad(env, F32, half(w, op, lane, P10), s, modified(op, 2, addend)))


def p2_half(w, op, env, lane):
    """V_INTERP_P2 to binary16: the product is rounded to binary32, then the sum to binary16."""
    s = modified(op, 1, w.v(op.vsrc, lane))
    addend = modified(op, 2, src2(w, op, lane))
    w.doubts.add("interp-f16")
    a, s, addend = (env.flush(F32, x, True) for x in (half(w, op, lane, P20), s, addend))
    product = arith.mul(env, F32, a, s, True)
    value = narrow_sum(env, product, addend)
    value = finish(op, env, F16, value)
    if op.gen < 9 or op.m.op == "p2_legacy_f16":
        return value
    old = w.v(op.vdst, lane)
    return old & 0xFFFF | value << 16 if op.op_sel >> 3 & 1 else old & 0xFFFF0000 | value


def narrow_sum(env, a, b):
    if F32.is_nan(a) or F32.is_nan(b):
        nan = a if F32.is_nan(a) else b
        return nan >> 16 & 0x8000 | 0x7E00 | nan >> 13 & 0x3FF
    if F32.is_inf(a) or F32.is_inf(b):
        if F32.is_inf(a) and F32.is_inf(b) and a != b:
            return 0xFE00
        return (a if F32.is_inf(a) else b) >> 16 & 0x8000 | 0x7C00
    sign, m, e = arith.exact_sum(F32.value(a), F32.value(b), env.round[16])
    return env.store(F16, sign, m, e, flush=True)


INSTRUCTIONS = {"p1_f32": p1, "p2_f32": p2, "mov_f32": mov, "p1ll_f16": p1ll, "p1lv_f16": p1lv, "p2_f16": p2_half,
                "p2_legacy_f16": p2_half}


def direct(w, op):
    """V_MOV_B32 from LDS_DIRECT: one value for all lanes; M0 has address and type."""
    w.doubts.add("lds-direct")
    kind = w.m0 >> 16 & 7
    size = {0: 1, 1: 2, 2: 4, 4: 1, 5: 2}[kind]
    value = share(w, w.m0 & 0xFFFF, size)
    if kind >= 4:
        value = sx(value, 8 * size) & M32
    for lane in w.lanes():
        w.set_v(op.vdst, lane, value)
