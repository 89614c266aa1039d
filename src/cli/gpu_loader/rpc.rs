//! The server of the remote procedure calls of LLVM's libc: the memory that it shares with the client on the device,
//! and ports.
//!
//! ```text
//! u32 inbox[ports]           the server says here whose turn it is: for the client
//! u32 outbox[ports]          the client does
//! {u64 mask, u32 opcode}     [ports], 16 bytes each
//! u64 packet[ports][64][8]   a lane has 64 bytes
//! ```
//!
//! The client owns a port while both words are equal, the server while they differ. Each hands it over by inverting its
//! own word. Source: LLVM, "libc/shared/rpc.h" (the client of LLVM 20 and later, symbol `__llvm_rpc_client`).

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::thread;
use std::time::Duration;

use gcnsim_device::{Device, DispatchError, Module, memory};
use gcnsim_machine::{Backing, Mapping};

/// Symbol of the client.
pub const CLIENT: &str = "__llvm_rpc_client";
/// Symbol of the client of LLVM 19 and before, whose protocol is another one.
pub const OLD_CLIENT: &str = "__llvm_libc_rpc_client";
/// Guest address of the memory. Buffers are elsewhere.
const ADDRESS: u64 = 0xc000_0000;
/// Number of ports.
const PORTS: usize = 256;
/// Lanes of a packet.
pub const LANES: usize = 64;
/// Bytes of a lane in a packet.
const LANE_BYTES: usize = 64;
/// Offsets of headers and packets.
const HEADERS: usize = 8 * PORTS;
const PACKETS: usize = HEADERS + 16 * PORTS;
const BYTES: usize = PACKETS + PORTS * LANES * LANE_BYTES;
/// Most bytes that a lane sends at once.
const MOST_BYTES: u64 = 64 << 20;
/// Time between two looks of a server that waits.
const PAUSE: Duration = Duration::from_micros(20);

/// The words of a lane.
pub type Packet = [u64; 8];

/// Why a call does not come to its end.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum CallError {
    /// The kernel has ended meanwhile.
    Gone,
    /// A lane sends more than anybody needs.
    TooLong(u64),
    /// The operation is not served.
    Unknown(u32),
}

impl fmt::Display for CallError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            CallError::Gone => f.write_str("the kernel ended within a call"),
            CallError::TooLong(bytes) => write!(f, "a lane sends {bytes} bytes at once"),
            CallError::Unknown(opcode) => write!(f, "operation {opcode:#x} of libc's remote calls is not served"),
        }
    }
}

/// The memory of all ports.
pub struct Server {
    memory: Arc<Backing>,
    /// Set when no kernel runs any more.
    pub done: AtomicBool,
}

/// A port with a call, and how far the call is.
pub struct Port<'s> {
    server: &'s Server,
    index: usize,
    out: u32,
    receives: bool,
    owns: bool,
    /// The lanes that call.
    pub mask: u64,
    /// The operation.
    pub opcode: u32,
}

impl Server {
    /// Makes the memory, and tells the client in the module where it is. `None` if the module has no client.
    ///
    /// # Errors
    /// There is no room.
    pub fn new(device: &Device, module: &Module) -> Result<Option<Server>, DispatchError> {
        let Some(client) = module.object().variables.iter().find(|variable| variable.name == CLIENT) else {
            return Ok(None);
        };
        let memory = memory("remote calls", &[], BYTES as u64)?;
        // The server writes while kernels run.
        device.map(Mapping { shared: true, ..Mapping::new(ADDRESS, "remote calls", memory.clone()) })?;
        let address = module.address(client.address);
        let head =
            [PORTS as u64, ADDRESS, ADDRESS + 4 * PORTS as u64, ADDRESS + HEADERS as u64, ADDRESS + PACKETS as u64];
        let bytes: Vec<u8> = head.iter().flat_map(|word| word.to_le_bytes()).collect();
        if let Some(mapping) = device.mapped(address, client.size.max(bytes.len() as u64))
            && let Some(at) = mapping.place(address, bytes.len() as u64)
        {
            mapping.backing.write(at, &bytes);
        }
        Ok(Some(Server { memory, done: AtomicBool::new(false) }))
    }

    /// Returns the next port from `start` on in which a call waits.
    pub fn waiting(&self, start: usize) -> Option<Port<'_>> {
        let index = (start..PORTS).chain(0..start.min(PORTS)).find(|&index| self.inbox(index) != self.outbox(index))?;
        fence(Ordering::Acquire);
        let mask = u64::from_le_bytes(self.memory.read(HEADERS + 16 * index));
        let opcode = u32::from_le_bytes(self.memory.read(HEADERS + 16 * index + 8));
        let out = self.outbox(index);
        Some(Port { server: self, index, out, receives: false, owns: true, mask, opcode })
    }

    /// What the client has said.
    fn inbox(&self, index: usize) -> u32 {
        u32::from_le_bytes(self.memory.read(4 * (PORTS + index)))
    }

    /// What the server has said.
    fn outbox(&self, index: usize) -> u32 {
        u32::from_le_bytes(self.memory.read(4 * index))
    }

    /// Waits a moment. Returns whether a kernel runs still.
    pub fn pause(&self) -> bool {
        thread::sleep(PAUSE);
        !self.done.load(Ordering::SeqCst)
    }
}

