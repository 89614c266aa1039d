//! The column `moves` of memory rows, against what the mnemonics say. The parser here reads only their text.

mod images;

use gcnsim_isa::table::{Atomic, Base, Load, Packing, Part, Share, Store, Transfer, Width, all_rows};
use gcnsim_isa::{Encoding, Opcode};

/// The transfer of a row, and its base.
fn cells(opcode: Opcode) -> Option<(Transfer, Base)> {
    let share = |moves| Some((moves, Base::None));
    let shape = match opcode {
        Opcode::Ds(op) => return share(op.shape().moves),
        Opcode::Smrd(op) => op.shape(),
        Opcode::Smem(op) => op.shape(),
        Opcode::Flat(op) => op.shape(),
        Opcode::Global(op) => op.shape(),
        Opcode::Scratch(op) => op.shape(),
        Opcode::Mubuf(op) => op.shape(),
        Opcode::Mtbuf(op) => op.shape(),
        _ => return None,
    };
    Some((shape.moves, shape.base))
}

fn dwords(count: &str) -> Option<u8> {
    match count {
        "dword" => Some(1),
        _ => count.strip_prefix("dwordx")?.parse().ok(),
    }
}

/// `b8`, `u16`, `i8`, `ubyte`, `sshort`, `short`: bytes, and whether signed.
fn narrow(name: &str) -> Option<(u8, bool)> {
    Some(match name {
        "b8" | "u8" | "ubyte" | "byte" => (1, false),
        "i8" | "sbyte" => (1, true),
        "b16" | "u16" | "ushort" | "short" => (2, false),
        "i16" | "sshort" => (2, true),
        _ => return None,
    })
}

/// A data type and the half of a register that its suffix names.
fn typed(name: &str) -> (&str, Part) {
    match (name.strip_suffix("_d16_hi"), name.strip_suffix("_d16")) {
        (Some(name), _) => (name, Part::High),
        (_, Some(name)) => (name, Part::Low),
        _ => (name, Part::Whole),
    }
}

/// Whole dwords: `dwordx3`, `b96`.
fn whole(name: &str) -> Option<u8> {
    let bits = |bits: &str| bits.parse::<u8>().ok().filter(|bits| bits % 32 == 0).map(|bits| bits / 32);
    dwords(name).or_else(|| bits(name.strip_prefix('b')?))
}

fn load(name: &str) -> Option<Transfer> {
    let (name, part) = typed(name);
    let (bytes, signed) = narrow(name).or_else(|| Some((4 * whole(name)?, false)))?;
    Some(Transfer::Load(Load { bytes, signed, part }))
}

fn store(name: &str) -> Option<Transfer> {
    let (name, part) = typed(name);
    let bytes = narrow(name).map(|(bytes, _)| bytes).or_else(|| Some(4 * whole(name)?))?;
    Some(Transfer::Store(Store { bytes, high: part == Part::High }))
}

/// `d16_hi_x`, `xyz`: components, and how registers hold them.
fn format(name: &str) -> Option<(u8, Packing)> {
    let (name, packing) = match (name.strip_prefix("d16_hi_"), name.strip_prefix("d16_")) {
        (Some(name), _) => (name, Packing::D16Hi),
        (_, Some(name)) => (name, Packing::D16),
        _ => (name, Packing::Whole),
    };
    "xyzw".starts_with(name).then_some((name.len() as u8, packing))
}

/// The operation of VMEM and SMEM: `fcmpswap_x2`.
fn vector_atomic(name: &str) -> Option<Transfer> {
    let (name, width) = match name.strip_suffix("_x2") {
        Some(name) => (name, Width::B64),
        None => (name, Width::B32),
    };
    let op = match name {
        "cmpswap" => Atomic::Cmpswap,
        "fcmpswap" => Atomic::Fcmpswap,
        "fmin" => Atomic::Fmin,
        "fmax" => Atomic::Fmax,
        "smin" => Atomic::Smin,
        "smax" => Atomic::Smax,
        "umin" => Atomic::Umin,
        "umax" => Atomic::Umax,
        _ => bare(name)?,
    };
    Some(Transfer::Atomic(op, width))
}

/// Operations whose name is the same everywhere.
fn bare(name: &str) -> Option<Atomic> {
    Some(match name {
        "swap" => Atomic::Swap,
        "add" => Atomic::Add,
        "sub" => Atomic::Sub,
        "rsub" => Atomic::Rsub,
        "and" => Atomic::And,
        "or" => Atomic::Or,
        "xor" => Atomic::Xor,
        "inc" => Atomic::Inc,
        "dec" => Atomic::Dec,
        _ => return None,
    })
}

fn width(bits: &str) -> Option<Width> {
    match bits {
        "32" => Some(Width::B32),
        "64" => Some(Width::B64),
        _ => None,
    }
}

/// `cmpst`, `f32`: an operation of DS.
fn share_atomic(name: &str, ty: &str) -> Option<(Atomic, Width)> {
    let (kind, bits) = (ty.get(..1)?, ty.get(1..)?);
    let op = match (name, kind) {
        ("min", "i") => Atomic::Smin,
        ("max", "i") => Atomic::Smax,
        ("min", "u") => Atomic::Umin,
        ("max", "u") => Atomic::Umax,
        ("min", "f") => Atomic::MinF,
        ("max", "f") => Atomic::MaxF,
        ("add", "f") => Atomic::AddF,
        ("cmpst", "f") => Atomic::CmpstF,
        ("cmpst", "b") => Atomic::Cmpst,
        ("mskor", "b") => Atomic::Mskor,
        ("wrap", "b") => Atomic::Wrap,
        ("wrxchg" | "write", "b") => Atomic::Swap,
        (_, "u" | "b") => bare(name)?,
        _ => return None,
    };
    Some((op, width(bits)?))
}

