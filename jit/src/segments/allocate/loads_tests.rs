//! What loads leave in their sites.
#![allow(unsafe_code)]

use gcnsim_isa::{Arch, Vgpr, decode};

use super::*;
use crate::segments::{Draft, Features, Options, Segment, SegmentFrame, Width};
use crate::special::Special;

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

/// `global_load_dword v2, v[0:1], off` as a segment, and a frame whose site 0 has `data` from address 0 on.
fn loading(data: &[u32]) -> Option<(Segment, SegmentFrame)> {
    let features = Features::detect().filter(|features| features.width == Width::Zmm)?;
    let load = decode(Arch::Gcn14, 0xdc50_8000, Some(0x027f_0000)).unwrap();
    let draft = Draft::with_sites(&[load], &Options { features, mode: None }, 0..1, Special::OFF)?;
    let mut frame = SegmentFrame::default();
    frame.sgpr[126..128].fill(!0);
    put(&mut frame, offset::site_host(0), data.as_ptr());
    put(&mut frame, offset::site_count(0), 4 * data.len() as u32 - 3);
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
    let Some((segment, mut frame)) = loading(&data) else { return };
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
        let Some((segment, mut frame)) = loading(&data) else { return };
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
