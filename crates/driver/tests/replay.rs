//! Replays logs of real programs under ROCm's libraries and Mesa's (`corpus/device/README.md`), without these. Each
//! program has compared its results with those of the host, so what its kernels wrote was right.

use std::collections::{BTreeMap, VecDeque};
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::{Arc, Mutex};

use flate2::read::GzDecoder;
use gcnsim_driver::settings::{Engine, chip};
use gcnsim_driver::{Errno, Gpu, MOST_ARGUMENTS, Program, Settings, Summary};
use serde_json::Value;

/// Bytes that were read from an address.
type Read = (u64, Vec<u8>);

/// Whoever reads a log: nothing of its memory can be reached but by allocations, and what ioctls of the render node
/// have read.
#[derive(Clone, Default)]
struct Reader(Arc<Mutex<VecDeque<Read>>>);

impl Program for Reader {
    fn read(&self, address: u64, bytes: &mut [u8]) -> bool {
        bytes.fill(0);
        if let Some((at, read)) = self.0.lock().unwrap().pop_front() {
            assert_eq!(at, address, "it reads something else");
            bytes[..read.len()].copy_from_slice(&read);
        }
        true
    }

    fn write(&self, _: u64, _: &[u8]) -> bool {
        true
    }

    fn say(&self, text: &str) {
        panic!("{text}");
    }
}

fn bytes(hex: &str) -> Vec<u8> {
    let digit = |at: usize| u8::from_str_radix(&hex[at..at + 2], 16).unwrap();
    (0..hex.len()).step_by(2).map(digit).collect()
}

/// Number of the ioctl that waits for events.
const WAIT: u64 = 0x0c;
/// Number of the ioctl that allocates memory, and flags of kinds of memory.
const ALLOC: u64 = 0x16;
const USER: u8 = 4;
const SYSTEM: u8 = 2;
const VRAM: u8 = 1;

/// Pages by address. Those of the log end with their last byte that is not 0.
type Pages = BTreeMap<u64, Vec<u8>>;

fn pages(line: &Value) -> Pages {
    let page = |(address, hex): (&String, &Value)| {
        (u64::from_str_radix(&address[2..], 16).unwrap(), bytes(hex.as_str().unwrap()))
    };
    line.as_object().unwrap().iter().map(page).collect()
}

