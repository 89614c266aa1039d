//! What LLVM's libc asks of the host: output, input, exit, memory.
//!
//! Files, other programs and functions of the host are not given to a program of the device: to open a file fails, as
//! it does where there is none. Source: LLVM, "libc/shared/rpc_opcodes.h" and "libc/shared/rpc_server.h".

use std::collections::HashMap;
use std::io::{self, BufRead, Read, Write};

use gcnsim_device::printf::c::{self, Wanted};
use gcnsim_device::{Buffer, Device};

use super::rpc::{CallError, LANES, Port};

/// The operations of libc, without their prefix `'c' << 24`.
mod op {
    pub const NOOP: u32 = 0;
    pub const EXIT: u32 = 1;
    pub const WRITE_TO_STDOUT: u32 = 2;
    pub const WRITE_TO_STDERR: u32 = 3;
    pub const WRITE_TO_STREAM: u32 = 4;
    pub const WRITE_TO_STDOUT_NEWLINE: u32 = 5;
    pub const READ_FROM_STREAM: u32 = 6;
    pub const READ_FGETS: u32 = 7;
    pub const OPEN_FILE: u32 = 8;
    pub const CLOSE_FILE: u32 = 9;
    pub const MALLOC: u32 = 10;
    pub const FREE: u32 = 11;
    pub const ABORT: u32 = 13;
    pub const FEOF: u32 = 14;
    pub const FERROR: u32 = 15;
    pub const CLEARERR: u32 = 16;
    pub const FSEEK: u32 = 17;
    pub const FTELL: u32 = 18;
    pub const FFLUSH: u32 = 19;
    pub const UNGETC: u32 = 20;
    pub const PRINTF_TO_STDOUT: u32 = 21;
    pub const PRINTF_TO_STDERR: u32 = 22;
    pub const PRINTF_TO_STREAM: u32 = 23;
    pub const PRINTF_TO_STDOUT_PACKED: u32 = 24;
    pub const PRINTF_TO_STDERR_PACKED: u32 = 25;
    pub const PRINTF_TO_STREAM_PACKED: u32 = 26;
    pub const REMOVE: u32 = 27;
    pub const RENAME: u32 = 28;
    pub const SYSTEM: u32 = 29;
}

/// Prefix of the operations of libc.
const LIBC: u32 = (b'c' as u32) << 24;
/// -1, as functions of C return it.
const FAILED: u64 = u64::MAX;
/// Exit code of a program that aborts: 128 and SIGABRT.
const ABORTED: i32 = 134;
/// What streams are called: the low bits of a pointer to a FILE.
const STDIN: u64 = 1;

/// The host of a program.
pub struct Host<'d> {
    device: &'d Device,
    /// Memory that the program has allocated.
    allocated: HashMap<u64, Buffer>,
    /// What `ungetc` has put back, the last byte first.
    put_back: Vec<u8>,
    at_end: bool,
}

/// What becomes of the program after a call.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Next {
    /// It goes on.
    GoesOn,
    /// It ends with this code.
    Exits(i32),
}

/// The stream that a call writes to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stream {
    Out,
    Error,
}

