//! The device: one queue of it, what it can do, and what a case has made on it.

use std::cell::{Cell, RefCell};
use std::collections::HashSet;
use std::ffi::CStr;

use ash::vk;

use crate::outcome::{Done, Stop, need};

/// Extensions that cases use where they are.
const EXTENSIONS: [&CStr; 8] = [
    ash::ext::conditional_rendering::NAME,
    ash::ext::robustness2::NAME,
    ash::ext::shader_atomic_float::NAME,
    ash::ext::shader_image_atomic_int64::NAME,
    ash::khr::push_descriptor::NAME,
    ash::khr::shader_clock::NAME,
    ash::khr::shader_subgroup_uniform_control_flow::NAME,
    ash::khr::workgroup_memory_explicit_layout::NAME,
];

/// Nanoseconds after which work counts as one without an end.
pub(crate) const MOST_WAIT: u64 = 20_000_000_000;

/// What ends what a case has made.
type Ending = Box<dyn FnOnce(&ash::Device)>;

/// Structures of features. Without pointers, so that they can be kept.
#[derive(Default)]
pub(crate) struct Features {
    pub core: vk::PhysicalDeviceFeatures,
    pub v11: vk::PhysicalDeviceVulkan11Features<'static>,
    pub v12: vk::PhysicalDeviceVulkan12Features<'static>,
    pub v13: vk::PhysicalDeviceVulkan13Features<'static>,
    pub floats: vk::PhysicalDeviceShaderAtomicFloatFeaturesEXT<'static>,
    pub conditional: vk::PhysicalDeviceConditionalRenderingFeaturesEXT<'static>,
    pub clock: vk::PhysicalDeviceShaderClockFeaturesKHR<'static>,
    pub robust: vk::PhysicalDeviceRobustness2FeaturesEXT<'static>,
    pub image64: vk::PhysicalDeviceShaderImageAtomicInt64FeaturesEXT<'static>,
    pub layout: vk::PhysicalDeviceWorkgroupMemoryExplicitLayoutFeaturesKHR<'static>,
}

impl Features {
    /// Calls `f` with all structures in a chain.
    fn chained<R>(&mut self, has: &HashSet<String>, f: impl FnOnce(&mut vk::PhysicalDeviceFeatures2<'_>) -> R) -> R {
        let extension = |name: &CStr| has.contains(&*name.to_string_lossy());
        let mut all = vk::PhysicalDeviceFeatures2::default().features(self.core);
        // What they pointed to in another chain.
        let nothing = std::ptr::null_mut();
        (self.v11.p_next, self.v12.p_next, self.v13.p_next) = (nothing, nothing, nothing);
        (self.floats.p_next, self.conditional.p_next, self.clock.p_next) = (nothing, nothing, nothing);
        (self.robust.p_next, self.image64.p_next, self.layout.p_next) = (nothing, nothing, nothing);
        all = all.push_next(&mut self.v11).push_next(&mut self.v12).push_next(&mut self.v13);
        if extension(ash::ext::shader_atomic_float::NAME) {
            all = all.push_next(&mut self.floats);
        }
        if extension(ash::ext::conditional_rendering::NAME) {
            all = all.push_next(&mut self.conditional);
        }
        if extension(ash::khr::shader_clock::NAME) {
            all = all.push_next(&mut self.clock);
        }
        if extension(ash::ext::robustness2::NAME) {
            all = all.push_next(&mut self.robust);
        }
        if extension(ash::ext::shader_image_atomic_int64::NAME) {
            all = all.push_next(&mut self.image64);
        }
        if extension(ash::khr::workgroup_memory_explicit_layout::NAME) {
            all = all.push_next(&mut self.layout);
        }
        let result = f(&mut all);
        self.core = all.features;
        result
    }
}

/// A device with a queue.
pub(crate) struct Gpu {
    pub name: String,
    pub device: ash::Device,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub family: u32,
    pub families: Vec<vk::QueueFamilyProperties>,
    pub queue: vk::Queue,
    pub pool: vk::CommandPool,
    pub features: Features,
    pub extensions: HashSet<String>,
    pub subgroup: u32,
    pub subgroup_operations: vk::SubgroupFeatureFlags,
    memory: vk::PhysicalDeviceMemoryProperties,
    pub is_radv: bool,
    endings: RefCell<Vec<Ending>>,
    /// Hash of results (FNV-1a); `None` before the first one.
    hash: Cell<Option<u64>>,
    _entry: ash::Entry,
}

/// Returns the loader, an instance and its first device.
fn open() -> Result<(ash::Entry, ash::Instance, vk::PhysicalDevice), String> {
    let entry = unsafe { ash::Entry::load() }.map_err(|error| format!("no loader of Vulkan: {error}"))?;
    let about = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3).application_name(c"vulkan-programs");
    let info = vk::InstanceCreateInfo::default().application_info(&about);
    let instance = unsafe { entry.create_instance(&info, None) }.map_err(|error| format!("no instance: {error}"))?;
    let list = unsafe { instance.enumerate_physical_devices() }.map_err(|error| format!("no devices: {error}"))?;
    let physical = *list.first().ok_or("no device of Vulkan")?;
    Ok((entry, instance, physical))
}

