//! What loads leave in their sites.
#![allow(unsafe_code)]

use gcnsim_helpers::memory::SiteLoad;
use gcnsim_isa::{Arch, Vgpr, decode};

use super::*;
use crate::segments::{Draft, Features, Options, Segment, SegmentFrame, Width};
use crate::special::Special;

/// Opcodes of GLOBAL.
const LOAD_UBYTE: u32 = 0x10;
const LOAD_SBYTE: u32 = 0x11;
const LOAD_USHORT: u32 = 0x12;
const LOAD_SSHORT: u32 = 0x13;
const LOAD_DWORD: u32 = 0x14;

/// Writes to the frame at an offset of `segment_frame::offset`.
fn put<T: Copy>(frame: &mut SegmentFrame, at: i32, value: T) {
    // SAFETY: a field of that size is there.
    unsafe { std::ptr::from_mut(frame).byte_add(at as usize).cast::<T>().write_unaligned(value) };
}

/// A dword of the frame.
fn dword(frame: &SegmentFrame, at: i32) -> u32 {
    // SAFETY: the field is there.
    unsafe { std::ptr::from_ref(frame).byte_add(at as usize).cast::<u32>().read() }
}

/// Instruction `opcode` of GLOBAL, which loads v2 from the addresses v[0:1], as a segment, and a frame whose site 0 has
/// `data` from address 0 on.
fn loading(opcode: u32, data: &[u32]) -> Option<(Segment, SegmentFrame)> {
    let features = Features::detect().filter(|features| features.width == Width::Zmm)?;
    let load = decode(Arch::Gcn14, 0xdc00_8000 | opcode << 18, Some(0x027f_0000)).unwrap();
    let bytes = SiteLoad::of(&load)?.load.bytes;
    let draft = Draft::with_sites(&[load], &Options { features, mode: None }, 0..1, Special::OFF)?;
    let mut frame = SegmentFrame::default();
    frame.sgpr[126..128].fill(!0);
    put(&mut frame, offset::site_host(0), data.as_ptr());
    put(&mut frame, offset::site_count(0), 4 * data.len() as u32 + 1 - u32::from(bytes));
    put(&mut frame, offset::site_last(0), 4 * data.len() as u32 - 4);
    Some((Segment::seal(vec![draft])?.pop()?, frame))
}

/// Loads from addresses of `data`, and compares the result.
fn load(segment: &Segment, frame: &mut SegmentFrame, data: &[u32], addresses: [u32; 64]) {
    let mut vgprs = [Vgpr(addresses), Vgpr([0; 64]), Vgpr([0; 64])];
    // SAFETY: there are three VGPRs, and the site is that of `data`.
    let declined = unsafe { (segment.function())(vgprs.as_mut_ptr(), frame) };
    assert_eq!((declined, vgprs[2].0), (0, addresses.map(|address| data[address as usize / 4])));
}

/// The place that is fetched ahead lies four steps behind a row.
#[test]
fn rows_are_followed() {
    let data: Vec<u32> = (0..1024).map(|n| n ^ 0x5555).collect();
    let Some((segment, mut frame)) = loading(LOAD_DWORD, &data) else { return };
    // Steps of 256 bytes up, and one of 512 down. (At first, the last chunk is where the row seems to have come to.)
    let expected = [(0, 0), (256, 768), (512, 1024), (768, 1024), (256, 1024), (256, -2048), (256, 0)];
    for (row, ahead) in expected {
        load(&segment, &mut frame, &data, std::array::from_fn(|lane| row + 4 * lane as u32));
        assert_eq!(dword(&frame, offset::site_ahead(0)) as i32, ahead, "{row}");
    }
}

