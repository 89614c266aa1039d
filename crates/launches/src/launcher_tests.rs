use gcnsim_loader::FileBytes;

use super::*;
use gcnsim_device::args::ArgValue;

fn buffer(name: &str, content: Content, size: u64) -> BufferSpec {
    BufferSpec { name: name.to_owned(), content, size: Some(size), save: None, shape: None, at: None }
}

/// A launch that cannot be set up leaves shared buffers as they were, before they are made and after.
#[test]
fn shared_buffers_outlive_launches_that_do_not_run() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/kernels/kernels-gfx900-v5-O2.co");
    let object = CodeObject::parse(&FileBytes::read(&path).unwrap()).unwrap();
    let options = DispatchOptions::default();
    let shared = [buffer("steps", Content::Zero, 12)];
    let mut launcher = Launcher::new(&object, Path::new(""), &shared, &options).unwrap();
    let spec = |name: &str, buffers: Vec<BufferSpec>| {
        let spec = LaunchSpec::new("collatz", &[3], &[64]).unwrap();
        LaunchSpec { buffers, ..spec.args([ArgValue::buffer(name), ArgValue::u32(6)]) }
    };
    let no_file = Content::File("there is no such file".into());
    let bad = [
        spec("unknown", vec![]),
        spec("steps", vec![buffer("large", Content::Zero, 1 << 50)]),
        spec("steps", vec![buffer("file", no_file, 4)]),
    ];
    for is_made in [false, true] {
        for (i, spec) in bad.iter().enumerate() {
            assert!(launcher.launch(spec, &|_| {}).is_err(), "{i}");
            assert_eq!(launcher.shared_buffer("steps").is_some(), is_made, "{i}");
        }
        let result = launcher.launch(&spec("steps", vec![]), &|_| {}).unwrap();
        // From 6, 7 and 8 it takes so many steps to 1.
        assert_eq!(result.buffer("steps").unwrap(), [8, 0, 0, 0, 16, 0, 0, 0, 3, 0, 0, 0]);
        assert_eq!(result.buffers[0].changed, !is_made);
    }
}
