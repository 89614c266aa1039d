//! The column `moves` of MIMG rows, against what the mnemonics say. The parser here reads only their text.

use gcnsim_isa::table::{ImageMove, LodSource, Lookup, Mimg, MipLevel, Texel, Transfer};

use super::vector_atomic;

/// `c_b_cl_o`: the form of a sample or a gather.
fn lookup(suffixes: &[&str]) -> Lookup {
    let has = |suffix: &str| suffixes.contains(&suffix);
    let lod = match () {
        () if has("d") || has("cd") => LodSource::Derivatives,
        () if has("b") => LodSource::Bias,
        () if has("l") => LodSource::Given,
        () if has("lz") => LodSource::Zero,
        () => LodSource::Quad,
    };
    Lookup { lod, is_clamped: has("cl"), compares: has("c"), has_offset: has("o") }
}

fn moves(mnemonic: &str) -> Option<ImageMove> {
    let parts: Vec<&str> = mnemonic.strip_prefix("image_")?.split('_').collect();
    let mip = if parts.contains(&"mip") { MipLevel::Mip } else { MipLevel::First };
    let texel = match (parts.contains(&"pck"), parts.contains(&"sgn")) {
        (false, _) => Texel::Formatted,
        (true, false) => Texel::Raw,
        (true, true) => Texel::RawSigned,
    };
    Some(match parts[..] {
        ["load", ..] => ImageMove::Load(mip, texel),
        ["store", ..] => ImageMove::Store(mip, texel),
        ["atomic", op] => match vector_atomic(op)? {
            Transfer::Atomic(op, _) => ImageMove::Atomic(op),
            _ => return None,
        },
        ["sample", ..] => ImageMove::Sample(lookup(&parts[1..])),
        ["gather4", ..] => ImageMove::Gather(lookup(&parts[1..])),
        ["gather4h" | "gather8h", ..] => ImageMove::GatherRow,
        ["get", "lod"] => ImageMove::Level,
        ["get", "resinfo"] => ImageMove::Size,
        _ => return None,
    })
}

#[test]
fn rows_of_images_move_what_their_mnemonics_say() {
    for op in Mimg::ALL {
        let row = gcnsim_isa::Opcode::Mimg(*op).desc();
        assert_eq!(Some(op.shape().moves), moves(row.mnemonic), "{}", row.mnemonic);
    }
}