impl<'d> Host<'d> {
    pub fn new(device: &'d Device) -> Host<'d> {
        Host { device, allocated: HashMap::new(), put_back: Vec::new(), at_end: false }
    }

    /// Serves a call.
    ///
    /// # Errors
    /// [`CallError`].
    pub fn serve(&mut self, mut port: Port<'_>) -> Result<Next, CallError> {
        let opcode = port.opcode;
        let Some(operation) = opcode.checked_sub(LIBC).filter(|&operation| operation <= op::SYSTEM) else {
            return Err(CallError::Unknown(opcode));
        };
        match operation {
            op::NOOP => port.receive(|_, _| {})?,
            op::EXIT => return exit(&mut port).map(Next::Exits),
            op::ABORT => {
                acknowledge(&mut port)?;
                return Ok(Next::Exits(ABORTED));
            }
            op::WRITE_TO_STDOUT | op::WRITE_TO_STDERR | op::WRITE_TO_STREAM | op::WRITE_TO_STDOUT_NEWLINE => {
                write(&mut port, operation)?;
            }
            op::READ_FROM_STREAM => self.read(&mut port)?,
            op::READ_FGETS => self.read_line(&mut port)?,
            op::OPEN_FILE => {
                port.receive_bytes()?;
                answer(&mut port, |_| 0)?;
            }
            op::MALLOC => answer(&mut port, |packet| self.allocate(packet[0]))?,
            op::FREE => port.receive(|_, packet| drop(self.allocated.remove(&packet[0])))?,
            op::FEOF => answer(&mut port, |packet| u64::from(self.at_end && packet[0] & 3 == STDIN))?,
            op::FERROR | op::CLEARERR => answer(&mut port, |_| 0)?,
            op::FFLUSH => answer(&mut port, |_| flush())?,
            op::CLOSE_FILE | op::FSEEK | op::FTELL => answer(&mut port, |_| FAILED)?,
            op::UNGETC => answer(&mut port, |packet| self.put_back(packet[0], packet[1]))?,
            op::PRINTF_TO_STDOUT..=op::PRINTF_TO_STREAM_PACKED => print(&mut port, operation)?,
            op::REMOVE | op::SYSTEM => {
                port.receive_bytes()?;
                port.send(|_, packet| packet[0] = FAILED)?;
            }
            op::RENAME => {
                port.receive_bytes()?;
                port.receive_bytes()?;
                port.send(|_, packet| packet[0] = FAILED)?;
            }
            _ => return Err(CallError::Unknown(opcode)),
        }
        port.close();
        Ok(Next::GoesOn)
    }

    fn allocate(&mut self, bytes: u64) -> u64 {
        let Ok(buffer) = self.device.alloc_named("malloc", bytes) else { return 0 };
        let address = buffer.address();
        self.allocated.insert(address, buffer);
        address
    }

    fn put_back(&mut self, byte: u64, stream: u64) -> u64 {
        if stream & 3 != STDIN {
            return FAILED;
        }
        self.put_back.push(byte as u8);
        self.at_end = false;
        byte
    }

    /// Reads up to `most` bytes of standard input: up to a line break, if `line` says so.
    fn input(&mut self, most: usize, stream: u64, stops: impl Fn(u8) -> bool) -> Vec<u8> {
        let mut bytes = Vec::new();
        if stream & 3 != STDIN {
            return bytes;
        }
        let mut stdin = io::stdin().lock();
        while bytes.len() < most {
            let mut one = [0];
            match self.put_back.pop() {
                Some(byte) => one = [byte],
                None => {
                    if stdin.fill_buf().is_ok_and(<[u8]>::is_empty) || stdin.read_exact(&mut one).is_err() {
                        self.at_end = true;
                        break;
                    }
                }
            }
            bytes.push(one[0]);
            if stops(one[0]) {
                break;
            }
        }
        bytes
    }

    fn read(&mut self, port: &mut Port<'_>) -> Result<(), CallError> {
        let mut lists = vec![Vec::new(); LANES];
        port.receive(|lane, packet| lists[lane] = self.input(length(packet[0]), packet[1], |_| false))?;
        port.send_bytes(&lists)?;
        port.send(|lane, packet| packet[0] = lists[lane].len() as u64)
    }

    fn read_line(&mut self, port: &mut Port<'_>) -> Result<(), CallError> {
        let mut lists = vec![Vec::new(); LANES];
        port.receive(|lane, packet| {
            let mut line = self.input(length(packet[0]).saturating_sub(1), packet[1], |byte| byte == b'\n');
            if !line.is_empty() {
                line.push(0);
            }
            lists[lane] = line;
        })?;
        port.send_bytes(&lists)
    }
}

fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// Receives a packet and answers with one word.
fn answer(port: &mut Port<'_>, mut result: impl FnMut([u64; 8]) -> u64) -> Result<(), CallError> {
    let mut results = [0; LANES];
    port.receive(|lane, packet| results[lane] = result(packet))?;
    port.send(|lane, packet| packet[0] = results[lane])
}

fn acknowledge(port: &mut Port<'_>) -> Result<(), CallError> {
    port.receive(|_, _| {})?;
    port.send(|_, _| {})?;
    port.receive(|_, _| {})
}

/// Returns the code with which the first lane exits.
fn exit(port: &mut Port<'_>) -> Result<i32, CallError> {
    port.receive(|_, _| {})?;
    port.send(|_, _| {})?;
    let mut code = None;
    port.receive(|_, packet| code = code.or(Some(packet[0] as i32)))?;
    Ok(code.unwrap_or(0))
}

/// Writes bytes to a stream of the host. Returns their number.
fn put(stream: Stream, bytes: &[u8]) -> u64 {
    let written = match stream {
        Stream::Out => io::stdout().write_all(bytes),
        Stream::Error => io::stderr().write_all(bytes),
    };
    if written.is_ok() { bytes.len() as u64 } else { 0 }
}

/// Writes what is held back. Returns 0, or -1 if it cannot be written.
pub fn flush() -> u64 {
    if io::stdout().flush().is_ok() { 0 } else { FAILED }
}

/// Returns the stream that a pointer to a FILE stands for, among those that a program can have.
fn stream_of(file: u64) -> Stream {
    if file & 3 == 3 { Stream::Error } else { Stream::Out }
}

fn write(port: &mut Port<'_>, operation: u32) -> Result<(), CallError> {
    let mut streams = [if operation == op::WRITE_TO_STDERR { Stream::Error } else { Stream::Out }; LANES];
    if operation == op::WRITE_TO_STREAM {
        port.receive(|lane, packet| streams[lane] = stream_of(packet[0]))?;
    }
    let mut texts = port.receive_bytes()?;
    if operation == op::WRITE_TO_STDOUT_NEWLINE {
        port.lanes().for_each(|lane| texts[lane].push(b'\n'));
    }
    port.send(|lane, packet| packet[0] = put(streams[lane], &texts[lane]))
}

/// The arguments of a format, as the client has put them down.
struct Listed<'a> {
    bytes: &'a [u8],
    at: usize,
    packed: bool,
    /// Pointers to strings, in order.
    pointers: Vec<u64>,
    /// The strings, once the client has sent them.
    strings: Vec<Vec<u8>>,
}

