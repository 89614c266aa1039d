//! The library of `gcnsim device`. It is loaded into a program before all others (LD_PRELOAD), takes the place of a few
//! functions of the C library, and shows a simulated GPU: `/dev/kfd`, and the files that describe it.
//!
//! | module | is |
//! |---|---|
//! | `symbols` | the functions of the C library that are replaced |
//! | `waits` | a function of ROCr that is replaced: how threads wait for kernels |
//! | `layer` | a layer of Vulkan that hides queues for graphics |
//! | `paths` | which paths mean the device |
//! | `shown` | the device of this process: made when it is first opened, told of at the end |
//!
//! Nothing runs before a program asks for the device. What the program does otherwise goes to the C library as it is. A
//! panic does not cross into the program. Where this library has a file of the device, it knows it by what it is, the
//! number of its inode: a program may duplicate, close and inherit descriptors as it likes.

#![deny(unsafe_code)]

mod layer;
mod paths;
mod real;
mod shown;
mod symbols;
mod waits;