/// Lanes that walk by themselves: the lines behind those that they begin are fetched, in the last chunk of which the
/// frame tells. Lanes that jump fetch nothing.
#[test]
fn walking_lanes_fetch_their_next_lines() {
    let data: Vec<u32> = (0..64 * 64 + 64).map(|n| n ^ 0x5555).collect();
    // The words by which lanes are ahead of the first one, the step in words, and the lanes of a chunk that begin a
    // line after 15 and 16 steps.
    let together: (fn(u32) -> u32, u32, [u32; 2]) = (|_| 0, 1, [0, 0xffff]);
    let apart: (fn(u32) -> u32, u32, [u32; 2]) = (|lane| lane % 16, 1, [1 << 1, 1 << 0]);
    let jumping: (fn(u32) -> u32, u32, [u32; 2]) = (|_| 0, 16, [0, 0]);
    for (more, step, begin) in [together, apart, jumping] {
        let Some((segment, mut frame)) = loading(LOAD_DWORD, &data) else { return };
        for round in 0..17 {
            let rounds = if step == 1 { round } else { round % 4 };
            let addresses = std::array::from_fn(|lane| 256 * lane as u32 + 4 * (more(lane as u32) + step * rounds));
            put(&mut frame, offset::BEGINS, [0u32; 16]);
            load(&segment, &mut frame, &data, addresses);
            let Some(&begin) = round.checked_sub(15).and_then(|n| begin.get(n as usize)) else { continue };
            let mut wanted = (0..16).filter(|lane| begin >> lane & 1 == 1).map(|lane| addresses[48 + lane]);
            for i in 0..16 {
                let found = dword(&frame, offset::BEGINS + 4 * i);
                assert_eq!(found, wanted.next().unwrap_or(0), "{step} {round} {i}");
            }
        }
    }
}

/// Bytes and words, wherever they lie: in rows, in small structures, backwards, within a vector and just outside of
/// one, and at the end of a site.
#[test]
fn bytes_and_words_are_loaded_from_anywhere() {
    let data: Vec<u32> = (0..256u32).map(|n| n.wrapping_mul(0x9e37_79b9) ^ 0x80ff_0180).collect();
    let bytes: Vec<u8> = data.iter().flat_map(|dword| dword.to_le_bytes()).collect();
    let size = bytes.len() as u32;
    let places: [fn(u32) -> u32; 10] = [
        |lane| lane,
        |lane| 5 + 2 * lane,
        |lane| 3 * lane,
        |lane| 63 - lane,
        |_| 77,
        |lane| 200 * (lane / 16) + lane * 7 % 64,
        |lane| 200 * (lane / 16) + [0, 62, 63, 64][lane as usize % 4],
        |lane| 200 * (lane / 16) + [0, 61, 62, 30][lane as usize % 4],
        |lane| 9 * lane,
        |lane| (lane * 197 + 3) % 1000,
    ];
    let value = |opcode: u32, at: u32| {
        let at = at as usize;
        let word = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        match opcode {
            LOAD_UBYTE => bytes[at].into(),
            LOAD_SBYTE => bytes[at] as i8 as u32,
            LOAD_USHORT => word(at).into(),
            _ => word(at) as i16 as u32,
        }
    };
    for opcode in [LOAD_UBYTE, LOAD_SBYTE, LOAD_USHORT, LOAD_SSHORT] {
        let Some((segment, mut frame)) = loading(opcode, &data) else { return };
        let bytes = if opcode < LOAD_USHORT { 1 } else { 2 };
        for (number, place) in places.into_iter().enumerate() {
            // From the start of the site, and to its end.
            let end = size - bytes - (0..64).map(place).max().unwrap_or(0);
            for (begin, exec) in [(0, !0u64), (end, !0), (0, 0x8421_fffe_0ff0_7a50), (end, 0x8000_0001_fffe_0000)] {
                let addresses =
                    std::array::from_fn(|lane| if exec >> lane & 1 == 1 { begin + place(lane as u32) } else { !0 });
                let mut vgprs = [Vgpr(addresses), Vgpr([0; 64]), Vgpr([0x5a5a; 64])];
                frame.sgpr[126..128].copy_from_slice(&[exec as u32, (exec >> 32) as u32]);
                // SAFETY: there are three VGPRs, and the site is that of `data`.
                let declined = unsafe { (segment.function())(vgprs.as_mut_ptr(), &mut frame) };
                let expected =
                    std::array::from_fn(
                        |lane| {
                            if exec >> lane & 1 == 1 { value(opcode, addresses[lane]) } else { 0x5a5a }
                        },
                    );
                assert_eq!((declined, vgprs[2].0), (0, expected), "{opcode:#x} {number} {begin} {exec:#x}");
            }
        }
    }
}