impl Gpu {
    /// Returns the numbers of the families whose queues compute.
    pub fn families() -> Result<Vec<u32>, String> {
        let (_entry, instance, physical) = open()?;
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let computes = |family: &vk::QueueFamilyProperties| family.queue_flags.contains(vk::QueueFlags::COMPUTE);
        let numbers = (0..).zip(&families).filter(|(_, family)| computes(family)).map(|(number, _)| number).collect();
        unsafe { instance.destroy_instance(None) };
        Ok(numbers)
    }

    /// Returns the device with a queue of the family `family`.
    pub fn new(family: u32) -> Result<Gpu, String> {
        Gpu::with(family, false)
    }

    /// Returns the device once more: accesses outside of buffers are defined.
    pub fn robust(&self) -> Result<Gpu, String> {
        Gpu::with(self.family, true)
    }

    fn with(family: u32, is_robust: bool) -> Result<Gpu, String> {
        let (entry, instance, physical) = open()?;
        let said = |error: vk::Result| error.to_string();
        let families = unsafe { instance.get_physical_device_queue_family_properties(physical) };
        let listed = unsafe { instance.enumerate_device_extension_properties(physical) }.map_err(said)?;
        let listed = listed.iter().filter_map(|one| one.extension_name_as_c_str().ok());
        let wanted: Vec<&CStr> = listed.filter(|name| EXTENSIONS.contains(name)).collect();
        let extensions: HashSet<String> = wanted.iter().map(|name| name.to_string_lossy().into_owned()).collect();
        let names: Vec<_> = wanted.iter().map(|name| name.as_ptr()).collect();

        let mut features = Features::default();
        features.chained(&extensions, |all| unsafe { instance.get_physical_device_features2(physical, all) });
        // Checks of bounds change the code of every shader; a case asks for them by itself.
        let robust = (features.core.robust_buffer_access, features.robust.robust_buffer_access2);
        if !is_robust {
            (features.core.robust_buffer_access, features.robust.robust_buffer_access2) = (0, 0);
        }
        features.robust.robust_image_access2 = 0;
        features.v13.robust_image_access = 0;
        let priorities = [1.0];
        let queues: Vec<_> = (0..families.len() as u32)
            .map(|family| vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities))
            .collect();
        let device = features.chained(&extensions, |all| {
            let info = vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
            unsafe { instance.create_device(physical, &info.push_next(all), None) }
        });
        let device = device.map_err(|error| format!("no device: {error}"))?;
        (features.core.robust_buffer_access, features.robust.robust_buffer_access2) = robust;