impl Port<'_> {
    /// Number of the port.
    pub fn index(&self) -> usize {
        self.index
    }

    /// The lanes that call.
    pub fn lanes(&self) -> impl Iterator<Item = usize> + use<> {
        let mask = self.mask;
        (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
    }

    /// Hands the port to the client.
    fn hand_over(&mut self) {
        self.out = u32::from(self.out == 0);
        fence(Ordering::Release);
        self.server.memory.write(4 * self.index, &self.out.to_le_bytes());
        self.owns = false;
    }

    fn wait(&self) -> Result<(), CallError> {
        let mut is_running = true;
        while !self.owns && self.server.inbox(self.index) == self.out {
            if !is_running {
                return Err(CallError::Gone);
            }
            is_running = self.server.pause();
        }
        fence(Ordering::Acquire);
        Ok(())
    }

    fn place(&self, lane: usize) -> usize {
        PACKETS + (self.index * LANES + lane) * LANE_BYTES
    }

    /// Sends a packet: `fill` changes what the lanes have there.
    ///
    /// # Errors
    /// [`CallError::Gone`].
    pub fn send(&mut self, mut fill: impl FnMut(usize, &mut Packet)) -> Result<(), CallError> {
        self.wait()?;
        for lane in self.lanes() {
            let mut packet = self.packet(lane);
            fill(lane, &mut packet);
            let bytes: Vec<u8> = packet.iter().flat_map(|word| word.to_le_bytes()).collect();
            self.server.memory.write(self.place(lane), &bytes);
        }
        self.hand_over();
        self.receives = false;
        Ok(())
    }

    /// Receives a packet: `take` sees what the lanes have sent.
    ///
    /// # Errors
    /// [`CallError::Gone`].
    pub fn receive(&mut self, mut take: impl FnMut(usize, Packet)) -> Result<(), CallError> {
        if self.receives {
            self.hand_over();
        }
        self.wait()?;
        self.lanes().for_each(|lane| take(lane, self.packet(lane)));
        (self.receives, self.owns) = (true, true);
        Ok(())
    }

    fn packet(&self, lane: usize) -> Packet {
        let bytes: [u8; LANE_BYTES] = self.server.memory.read(self.place(lane));
        std::array::from_fn(|word| u64::from_le_bytes(std::array::from_fn(|byte| bytes[8 * word + byte])))
    }

    /// Receives bytes of any length: an empty list for lanes that do not call.
    ///
    /// # Errors
    /// [`CallError::Gone`], [`CallError::TooLong`].
    pub fn receive_bytes(&mut self) -> Result<Vec<Vec<u8>>, CallError> {
        let mut sizes = [0u64; LANES];
        let mut lists = vec![Vec::new(); LANES];
        self.receive(|lane, packet| {
            sizes[lane] = packet[0];
            lists[lane].extend(packet[1..].iter().flat_map(|word| word.to_le_bytes()));
        })?;
        let longest = sizes.into_iter().max().unwrap_or(0);
        if longest > MOST_BYTES {
            return Err(CallError::TooLong(longest));
        }
        let mut got = LANE_BYTES as u64 - 8;
        while got < longest {
            self.receive(|lane, packet| lists[lane].extend(packet.iter().flat_map(|word| word.to_le_bytes())))?;
            got += LANE_BYTES as u64;
        }
        lists.iter_mut().zip(sizes).for_each(|(list, size)| list.truncate(size as usize));
        Ok(lists)
    }

    /// Sends bytes of any length.
    ///
    /// # Errors
    /// [`CallError::Gone`].
    pub fn send_bytes(&mut self, lists: &[Vec<u8>]) -> Result<(), CallError> {
        let longest = self.lanes().map(|lane| lists[lane].len()).max().unwrap_or(0);
        let word = |list: &[u8], at: usize| {
            u64::from_le_bytes(std::array::from_fn(|byte| list.get(at + byte).copied().unwrap_or(0)))
        };
        self.send(|lane, packet| {
            packet[0] = lists[lane].len() as u64;
            (1..8).for_each(|n| packet[n] = word(&lists[lane], 8 * (n - 1)));
        })?;
        let mut sent = LANE_BYTES - 8;
        while sent < longest {
            self.send(|lane, packet| (0..8).for_each(|n| packet[n] = word(&lists[lane], sent + 8 * n)))?;
            sent += LANE_BYTES;
        }
        Ok(())
    }

    /// Ends the call.
    pub fn close(mut self) {
        if self.owns {
            self.hand_over();
        }
    }
}
