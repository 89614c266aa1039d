"""Pixel shaders that change EXEC: discard, helper lanes for derivatives, divergent branches and loops."""

from .pixel_color import RAMP
from .pixels import COVERAGES, Pixels, derivatives, pixel


@pixel
def discard_some(s):
    """Pixels under a line are discarded; the wave has one that stays, so there is no early end."""
    p = Pixels(s, COVERAGES[0], mask=2)
    colour = p.varying(0, *RAMP)
    p.place_attributes()
    s.text("""
        s_mov_b64 s[4:5], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xyzw
        v_cmp_gt_f32 vcc, 0.5, v2
        s_andn2_b64 s[4:5], s[4:5], vcc
        s_cbranch_scc0 nothing
        s_wqm_b64 s[6:7], s[4:5]
        s_and_b64 exec, exec, s[6:7]
        v_mul_f32 v3, 2.0, v3
        s_mov_b64 exec, s[4:5]
        exp mrt0 v2, v3, v4, v5 done vm
        s_endpgm
    nothing:
        s_mov_b64 exec, 0
        exp null off, off, off, off done vm
        s_endpgm""")
    stay = [lane for lane in s.lanes() if not colour(lane)[0] < 0.5]
    assert 0 < len(stay) < len(s.lanes())

    def doubled(lane):
        r, g, b, a = colour(lane)
        return [r, 2 * g, b, a]
    s.export("mrt0", doubled, done=True, vm=True, lanes=stay)


@pixel
def discard_all(s):
    """Every pixel is discarded: only the null export is left."""
    p = Pixels(s, COVERAGES[3], mask=2)
    value = p.varying(0, (0.125, 0.25, 0.25))
    p.place_attributes()
    s.text("""
        s_mov_b64 s[4:5], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        v_cmp_gt_f32 vcc, 1.0, v2
        s_andn2_b64 s[4:5], s[4:5], vcc
        s_cbranch_scc0 nothing
        s_mov_b64 exec, s[4:5]
        exp mrt0 v2, off, off, off done vm
        s_endpgm
    nothing:
        s_mov_b64 exec, 0
        exp null off, off, off, off done vm
        s_endpgm""")
    assert all(value(lane)[0] < 1 for lane in s.lanes())
    s.null_export(lanes=[])


@pixel
def discard_by_cmpx(s):
    """Discard with V_CMPX, and the jump over the rest where nothing is left of the wave."""
    p = Pixels(s, COVERAGES[4], mask=2)
    value = p.varying(0, (-1.0, 4.0, 2.0), (1.0, 1.0, 1.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_cmpx_le_f32 vcc, 0, v2
        s_cbranch_execz nothing
        exp mrt0 v2, v3, off, off done vm
        s_endpgm
    nothing:
        exp null off, off, off, off done vm
        s_endpgm""")
    stay = [lane for lane in s.lanes() if value(lane)[0] >= 0]
    assert 0 < len(stay) < len(s.lanes())
    s.export("mrt0", value, done=True, vm=True, lanes=stay)


@pixel
def screen_derivatives(s):
    """dFdx, dFdy and fwidth of a product, with helper lanes."""
    p = Pixels(s, 0x0000_0008_0010_2421, mask=2)
    place = p.varying(0, (0.5, 4.0, 1.0), (0.25, -2.0, 8.0))
    p.place_attributes()
    s.text("""
        s_mov_b64 s[4:5], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_mul_f32 v2, v2, v3
        quad v3, v2, 0,0,0,0
        quad v4, v2, 1,1,1,1
        quad v5, v2, 2,2,2,2
        v_sub_f32 v4, v4, v3
        v_sub_f32 v5, v5, v3
        v_add_f32 v6, |v4|, |v5|
        s_mov_b64 exec, s[4:5]
        exp mrt0 v4, v5, v6, v2 done vm
        s_endpgm""")

    def product(lane):
        x, y = place(lane)
        return x * y

    def colour(lane):
        across, down = derivatives(product, lane)
        return [across, down, abs(across) + abs(down), product(lane)]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def fine_derivatives(s):
    """Derivatives in the row and the column of each pixel."""
    p = Pixels(s, COVERAGES[5], mask=2)
    place = p.varying(0, (0.5, 4.0, 1.0), (0.25, -2.0, 8.0))
    p.place_attributes()
    s.text("""
        s_mov_b64 s[4:5], exec
        s_wqm_b64 exec, exec
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_mul_f32 v2, v2, v3
        quad v3, v2, 0,0,2,2
        quad v4, v2, 1,1,3,3
        quad v5, v2, 0,1,0,1
        quad v6, v2, 2,3,2,3
        v_sub_f32 v4, v4, v3
        v_sub_f32 v5, v6, v5
        s_mov_b64 exec, s[4:5]
        exp mrt0 v4, v5, off, off done vm
        s_endpgm""")

    def product(lane):
        x, y = place(lane)
        return x * y
    s.export("mrt0", lambda lane: [product(lane | 1) - product(lane & ~1), product(lane | 2) - product(lane & ~2)],
             done=True, vm=True)


@pixel
def if_else(s):
    """Divergent branches, as ACO makes them: both sides jump over what no lane needs."""
    p = Pixels(s, COVERAGES[4], mask=2)
    value = p.varying(0, (-1.0, 2.0, 4.0), (0.5, 1.0, -1.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.xy
        v_cmp_lt_f32 vcc, 0, v2
        s_and_saveexec_b64 s[4:5], vcc
        s_cbranch_execz other
        v_mul_f32 v3, v2, v3
        v_add_f32 v3, 1.0, v3
    other:
        s_andn2_b64 exec, s[4:5], exec
        s_cbranch_execz both
        v_sub_f32 v3, v3, v2
        v_mul_f32 v3, 0.5, v3
    both:
        s_mov_b64 exec, s[4:5]
        exp mrt0 v3, off, off, off done vm
        s_endpgm""")

    def colour(lane):
        x, y = value(lane)
        return [x * y + 1 if x > 0 else (y - x) / 2]
    s.export("mrt0", colour, done=True, vm=True)


@pixel
def loop_with_break(s):
    """Each lane doubles until it is over a limit; lanes leave the loop one by one."""
    p = Pixels(s, COVERAGES[2], mask=2)
    value = p.varying(0, (0.03125, 1.0, 2.0))
    p.place_attributes()
    s.text("""
        s_mov_b32 m0, s2
        [9] s_nop 0
        interp v2, attr0.x
        v_mov_b32 v3, 0
        s_mov_b64 s[4:5], exec
    again:
        v_cmp_gt_f32 vcc, 4.0, v2
        s_and_b64 exec, exec, vcc
        s_cbranch_execz out
        v_add_f32 v2, v2, v2
        v_iadd v3, 1, v3
        s_branch again
    out:
        s_mov_b64 exec, s[4:5]
        exp mrt0 v2, v3, off, off done vm
        s_endpgm""")

    def colour(lane):
        x, n = value(lane)[0], 0
        while x < 4:
            x, n = 2 * x, n + 1
        return [x, n]
    s.export("mrt0", colour, done=True, vm=True)