        let mut driver = vk::PhysicalDeviceDriverProperties::default();
        let mut v11 = vk::PhysicalDeviceVulkan11Properties::default();
        let mut about = vk::PhysicalDeviceProperties2::default().push_next(&mut driver).push_next(&mut v11);
        unsafe { instance.get_physical_device_properties2(physical, &mut about) };
        let about = about.properties;
        let queue = unsafe { device.get_device_queue(family, 0) };
        let flags = vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER;
        let pool = vk::CommandPoolCreateInfo::default().queue_family_index(family).flags(flags);
        let pool = unsafe { device.create_command_pool(&pool, None) }.map_err(said)?;
        Ok(Gpu {
            name: about.device_name_as_c_str().unwrap_or_default().to_string_lossy().into_owned(),
            memory: unsafe { instance.get_physical_device_memory_properties(physical) },
            device,
            instance,
            physical,
            family,
            families,
            queue,
            pool,
            features,
            extensions,
            subgroup: v11.subgroup_size,
            subgroup_operations: v11.subgroup_supported_operations,
            is_radv: driver.driver_id == vk::DriverId::MESA_RADV,
            endings: RefCell::default(),
            hash: Cell::new(None),
            _entry: entry,
        })
    }

    /// Keeps what ends something that the case has made.
    pub fn later(&self, ending: impl FnOnce(&ash::Device) + 'static) {
        self.endings.borrow_mut().push(Box::new(ending));
    }

    /// Ends what a case has made.
    pub fn clear(&self) {
        // A device that is lost waits for nothing.
        let _ = unsafe { self.device.device_wait_idle() };
        self.endings.take().into_iter().rev().for_each(|ending| ending(&self.device));
    }

    /// Returns that the device has no such extension.
    pub fn need_extension(&self, name: &CStr) -> Done {
        let name = name.to_string_lossy();
        need(self.extensions.contains(&*name), &name)
    }

    /// Images are copied and cleared by draws on queues that can draw: those of RADV do so.
    pub fn need_copies_without_draws(&self) -> Done {
        let can_draw = self.families[self.family as usize].queue_flags.contains(vk::QueueFlags::GRAPHICS);
        need(!(self.is_radv && can_draw), "copies of images without draws on this queue")
    }

    /// Allocates memory.
    pub fn allocate(
        &self,
        wanted: vk::MemoryRequirements,
        flags: vk::MemoryPropertyFlags,
    ) -> Result<vk::DeviceMemory, Stop> {
        let types = &self.memory.memory_types_as_slice();
        let is_it = |(number, kind): &(u32, &vk::MemoryType)| {
            wanted.memory_type_bits >> number & 1 == 1 && kind.property_flags.contains(flags)
        };
        let Some((kind, _)) = (0..).zip(types.iter()).find(is_it) else {
            return Err(Stop::Wrong("no such memory".to_owned()));
        };
        let mut how = vk::MemoryAllocateFlagsInfo::default().flags(vk::MemoryAllocateFlags::DEVICE_ADDRESS);
        let info = vk::MemoryAllocateInfo::default().allocation_size(wanted.size).memory_type_index(kind);
        let memory = unsafe { self.device.allocate_memory(&info.push_next(&mut how), None)? };
        self.later(move |device| unsafe { device.free_memory(memory, None) });
        Ok(memory)
    }

    /// Adds results that are the same on every device.
    pub fn add_to_hash(&self, bytes: &[u8]) {
        const FIRST: u64 = 0xcbf2_9ce4_8422_2325;
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
        self.hash.set(Some(bytes.iter().fold(self.hash.get().unwrap_or(FIRST), step)));
    }

    /// Returns the hash of the results of a case.
    pub fn hash(&self) -> String {
        self.hash.get().map_or("-".to_owned(), |hash| format!("{hash:016x}"))
    }

    /// Begins a hash again.
    pub fn forget_hash(&self) {
        self.hash.set(None);
    }
}

impl Drop for Gpu {
    fn drop(&mut self) {
        self.clear();
        unsafe {
            self.device.destroy_command_pool(self.pool, None);
            self.device.destroy_device(None);
            self.instance.destroy_instance(None);
        }
    }
}
