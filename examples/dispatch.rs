//! Runs a kernel on a grid: `cargo run --example dispatch`. Names are those of launch files.

use std::error::Error;
use std::path::Path;

use gcnsim::device::ArgValue;
use gcnsim::launches::{DispatchOptions, LaunchSpec, launch};
use gcnsim::loader::{CodeObject, FileBytes};

fn main() -> Result<(), Box<dyn Error>> {
    // kernel void saxpy(global float *y, global const float *x, float a, int n) { ... y[i] = a * x[i] + y[i]; }
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels/kernels-gfx900-v5-O2.co");
    let object = CodeObject::parse(&FileBytes::read(&path)?)?;
    let x: Vec<u8> = (0..1000).flat_map(|i| (i as f32).to_le_bytes()).collect();
    let saxpy = LaunchSpec::new("saxpy", &[1024], &[256])?
        .args([ArgValue::buffer("y"), ArgValue::buffer("x"), ArgValue::f32(2.0), ArgValue::i32(1000)])
        .buffer("x", x)
        .buffer("y", vec![0; 4000]);
    let result = launch(&object, &saxpy, &DispatchOptions::default())?;
    let y = result.buffer("y").unwrap_or_default();

    println!("{} after {} instructions", result.run.outcome?.name(), result.run.instructions);
    let y: Vec<f32> =
        y.chunks_exact(4).map(|bytes| f32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]])).collect();
    assert!(y.iter().enumerate().all(|(i, &y)| y == 2.0 * i as f32));
    Ok(())
}
