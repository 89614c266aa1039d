//! Segments read nothing beside a site and LDS: both lie beside pages that cannot be read, where a byte too much is a
//! fault of the host.
#![allow(unsafe_code)]

use std::ptr::{from_mut, null_mut};

use gcnsim_helpers::segment_frame::offset;
use gcnsim_isa::{Arch, Inst, LANES, Vgpr, decode, reg};
use gcnsim_random::Rng;

use crate::segments::{Draft, Features, Options, Segment, SegmentFrame};
use crate::special::Special;

/// Bytes of a page of x86-64.
const PAGE: usize = 4096;

/// A page between two that cannot be accessed.
struct Page {
    start: *mut u8,
}

impl Page {
    fn random(rng: &mut Rng) -> Page {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        // SAFETY: a new mapping of three pages, of which the one in the midst is made accessible and filled.
        unsafe {
            let all = libc::mmap(null_mut(), 3 * PAGE, libc::PROT_NONE, flags, -1, 0);
            assert_ne!(all, libc::MAP_FAILED);
            let start = all.byte_add(PAGE);
            assert_eq!(libc::mprotect(start, PAGE, libc::PROT_READ | libc::PROT_WRITE), 0);
            let page = Page { start: start.cast() };
            (0..PAGE).for_each(|i| page.start.add(i).write(rng.bits() as u8));
            page
        }
    }

    /// The first or the last bytes.
    fn bytes(&self, len: usize, is_last: bool) -> &[u8] {
        let at = if is_last { PAGE - len } else { 0 };
        // SAFETY: the page has them, and nobody writes them again.
        unsafe { std::slice::from_raw_parts(self.start.add(at), len) }
    }
}

impl Drop for Page {
    fn drop(&mut self) {
        // SAFETY: the mapping of `random`.
        unsafe { libc::munmap(self.start.sub(PAGE).cast(), 3 * PAGE) };
    }
}

/// Writes to the frame at an offset of `segment_frame::offset`.
fn put<T: Copy>(frame: &mut SegmentFrame, at: i32, value: T) {
    // SAFETY: a field of that size is there.
    unsafe { from_mut(frame).byte_add(at as usize).cast::<T>().write_unaligned(value) };
}

/// The instructions as a segment, with a site for loads.
fn segment(insts: &[Inst], features: Features) -> Segment {
    let options = Options { features, mode: None };
    let draft = Draft::with_sites(insts, &options, 0..1, Special::OFF).unwrap();
    assert_eq!(draft.len(), insts.len());
    Segment::seal(vec![draft]).unwrap().pop().unwrap()
}

/// The frame of a segment without context. `scalars` are values of registers by operand code.
fn frame(segment: &Segment, exec: u64, scalars: &[(u8, u32)]) -> SegmentFrame {
    let mut frame = SegmentFrame::default();
    let scalars = [&[(reg::EXEC_LO, exec as u32), (reg::EXEC_HI, (exec >> 32) as u32)], scalars].concat();
    for input in segment.inputs() {
        let value = scalars.iter().find(|(code, _)| *code == input.code).unwrap().1;
        frame.sgpr[usize::from(input.slot)] = value;
    }
    frame
}

fn exec(rng: &mut Rng) -> u64 {
    match rng.below(6) {
        0 | 1 => !0,
        2 => 1 << rng.below(64),
        3 => rng.mask() & rng.mask(),
        4 => 0xffff << (8 * rng.below(7)),
        _ => rng.mask(),
    }
}

fn is_active(exec: u64, lane: usize) -> bool {
    exec >> lane & 1 == 1
}

/// Distances of elements of `bytes` bytes below `count`, in one of the arrangements that segments tell apart. Those of
/// lanes that are not active may be any.
fn distances(rng: &mut Rng, exec: u64, bytes: i64, count: i64) -> [i64; LANES] {
    let (first, last) = (exec.trailing_zeros() as i64 % 64, 63 - exec.leading_zeros() as i64 % 64);
    let step = rng.pick(&[bytes, bytes, 1, 0]);
    let room = count - 1 - step * (last - first);
    let mut places = [0; LANES];
    if room < 0 || rng.below(4) == 0 {
        places.fill_with(|| {
            let within = i64::from(rng.below(count as u32));
            rng.pick(&[0, count - 1, within])
        });
    } else {
        // The row begins with the site, ends with it, or lies within.
        let within = i64::from(rng.below(room as u32 + 1));
        let begin = rng.pick(&[0, room, within]) - step * first;
        for (place, lane) in places.iter_mut().zip(0..) {
            *place = begin + step * lane;
        }
    }
    if rng.below(2) == 0 {
        for lane in (0..LANES).filter(|&lane| !is_active(exec, lane)) {
            places[lane] = i64::from(rng.dword() as i32);
        }
    }
    places
}