impl<'a> Listed<'a> {
    fn new(bytes: &'a [u8], packed: bool) -> Listed<'a> {
        Listed { bytes, at: 0, packed, pointers: Vec::new(), strings: Vec::new() }
    }
}

impl c::Arguments for Listed<'_> {
    fn next(&mut self, wanted: Wanted) -> u64 {
        let size = wanted.bytes();
        if !self.packed {
            self.at = self.at.next_multiple_of(size);
        }
        let bytes = self.bytes.get(self.at..).unwrap_or_default();
        self.at += size;
        u64::from_le_bytes(std::array::from_fn(|n| bytes.get(n).copied().filter(|_| n < size).unwrap_or(0)))
    }

    fn string(&mut self, address: u64) -> Vec<u8> {
        self.pointers.push(address);
        let string = self.strings.get_mut(self.pointers.len() - 1).map(std::mem::take).unwrap_or_default();
        string.split(|&byte| byte == 0).next().unwrap_or_default().to_vec()
    }
}

fn print(port: &mut Port<'_>, operation: u32) -> Result<(), CallError> {
    let packed = operation >= op::PRINTF_TO_STDOUT_PACKED;
    let mut streams = match operation {
        op::PRINTF_TO_STDERR | op::PRINTF_TO_STDERR_PACKED => [Stream::Error; LANES],
        _ => [Stream::Out; LANES],
    };
    if matches!(operation, op::PRINTF_TO_STREAM | op::PRINTF_TO_STREAM_PACKED) {
        port.receive(|lane, packet| streams[lane] = stream_of(packet[0]))?;
    }
    let formats = port.receive_bytes()?;
    let format = |lane: usize| formats[lane].split(|&byte| byte == 0).next().unwrap_or_default();
    port.send(|lane, packet| {
        let mut none = Listed::new(&[], packed);
        c::text(format(lane), &mut none);
        packet[0] = none.at as u64;
    })?;
    let lists = port.receive_bytes()?;
    let mut arguments: Vec<Listed<'_>> = lists.iter().map(|list| Listed::new(list, packed)).collect();
    for lane in port.lanes() {
        c::text(format(lane), &mut arguments[lane]);
    }
    receive_strings(port, &mut arguments)?;
    let mut written = [0; LANES];
    for lane in port.lanes() {
        let Listed { strings, .. } = std::mem::replace(&mut arguments[lane], Listed::new(&lists[lane], packed));
        let mut again = Listed { strings, ..Listed::new(&lists[lane], packed) };
        written[lane] = put(streams[lane], &c::text(format(lane), &mut again));
    }
    port.send(|lane, packet| (packet[0], packet[1]) = (written[lane], 0))
}

/// Asks for the strings that pointers lead to, those of the last pointers first.
fn receive_strings(port: &mut Port<'_>, arguments: &mut [Listed<'_>]) -> Result<(), CallError> {
    let counts: Vec<usize> = arguments.iter().map(|listed| listed.pointers.len()).collect();
    for round in 0..counts.iter().copied().max().unwrap_or(0) {
        let wanted = |lane: usize| counts[lane].checked_sub(round + 1);
        port.send(|lane, packet| packet[1] = wanted(lane).map_or(0, |number| arguments[lane].pointers[number]))?;
        // Lanes that are told that there are no more have left.
        let all = port.mask;
        port.mask = port.lanes().filter(|&lane| wanted(lane).is_some()).fold(0, |mask, lane| mask | 1 << lane);
        let strings = port.receive_bytes();
        let mut strings = strings?;
        for lane in port.lanes() {
            arguments[lane].strings.insert(0, std::mem::take(&mut strings[lane]));
        }
        port.mask = all;
    }
    Ok(())
}