/// Replays a log on an engine. Returns what the device has done, and how many bytes are not as in the log.
fn replay(name: &str, engine: Engine) -> (Summary, u64) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../corpus/device").join(name);
    let lines = BufReader::new(GzDecoder::new(File::open(path).unwrap())).lines();
    let mut lines = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    let head = lines.next().unwrap();
    let settings = Settings { engine, jobs: Some(2), ..Settings::default() };
    let reader = Reader::default();
    let gpu = Gpu::new(chip(head["chip"].as_str()).unwrap(), settings, Box::new(reader.clone())).unwrap();
    let (mut wrong, mut compared, mut packets, mut vram) = (0, 0, 0, Vec::new());
    for line in lines {
        if let Some(number) = line.get("kfd").and_then(Value::as_u64).filter(|&number| number != WAIT) {
            let mut args = [0; MOST_ARGUMENTS];
            let given = bytes(line["args"].as_str().unwrap());
            args[..given.len()].copy_from_slice(&given);
            if number == ALLOC && args[36] & USER != 0 {
                args[36] = args[36] & !USER | SYSTEM;
            }
            let done = gpu.kfd(number as u8, &mut args);
            match line.get("errno") {
                Some(errno) => assert_eq!(done, Err(Errno(errno.as_i64().unwrap() as i32)), "{line}"),
                None => assert_eq!(done, Ok(()), "{line}"),
            }
            if number == ALLOC && done.is_ok() {
                let handle = u64::from_le_bytes(*args[16..].first_chunk().unwrap());
                assert_eq!(handle, line["handle"].as_u64().unwrap(), "{line}");
                let [va, size] = [0, 8].map(|at: usize| u64::from_le_bytes(*args[at..].first_chunk().unwrap()));
                if args[36] & VRAM != 0 {
                    vram.push(va..va + size);
                }
            }
        }
        if let Some(number) = line.get("drm").and_then(Value::as_u64) {
            let mut args = [0; MOST_ARGUMENTS];
            let given = bytes(line["args"].as_str().unwrap());
            args[..given.len()].copy_from_slice(&given);
            let read = line["read"].as_array().unwrap().iter().map(|part| {
                let at = part[0].as_str().unwrap();
                (u64::from_str_radix(&at[2..], 16).unwrap(), bytes(part[1].as_str().unwrap()))
            });
            *reader.0.lock().unwrap() = read.collect();
            let done = gpu.drm(number as u8, &mut args).map(|()| args.to_vec());
            let answer = line.get("answer").map(|answer| {
                let mut answer = bytes(answer.as_str().unwrap());
                answer.resize(MOST_ARGUMENTS, 0);
                answer
            });
            let errno = || Errno(line["errno"].as_i64().unwrap() as i32);
            assert_eq!(done, answer.ok_or_else(errno), "{line}");
            assert!(reader.0.lock().unwrap().is_empty(), "{line}");
        }
        if let Some(changed) = line.get("pages") {
            for (address, mut page) in pages(changed) {
                page.resize(4096, 0);
                assert!(gpu.write_memory(address, &page), "{address:#x}");
            }
        }
        if let Some(queue) = line.get("packet").and_then(Value::as_u64) {
            packets += 1;
            assert!(gpu.step_queue(queue as u32), "packet {packets}");
        }
        if let Some(changed) = line.get("after") {
            let times = line.get("signal").and_then(Value::as_u64).map(|signal| signal.wrapping_add(32));
            for (address, mut page) in pages(changed) {
                page.resize(4096, 0);
                let mut now = vec![0; 4096];
                assert!(gpu.read_memory(address, &mut now), "{address:#x}");
                // What the program has written meanwhile.
                assert!(gpu.write_memory(address, &page), "{address:#x}");
                if times.is_some() && !vram.iter().any(|range| range.contains(&address)) {
                    continue;
                }
                compared += 1;
                let is_time = |at: u64| times.is_some_and(|times| (address + at).wrapping_sub(times) < 16);
                let differs = |&(at, (now, then)): &(u64, (&u8, &u8))| now != then && !is_time(at);
                wrong += (0..).zip(now.iter().zip(&page)).filter(differs).count() as u64;
            }
        }
    }
    assert!(compared > 0);
    (gpu.summary(), wrong)
}

/// Kernels of the program: copies and fills of ROCr among them.
const KERNELS: u64 = 6;
/// Those of several groups, which run on all threads.
const THREADED: u64 = 5;

#[test]
fn a_program_on_both_engines() {
    for name in ["small-gfx900.jsonl.gz", "small-gfx803.jsonl.gz"] {
        for engine in [Engine::Jit, Engine::NoCheck, Engine::Interp] {
            let (summary, wrong) = replay(name, engine);
            assert_eq!((summary.dispatches, wrong), (KERNELS, 0), "{name} {engine:?}");
            assert_eq!(summary.threaded, THREADED, "{name} {engine:?}");
            assert!(summary.faults.is_empty() && summary.errors.is_empty(), "{summary:?}");
        }
    }
}

/// Dispatches of five programs, on the queue for compute and on that for graphics.
const DISPATCHES: u64 = 25;

#[test]
fn submissions_of_radv_on_both_engines() {
    for name in ["vulkan-tahiti.jsonl.gz", "vulkan-polaris10.jsonl.gz", "vulkan-vega10.jsonl.gz"] {
        for engine in [Engine::Jit, Engine::NoCheck, Engine::Interp] {
            let (summary, wrong) = replay(name, engine);
            assert_eq!((summary.dispatches, wrong), (DISPATCHES, 0), "{name} {engine:?}");
            assert!(summary.faults.is_empty() && summary.errors.is_empty(), "{summary:?}");
        }
    }
}