/// `read2st64`, `b32`: two accesses of DS.
fn two(name: &str, ty: &str) -> Option<Share> {
    let (name, unit) = match name.strip_suffix("st64") {
        Some(name) => (name, 64),
        None => (name, 1),
    };
    let width = width(ty.strip_prefix('b')?)?;
    match name {
        "read2" => Some(Share::Read2(width, unit)),
        "write2" => Some(Share::Write2(width, unit)),
        "wrxchg2_rtn" => Some(Share::Exchange2(width, unit)),
        "wrxchg2st64_rtn" => Some(Share::Exchange2(width, 64)),
        _ => None,
    }
}

/// DS, without its prefix.
fn share(name: &str) -> Option<Transfer> {
    let only = match name {
        "nop" => Some(Share::Nothing),
        "swizzle_b32" => Some(Share::Swizzle),
        "permute_b32" => Some(Share::Permute),
        "bpermute_b32" => Some(Share::Bpermute),
        "append" => Some(Share::Append),
        "consume" => Some(Share::Consume),
        "read_addtid_b32" => Some(Share::ReadAddtid),
        "write_addtid_b32" => Some(Share::WriteAddtid),
        "condxchg32_rtn_b64" => Some(Share::CondExchange),
        "ordered_count" => Some(Share::OrderedCount),
        "gws_init" | "gws_barrier" | "gws_sema_br" => Some(Share::Gws(true)),
        "gws_sema_v" | "gws_sema_p" | "gws_sema_release_all" => Some(Share::Gws(false)),
        _ => None,
    };
    if let Some(only) = only {
        return Some(Transfer::Share(only));
    }
    if let Some(name) = name.strip_prefix("read_") {
        return load(name);
    }
    let (op, ty) = name.rsplit_once('_')?;
    if let Some(two) = two(op, ty) {
        return Some(Transfer::Share(two));
    }
    if let Some(op) = op.strip_suffix("_rtn") {
        let (op, width) = share_atomic(op, ty)?;
        return Some(Transfer::Share(Share::AtomicReturn(op, width)));
    }
    if let Some(op) = op.strip_suffix("_src2") {
        let (op, width) = share_atomic(op, ty)?;
        return Some(Transfer::Share(Share::Source2(op, width)));
    }
    if let Some(name) = name.strip_prefix("write_") {
        return store(name);
    }
    let (op, width) = share_atomic(op, ty)?;
    Some(Transfer::Atomic(op, width))
}

/// VMEM and SMEM, without the prefix of the encoding.
fn memory(name: &str) -> Option<Transfer> {
    if name.starts_with("dcache_discard") {
        return Some(Transfer::Discard);
    }
    if name.starts_with("dcache_") || name.starts_with("wbinvl1") {
        return Some(Transfer::Cache);
    }
    match name {
        "memtime" | "memrealtime" => return Some(Transfer::Clock),
        "atc_probe" | "atc_probe_buffer" => return Some(Transfer::Probe),
        "store_lds_dword" => return Some(Transfer::StoreLds),
        _ => {}
    }
    if let Some((components, packing)) = name.strip_prefix("load_format_").and_then(format) {
        return Some(Transfer::LoadFormat(components, packing));
    }
    if let Some((components, packing)) = name.strip_prefix("store_format_").and_then(format) {
        return Some(Transfer::StoreFormat(components, packing));
    }
    let (what, name) = name.split_once('_')?;
    match what {
        "load" => load(name),
        "store" => store(name),
        "atomic" => vector_atomic(name),
        _ => None,
    }
}

/// The transfer and the base that the text of a mnemonic names.
fn said(mnemonic: &str, encoding: Encoding) -> Option<(Transfer, Base)> {
    let prefix = match encoding {
        Encoding::Ds => return Some((share(mnemonic.strip_prefix("ds_")?)?, Base::None)),
        Encoding::Smrd | Encoding::Smem => {
            let name = mnemonic.strip_prefix("s_")?;
            let (name, base) = match (name.strip_prefix("buffer_"), name.strip_prefix("scratch_")) {
                (Some(name), _) => (name, Base::Buffer),
                (_, Some(name)) => (name, Base::Scratch),
                _ if name.ends_with("_buffer") => (name, Base::Buffer),
                _ if name.contains("time") || name.starts_with("dcache_inv") || name.starts_with("dcache_wb") => {
                    (name, Base::None)
                }
                _ => (name, Base::Address),
            };
            return Some((memory(name)?, base));
        }
        Encoding::Flat => "flat_",
        Encoding::Global => "global_",
        Encoding::Scratch => "scratch_",
        Encoding::Mubuf => "buffer_",
        Encoding::Mtbuf => "tbuffer_",
        _ => return None,
    };
    Some((memory(mnemonic.strip_prefix(prefix)?)?, Base::None))
}

#[test]
fn rows_move_what_their_mnemonics_say() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for row in all_rows() {
        let Some(cells) = cells(row.opcode) else { continue };
        count += 1;
        let said = said(row.mnemonic, row.encoding);
        if said != Some(cells) {
            wrong.push(format!("{} {}: {cells:?}, but {said:?}", row.encoding.name(), row.mnemonic));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(count, 469);
}
