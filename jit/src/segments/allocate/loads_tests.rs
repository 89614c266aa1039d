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

/// The memory of the loads that segments fetch ahead need not be there. What is fetched lies four steps behind a row.
#[test]
fn rows_are_followed() {
    let Some(features) = Features::detect().filter(|features| features.width == Width::Zmm) else { return };
    // global_load_dword v2, v[0:1], off
    let load = decode(Arch::Gcn14, 0xdc50_8000, Some(0x027f_0000)).unwrap();
    let (options, special) = (Options { features, mode: None }, Special::OFF);
    let draft = Draft::with_sites(&[load], &options, 0..1, special).unwrap();
    let segment = Segment::seal(vec![draft]).unwrap().pop().unwrap();
    let data: Vec<u32> = (0..1024).collect();
    let (mut frame, mut vgprs) = (SegmentFrame::default(), [Vgpr([0; 64]); 3]);
    frame.sgpr[126..128].fill(!0);
    put(&mut frame, offset::site_host(0), data.as_ptr());
    put(&mut frame, offset::site_count(0), 4 * data.len() as u32 - 3);
    // Steps of 256 bytes up, and one of 512 down. (At first, the last chunk is where the row seems to have come to.)
    let expected = [(0, 0), (256, 768), (512, 1024), (768, 1024), (256, 1024), (256, -2048), (256, 0)];
    for (row, ahead) in expected {
        vgprs[0] = Vgpr(std::array::from_fn(|lane| row + 4 * lane as u32));
        // SAFETY: there are three VGPRs, and the site is that of `data`.
        let declined = unsafe { (segment.function())(vgprs.as_mut_ptr(), &mut frame) };
        // SAFETY: the field is there.
        let found = unsafe { std::ptr::from_ref(&frame).byte_add(offset::site_ahead(0) as usize).cast::<i64>().read() };
        assert_eq!((declined, vgprs[2].0[0], vgprs[2].0[63], found), (0, row / 4, row / 4 + 63, ahead), "{row}");
    }
}