/// An element that is extended to a dword.
fn extended(bytes: &[u8], is_signed: bool) -> u32 {
    let fill = if is_signed && bytes[bytes.len() - 1] >= 0x80 { 0xff } else { 0 };
    u32::from_le_bytes(std::array::from_fn(|i| *bytes.get(i).unwrap_or(&fill)))
}

/// Loads of all sizes at both ends of a site. With an address outside, nothing is loaded.
#[test]
fn loads_stay_within_their_site() {
    let mut rng = Rng::new(0x5bd1_e995_2026_1126);
    let page = Page::random(&mut rng);
    for features in Features::available() {
        for (op, bytes, is_signed) in [(16, 1, false), (17, 1, true), (18, 2, false), (19, 2, true), (20, 4, false)] {
            for saddr in [0x7f, 4u8] {
                let second = 0x0200_0000 | u32::from(saddr) << 16;
                let load = decode(Arch::Gcn14, 0xdc00_8000 | op << 18, Some(second)).unwrap();
                let segment = segment(&[load], features);
                for _ in 0..600 {
                    let len = rng.pick(&[4, 5, 7, 8, 31, 32, 63, 64, 65, 100, 255, 256, 257, PAGE]);
                    let data = page.bytes(len, rng.below(2) == 0);
                    let count = (len + 1 - bytes) as u32;
                    let within = rng.below(1 << 30);
                    let low = rng.pick(&[0, 4, 0u32.wrapping_sub(count), within]);
                    let site = u64::from(rng.dword()) << 32 | u64::from(low);
                    let exec = exec(&mut rng);
                    let mut places = distances(&mut rng, exec, bytes as i64, i64::from(count));
                    let odd = rng.below(512) as usize;
                    if odd < LANES {
                        // (The sum of a base and 32 bits does not reach the address with another high dword.)
                        let far = if saddr == 4 { -1 } else { 1 << 32 };
                        places[odd] = rng.pick(&[-1, i64::from(count), i64::from(count) + 64, far]);
                    }
                    let is_outside = odd < LANES && is_active(exec, odd);
                    let (base, mut vgprs) = (site.wrapping_sub(5000), vec![Vgpr([0; LANES]); 4]);
                    for (lane, &place) in places.iter().enumerate() {
                        let address = site.wrapping_add(place as u64);
                        let address = if saddr == 4 { address.wrapping_sub(base) } else { address };
                        (vgprs[0].0[lane], vgprs[1].0[lane]) = (address as u32, (address >> 32) as u32);
                        vgprs[2].0[lane] = rng.dword();
                    }
                    let before = vgprs[2];
                    let mut frame = frame(&segment, exec, &[(4, base as u32), (5, (base >> 32) as u32)]);
                    put(&mut frame, offset::site_host(0), data.as_ptr());
                    put(&mut frame, offset::site_low(0), low);
                    put(&mut frame, offset::site_high(0), (site >> 32) as u32);
                    put(&mut frame, offset::site_count(0), count);
                    put(&mut frame, offset::site_last(0), len as u32 - 4);
                    // SAFETY: there are all VGPRs that the segment names, and the site has all of `data`.
                    let declined = unsafe { (segment.function())(vgprs.as_mut_ptr(), &mut frame) };
                    assert_eq!(declined != 0, is_outside, "{op} {len} {exec:#x} {places:?}");
                    for lane in 0..LANES {
                        let expected = match usize::try_from(places[lane]) {
                            Ok(place) if is_active(exec, lane) && !is_outside => {
                                extended(&data[place..place + bytes], is_signed)
                            }
                            _ => before.0[lane],
                        };
                        assert_eq!(vgprs[2].0[lane], expected, "{op} {len} {exec:#x} lane {lane} {places:?}");
                    }
                }
            }
        }
    }
}

