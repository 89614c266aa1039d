//! Headers in words: how a kernel is launched.

use gcnsim_isa::Arch;

use gcnsim_loader::Shader;
use gcnsim_loader::descriptor::{Descriptor, InitialSgprs};
use gcnsim_loader::metadata::{Argument, StatedKernel};
use gcnsim_loader::object::Kernel;

/// Returns lines of text with the descriptor, the initial registers and the arguments of `kernel`.
pub(super) fn lines(kernel: &Kernel, arch: Arch) -> Vec<String> {
    let mut lines = Vec::new();
    match &kernel.descriptor {
        Some(descriptor) => lines.extend(of_descriptor(descriptor, arch)),
        None => lines.extend(of_shader(&kernel.shader, arch)),
    }
    if let Some(metadata) = &kernel.metadata {
        lines.extend(of_metadata(metadata));
    }
    lines
}

fn of_descriptor(d: &Descriptor, arch: Arch) -> Vec<String> {
    let mut lines = vec![
        format!("{} at {:#x}", d.form, d.address),
        format!(
            "rsrc1 {:#010x}, rsrc2 {:#010x}, properties {:#x}, mode {:#x}",
            d.rsrc1,
            d.rsrc2,
            d.properties,
            d.mode()
        ),
        format!("{} SGPRs, {} VGPRs", d.sgprs(arch), d.vgprs()),
        format!(
            "bytes: {} of LDS, {} of scratch a work-item, {} of arguments",
            d.group_size, d.private_size, d.kernarg_size
        ),
        "at the start".to_owned(),
    ];
    lines.extend(d.initial_sgprs().iter().map(initial));
    let ids = ["v0", "v1", "v2"].into_iter().zip(["x", "y", "z"]).take(d.initial_vgprs() as usize);
    lines.extend(ids.map(|(register, dimension)| format!("  {register:<8} work-item id {dimension}")));
    lines
}

/// Returns lines with the stage of a shader and what a driver sets for it, as far as the file states it.
fn of_shader(shader: &Shader, arch: Arch) -> Vec<String> {
    let Some(stage) = shader.stage else { return Vec::new() };
    let registers = [
        ("rsrc1", shader.rsrc1),
        ("rsrc2", shader.rsrc2),
        ("ps_input_ena", shader.ps_input_ena),
        ("ps_input_addr", shader.ps_input_addr),
    ];
    let registers = registers.into_iter().filter_map(|(name, value)| Some(format!("{name} {:#x}", value?)));
    let mut lines = vec![std::iter::once(format!("stage {stage}")).chain(registers).collect::<Vec<_>>().join(", ")];
    let numbers = [
        (shader.user_sgpr_count(arch), "user SGPRs"),
        (shader.lds_bytes, "bytes of LDS"),
        (shader.scratch_bytes_per_lane, "bytes of scratch a lane"),
    ];
    let mut facts: Vec<_> = numbers.iter().filter_map(|(value, what)| Some(format!("{} {what}", (*value)?))).collect();
    facts.extend(shader.group.map(|[x, y, z]| format!("groups of {x}x{y}x{z}")));
    if !facts.is_empty() {
        lines.push(facts.join(", "));
    }
    let data: Vec<_> = shader.user_data.iter().map(|value| format!("{value:#x}")).collect();
    if !data.is_empty() {
        lines.push(format!("user data {}", data.join(", ")));
    }
    lines
}

fn initial(r: &InitialSgprs) -> String {
    let registers = match r.count {
        1 => format!("s{}", r.first),
        n => format!("s[{}:{}]", r.first, r.first + n - 1),
    };
    format!("  {registers:<8} {}", r.what)
}

fn of_metadata(metadata: &StatedKernel) -> Vec<String> {
    let mut facts = Vec::new();
    let mut fact = |value: Option<u64>, what: &str| facts.extend(value.map(|n| format!("{n} {what}")));
    fact(metadata.sgprs, "SGPRs used");
    fact(metadata.vgprs, "VGPRs used");
    fact(metadata.sgpr_spills.filter(|&n| n > 0), "SGPRs spilled");
    fact(metadata.vgpr_spills.filter(|&n| n > 0), "VGPRs spilled");
    fact(metadata.kernarg_size, "bytes of arguments");
    fact(metadata.max_group, "work-items a group at most");
    if let Some(size) = &metadata.required_group {
        let size: Vec<_> = size.iter().map(u64::to_string).collect();
        facts.push(format!("groups of {}", size.join("x")));
    }
    let mut lines: Vec<_> = facts.chunks(3).map(|facts| format!("metadata: {}", facts.join(", "))).collect();
    if !metadata.arguments.is_empty() {
        lines.push("offset  size  argument".to_owned());
        lines.extend(metadata.arguments.iter().map(argument));
    }
    lines
}

fn argument(arg: &Argument) -> String {
    let mut words = vec![arg.kind.clone()];
    words.extend(arg.address_space.clone());
    words.extend(arg.access.clone());
    words.extend(arg.type_name.as_ref().map(|name| format!("'{name}'")));
    words.extend(arg.name.clone());
    words.extend(arg.pointee_align.map(|align| format!("(pointee aligned to {align})")));
    format!("{:>6}  {:>4}  {}", arg.offset, arg.size, words.join(" "))
}
