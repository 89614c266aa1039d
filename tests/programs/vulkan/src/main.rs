//! Runs compute programs of Vulkan on the device that the system's driver shows, and compares what they give.

fn main() -> std::process::ExitCode {
    gcnsim_vulkan_programs::main(std::env::args().skip(1))
}
