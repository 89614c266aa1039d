//! A host program: two modules on one memory, launched in a loop, with a snapshot in between.
//! `cargo run --example host_loop`.

use std::error::Error;
use std::path::Path;
use std::sync::Arc;

use gcnsim::Outcome;
use gcnsim::device::{Device, DeviceOptions};
use gcnsim::loader::{CodeObject, FileBytes};

fn object(name: &str) -> Result<Arc<CodeObject>, Box<dyn Error>> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus/kernels").join(name);
    Ok(Arc::new(CodeObject::parse(&FileBytes::read(&path)?)?))
}

fn main() -> Result<(), Box<dyn Error>> {
    let (kernels, others) = (object("kernels-gfx900-v5-O2.co")?, object("kernels-gfx900-v4-O0.co")?);
    let device = Device::new(kernels.arch, DeviceOptions::default().jobs(2));
    let (collatz, saxpy) = (device.load(&kernels)?.kernel("collatz")?, device.load(&others)?.kernel("saxpy")?);
    for (number, argument) in collatz.arguments().unwrap_or_default().iter().enumerate() {
        println!("argument {number}: {} bytes", argument.size);
    }
    // The compiled code of the first round serves all others.
    let steps = device.alloc(4)?;
    for first in [6u32, 7, 27, 97] {
        let run = collatz.launch([1], [64]).arg(&steps).arg(first).budget(100_000).run()?;
        assert_eq!(run.outcome?, Outcome::Ended);
        println!("from {first} it takes {} steps to 1", steps.to_vec()[0]);
    }
    assert_eq!(steps.to_vec(), [118, 0, 0, 0]);
    let (x, y) = (device.alloc(256)?, device.alloc(256)?);
    x.write(0, &1.0f32.to_le_bytes())?;
    let before = device.snapshot();
    // The last launch gets a part of x, in which the first float is another one.
    for x in [x.slice(..)?, x.slice(..)?, x.slice(4..)?] {
        let run = saxpy.launch([64], [64]).arg(&y).arg(x).arg(2.0f32).arg(60i32).run()?;
        assert_eq!(run.outcome?, Outcome::Ended);
    }
    assert_eq!(y.to_vec()[..4], 4.0f32.to_le_bytes());
    device.restore(&before);
    assert_eq!(y.to_vec()[..4], [0; 4]);
    Ok(())
}