/// Reads of LDS: opcode, bytes of an element, and the offsets of elements in units of their size.
const READS: [(u32, usize, &[usize]); 9] = [
    (54, 4, &[0]),
    (54, 4, &[16]),
    (55, 4, &[0, 1]),
    (55, 4, &[3, 40]),
    (118, 8, &[0]),
    (119, 8, &[0, 1]),
    (119, 8, &[7, 2]),
    (254, 12, &[0]),
    (255, 16, &[0]),
];

/// An instruction of [`READS`] that reads from v0 to v4 and those behind.
fn read(arch: Arch, (op, bytes, offsets): (u32, usize, &[usize])) -> Inst {
    let bits = match *offsets {
        [offset] => (offset * bytes) as u32,
        [first, second] => (first | second << 8) as u32,
        _ => unreachable!("one or two elements"),
    };
    decode(arch, 0xd800_0000 | op << 17 | bits, Some(4 << 24)).unwrap()
}

/// Reads of LDS at both ends of it, whatever its size and M0. What is out of range is left to helpers, which a frame
/// without context does not call.
#[test]
fn reads_stay_within_lds() {
    let mut rng = Rng::new(0x1b87_3593_2026_1126);
    let page = Page::random(&mut rng);
    for features in Features::available() {
        for (arch, read_of) in [Arch::Gcn12, Arch::Gcn14].into_iter().flat_map(|arch| READS.map(|read| (arch, read))) {
            let (_, bytes, offsets) = read_of;
            let segment = segment(&[read(arch, read_of)], features);
            let mut complete = 0;
            for _ in 0..600 {
                let len = rng.pick(&[0, 4, 8, 60, 64, 68, 256, 512, 1000, PAGE]);
                let lds = page.bytes(len, rng.below(2) == 0);
                let m0 = rng.pick(&[!0, !0, 0x1_ffff, 0xffff, 0x2_0000, 100, 4, 0]);
                let limit = if arch == Arch::Gcn12 { len.min(m0 as usize & 0x1_ffff) } else { len };
                let last = bytes * offsets.iter().max().unwrap() + bytes;
                let exec = exec(&mut rng);
                let count = (limit as i64 + 1 - last as i64).max(1);
                let mut places = distances(&mut rng, exec, bytes as i64, count);
                let mask = rng.pick(&[!0, !3, !(bytes.next_power_of_two() as i64 - 1)]);
                places.iter_mut().for_each(|place| *place &= mask);
                let odd = rng.below(256) as usize;
                if odd < LANES {
                    places[odd] = rng.pick(&[-4, count, count + 3, 0x7fff_fffc, 0xffff_fff0]);
                }
                let mut vgprs = vec![Vgpr([0; LANES]); 12];
                vgprs[0].0 = places.map(|place| place as u32);
                let mut frame = frame(&segment, exec, &[(reg::M0, m0)]);
                put(&mut frame, offset::LDS, lds.as_ptr());
                put(&mut frame, offset::LDS_BYTES, len as u64);
                // SAFETY: there are all VGPRs that the segment names, and LDS has all of `lds`.
                unsafe { (segment.function())(vgprs.as_mut_ptr(), &mut frame) };
                if frame.left_chunks != 0 {
                    continue;
                }
                complete += u32::from(exec != 0);
                let dwords = offsets.iter().flat_map(|offset| (0..bytes / 4).map(move |k| offset * bytes + 4 * k));
                for (n, more) in dwords.enumerate() {
                    for lane in (0..LANES).filter(|&lane| is_active(exec, lane)) {
                        let at = places[lane] as u32 as usize + more;
                        assert!(at + 4 <= limit, "{read_of:?} {len} {m0:#x} {exec:#x} {places:?}");
                        let expected = extended(&lds[at..at + 4], false);
                        assert_eq!(vgprs[4 + n].0[lane], expected, "{read_of:?} {len} {exec:#x} {places:?}");
                    }
                }
            }
            assert!(complete > 50, "{arch:?} {read_of:?}: {complete}");
        }
    }
}
