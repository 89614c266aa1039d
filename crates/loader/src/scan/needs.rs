//! What a launch of a kernel would need besides instructions, and is not supported.

use gcnsim_isa::Arch;

use crate::code_object::metadata::{ArgKind, Hidden, KernelMetadata};
use crate::code_object::{CodeObject, Kernel};

/// Returns, in words, what `kernel` needs and cannot get. It is empty if the kernel can be launched.
pub fn launch_needs(object: &CodeObject, kernel: &Kernel) -> Vec<String> {
    let mut needs = Vec::new();
    let unprovided = kernel.metadata.as_ref().map(KernelMetadata::unprovided).unwrap_or_default();
    // A compiler that does not know what a kernel calls lists all hidden arguments. Some compilers always list
    // `hidden_multigrid_sync_arg`.
    let lists_all = [Hidden::Heap, Hidden::HostcallBuffer, Hidden::DefaultQueue, Hidden::MultigridSync];
    let lists_all = lists_all.iter().all(|hidden| unprovided.contains(&ArgKind::Hidden(*hidden)));
    let is_meant = |hidden: Hidden| !lists_all && hidden != Hidden::MultigridSync;
    for (index, arg) in kernel.metadata.iter().flat_map(|metadata| &metadata.args).enumerate() {
        let named = |what: &str| match &arg.name {
            Some(name) => format!("{what} (argument {index}, '{name}')"),
            None => format!("{what} (argument {index})"),
        };
        let what = match arg.kind {
            ArgKind::Pipe => named("a pipe"),
            ArgKind::Queue => named("a device queue"),
            ArgKind::Hidden(hidden) => match hidden.unprovided().filter(|_| is_meant(hidden)) {
                Some(name) => name.to_owned(),
                None => continue,
            },
            ArgKind::ByValue | ArgKind::Buffer | ArgKind::Local | ArgKind::Image | ArgKind::Sampler => continue,
        };
        if !needs.contains(&what) {
            needs.push(what);
        }
    }
    let most: u32 = if object.arch == Arch::Gcn10 { 32 << 10 } else { 64 << 10 };
    let lds = kernel.descriptor.group_segment_size;
    if lds > most {
        needs.push(format!("{lds} bytes of LDS, of which there are {most}"));
    }
    let (element, private) =
        (kernel.descriptor.properties.private_element_size, kernel.descriptor.private_segment_size);
    if element != 4 && private > 0 {
        needs.push(format!("scratch in elements of {element} bytes"));
    }
    needs
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::FileBytes;
    use crate::code_object::metadata::Arg;

    #[test]
    fn what_is_missing_is_named_once() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/elf/v5-gfx900.co");
        let object = CodeObject::parse(&FileBytes::read(&path).unwrap()).unwrap();
        let mut kernel = object.kernels[0].clone();
        assert_eq!(launch_needs(&object, &kernel), Vec::<String>::new());
        let arg = |kind| Arg { name: None, type_name: None, offset: 0, size: 8, kind, pointee_align: 1 };
        let hidden = [Hidden::PrintfBuffer, Hidden::HostcallBuffer, Hidden::Heap, Hidden::DefaultQueue];
        let hidden = [&hidden[..], &[Hidden::CompletionAction]].concat();
        let kinds = [ArgKind::Image, ArgKind::Buffer, ArgKind::Image, ArgKind::Pipe, ArgKind::Pipe, ArgKind::Queue];
        let kinds = kinds.into_iter().chain(hidden.into_iter().map(ArgKind::Hidden));
        kernel.metadata.get_or_insert_default().args = kinds.map(arg).collect();
        kernel.metadata.get_or_insert_default().args[4].name = Some("in".to_owned());
        kernel.descriptor.group_segment_size = 65537;
        let needs = [
            "a pipe (argument 3)",
            "a pipe (argument 4, 'in')",
            "a device queue (argument 5)",
            "hidden_hostcall_buffer",
            "hidden_heap_v1",
            "hidden_default_queue",
            "hidden_completion_action",
            "65537 bytes of LDS, of which there are 65536",
        ];
        assert_eq!(launch_needs(&object, &kernel), needs);
    }
}
