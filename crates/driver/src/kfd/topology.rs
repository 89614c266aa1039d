//! The files that describe the machine to ROCm, as `/sys/devices/virtual/kfd/kfd/topology` has them.
//!
//! Sources: the kernel's documentation of KFD's topology, the reader in libhsakmt.

use std::fmt::Write as _;

use gcnsim_isa::Arch;

use crate::chips::Chip;

/// Id of the device among ioctls.
pub const GPU_ID: u32 = 22124;

/// A file: its path in the folder, and its text.
pub type File = (String, String);

/// What the host has: cores, and memory in bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Host {
    /// Number of cores.
    pub cores: u32,
    /// Memory in bytes.
    pub memory: u64,
}

fn properties(list: &[(&str, u64)]) -> String {
    list.iter().fold(String::new(), |mut text, (name, value)| {
        let _ = writeln!(text, "{name} {value}");
        text
    })
}

fn link(from: u64, to: u64) -> String {
    // PCI Express.
    const TYPE: u64 = 2;
    properties(&[
        ("type", TYPE),
        ("version_major", 0),
        ("version_minor", 0),
        ("node_from", from),
        ("node_to", to),
        ("weight", 20),
        ("min_latency", 0),
        ("max_latency", 0),
        ("min_bandwidth", 0),
        ("max_bandwidth", 0),
        ("recommended_transfer_size", 0),
        ("flags", 1),
    ])
}

/// What the device can do, as HSA_CAPABILITY has it.
fn capability(arch: Arch) -> u64 {
    const QUEUE_SIZE_POWER_OF_TWO: u64 = 1 << 3;
    const QUEUE_SIZE_32_BIT: u64 = 1 << 4;
    const WATCH_POINTS: u64 = 1 << 7 | 2 << 8;
    const DOUBLE_MAP: u64 = 1 << 14;
    // Doorbells of 64 bits from GCN 1.4 on. Older chips see the ring twice.
    let doorbell = if arch.is_gcn14_or_later() { 2 << 12 } else { 1 << 12 | DOUBLE_MAP };
    QUEUE_SIZE_POWER_OF_TWO | QUEUE_SIZE_32_BIT | WATCH_POINTS | doorbell
}

/// Returns the files of a machine with one chip.
pub fn files(chip: &Chip, host: Host) -> Vec<File> {
    const SIMD_BASE: u64 = 0x8000_1000;
    let arch = chip.arch();
    let [major, minor, stepping] = chip.version().map(u64::from);
    let arrays = u64::from(chip.engines * chip.arrays);
    let cpu = properties(&[
        ("cpu_cores_count", host.cores.into()),
        ("simd_count", 0),
        ("mem_banks_count", 1),
        ("caches_count", 0),
        ("io_links_count", 1),
        ("cpu_core_id_base", 0),
        ("simd_id_base", 0),
        ("max_waves_per_simd", 0),
        ("lds_size_in_kb", 0),
        ("gds_size_in_kb", 0),
        ("wave_front_size", 0),
        ("array_count", 0),
        ("simd_arrays_per_engine", 0),
        ("cu_per_simd_array", 0),
        ("simd_per_cu", 0),
        ("max_slots_scratch_cu", 0),
        ("vendor_id", 0),
        ("device_id", 0),
        ("location_id", 0),
        ("drm_render_minor", 0),
        ("max_engine_clk_ccompute", 2000),
    ]);
    let gpu = properties(&[
        ("cpu_cores_count", 0),
        ("simd_count", u64::from(chip.compute_units()) * 4),
        ("mem_banks_count", 1),
        ("caches_count", 2),
        ("io_links_count", 1),
        ("cpu_core_id_base", 0),
        ("simd_id_base", SIMD_BASE),
        ("max_waves_per_simd", 10),
        ("lds_size_in_kb", 64),
        ("gds_size_in_kb", 0),
        ("num_gws", 0),
        ("wave_front_size", 64),
        ("array_count", arrays),
        ("simd_arrays_per_engine", chip.arrays.into()),
        ("cu_per_simd_array", chip.units.into()),
        ("simd_per_cu", 4),
        ("max_slots_scratch_cu", 32),
        ("gfx_target_version", major * 10000 + minor * 100 + stepping),
        ("vendor_id", 0x1002),
        ("device_id", chip.device.into()),
        ("location_id", 0x300),
        ("domain", 0),
        ("drm_render_minor", 128),
        ("hive_id", 0),
        ("num_sdma_engines", 0),
        ("num_sdma_xgmi_engines", 0),
        ("num_sdma_queues_per_engine", 0),
        ("num_cp_queues", 24),
        ("max_engine_clk_fcompute", chip.clock.into()),
        ("local_mem_size", 0),
        // Versions of the firmware that know all packets.
        ("fw_version", if arch.is_gcn14_or_later() { 440 } else { 730 }),
        ("capability", capability(arch)),
        ("debug_prop", 0),
        ("sdma_fw_version", 430),
        ("unique_id", 0x6763_6e73_696d),
        ("max_engine_clk_ccompute", 2000),
    ]);
    let bank = |heap: u64, bytes: u64, width: u32, clock: u32| {
        properties(&[
            ("heap_type", heap),
            ("size_in_bytes", bytes),
            ("flags", 0),
            ("width", width.into()),
            ("mem_clk_max", clock.into()),
        ])
    };
    let cache = |level: u64, kib: u32| {
        properties(&[
            ("processor_id_low", SIMD_BASE),
            ("level", level),
            ("size", kib.into()),
            ("cache_line_size", 64),
            ("cache_lines_per_tag", 1),
            ("association", 16),
            ("latency", 0),
            ("type", 9),
        ])
    };
    let file = |path: &str, text: String| (path.to_owned(), text);
    vec![
        file("generation_id", "1\n".to_owned()),
        file("system_properties", properties(&[("platform_oem", 0), ("platform_id", 0), ("platform_rev", 0)])),
        file("nodes/0/gpu_id", "0\n".to_owned()),
        file("nodes/0/name", "\n".to_owned()),
        file("nodes/0/properties", cpu),
        file("nodes/0/mem_banks/0/properties", bank(0, host.memory, 64, 2400)),
        file("nodes/0/io_links/0/properties", link(0, 1)),
        file("nodes/1/gpu_id", format!("{GPU_ID}\n")),
        file("nodes/1/name", format!("{}\n", chip.asic)),
        file("nodes/1/properties", gpu),
        file("nodes/1/mem_banks/0/properties", bank(1, chip.memory << 20, chip.memory_width, chip.memory_clock)),
        file("nodes/1/io_links/0/properties", link(1, 0)),
        file("nodes/1/caches/0/properties", cache(1, 16)),
        file("nodes/1/caches/1/properties", cache(2, chip.cache)),
    ]
}
