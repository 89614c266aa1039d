//! A layer of Vulkan that hides queues for graphics (`gcnsim device --compute-only`). RADV copies and clears images by
//! draws on such queues, and by compute shaders on all others.
//!
//! The loader finds the layer by a manifest, which the command writes. The families of queues that are left are counted
//! from 0; functions that take the number of a family get it, and pass on the driver's.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::panic::catch_unwind;
use std::sync::{Mutex, MutexGuard, PoisonError};

use ash::vk::{self, Handle};

/// The version of the interface between loader and layers that is spoken here.
const INTERFACE: u32 = 2;
/// What a create info of the loader holds: the link to the next layer.
const LINK: u32 = 0;

/// `VkNegotiateLayerInterface`.
#[repr(C)]
struct Negotiation {
    kind: u32,
    next: *mut c_void,
    version: u32,
    instance: Option<GetInstance>,
    device: Option<GetDevice>,
    physical: Option<GetInstance>,
}

type GetInstance = unsafe extern "system" fn(vk::Instance, *const c_char) -> vk::PFN_vkVoidFunction;
type GetDevice = unsafe extern "system" fn(vk::Device, *const c_char) -> vk::PFN_vkVoidFunction;

/// `VkLayerInstanceCreateInfo` and `VkLayerDeviceCreateInfo`.
#[repr(C)]
struct CreateInfo {
    kind: vk::StructureType,
    next: *const c_void,
    function: u32,
    link: *mut Link,
}

/// `VkLayerInstanceLink` and `VkLayerDeviceLink`.
#[repr(C)]
struct Link {
    next: *mut Link,
    instance: Option<GetInstance>,
    /// Of a device its functions; of an instance those of physical devices.
    other: *const c_void,
}

/// The functions of an instance below this layer. They are asked for when it is made, as the loader may answer with its
/// own later.
#[derive(Clone, Copy)]
struct Instance {
    get: GetInstance,
    handle: vk::Instance,
    destroy: Option<vk::PFN_vkDestroyInstance>,
    families: Option<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties>,
    families2: Option<vk::PFN_vkGetPhysicalDeviceQueueFamilyProperties2>,
}

/// The functions of a device below this layer, and the driver's numbers of the families that are shown.
#[derive(Clone)]
struct Device {
    get: GetDevice,
    destroy: Option<vk::PFN_vkDestroyDevice>,
    queue: Option<vk::PFN_vkGetDeviceQueue>,
    queue2: Option<vk::PFN_vkGetDeviceQueue2>,
    pool: Option<vk::PFN_vkCreateCommandPool>,
    families: Vec<u32>,
}

/// What goes on below this layer, by the loader's table of an object, which is its first word.
#[derive(Default)]
struct Below {
    instances: HashMap<usize, Instance>,
    devices: HashMap<usize, Device>,
}

static BELOW: Mutex<Option<Below>> = Mutex::new(None);

fn below() -> MutexGuard<'static, Option<Below>> {
    BELOW.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The loader's table of an object.
fn table(object: u64) -> usize {
    // SAFETY: the first word of an object is the loader's.
    unsafe { *(object as *const usize) }
}

/// What is below the instance of an object.
fn instance_of(object: u64) -> Option<Instance> {
    below().as_ref()?.instances.get(&table(object)).copied()
}

/// What is below a device.
fn device_of(device: vk::Device) -> Option<Device> {
    below().as_ref()?.devices.get(&table(device.as_raw())).cloned()
}

impl Device {
    /// The driver's number of a family.
    fn real(&self, family: u32) -> u32 {
        self.families.get(family as usize).copied().unwrap_or(family)
    }
}

/// The type of a function, given to what the loader calls one.
///
/// # Safety
/// `F` is the type of the function.
unsafe fn typed<F>(function: vk::PFN_vkVoidFunction) -> Option<F> {
    // SAFETY: pointers to functions have one size; as the caller says.
    function.map(|function| unsafe { std::mem::transmute_copy(&function) })
}

/// All families of the driver.
fn all_families(physical: vk::PhysicalDevice) -> Vec<vk::QueueFamilyProperties> {
    let Some(get) = instance_of(physical.as_raw()).and_then(|instance| instance.families) else { return Vec::new() };
    let mut count = 0;
    // SAFETY: the physical device is the program's, and there is room for as many families as there are.
    unsafe {
        get(physical, &mut count, std::ptr::null_mut());
        let mut all = vec![vk::QueueFamilyProperties::default(); count as usize];
        get(physical, &mut count, all.as_mut_ptr());
        all
    }
}

/// The driver's numbers of the families that are shown: those without graphics, or all if none is without.
fn families(all: &[vk::QueueFamilyProperties]) -> Vec<u32> {
    let numbers = |is_shown: fn(&vk::QueueFamilyProperties) -> bool| -> Vec<u32> {
        (0u32..).zip(all).filter(|(_, family)| is_shown(family)).map(|(number, _)| number).collect()
    };
    let shown = numbers(|family| !family.queue_flags.contains(vk::QueueFlags::GRAPHICS));
    if shown.is_empty() { numbers(|_| true) } else { shown }
}

/// The link of a create info of the loader, which is moved on to the next layer.
///
/// # Safety
/// `chain` is a chain of create infos that the loader has made.
unsafe fn take_link(mut chain: *const c_void, kind: vk::StructureType) -> Option<(Option<GetInstance>, *const c_void)> {
    while !chain.is_null() {
        // SAFETY: all structures of a chain begin so, and the loader's may be changed.
        unsafe {
            let info = chain as *mut CreateInfo;
            if (*info).kind == kind && (*info).function == LINK {
                let link = (*info).link;
                (*info).link = (*link).next;
                return Some(((*link).instance, (*link).other));
            }
            chain = (*info).next;
        }
    }
    None
}

unsafe extern "system" fn create_instance(
    info: *const vk::InstanceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    instance: *mut vk::Instance,
) -> vk::Result {
    // SAFETY: the loader gives what `vkCreateInstance` takes, with its link.
    unsafe {
        let link = take_link((*info).p_next, vk::StructureType::LOADER_INSTANCE_CREATE_INFO);
        let Some((Some(get), _)) = link else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let create = typed::<vk::PFN_vkCreateInstance>(get(vk::Instance::null(), c"vkCreateInstance".as_ptr()));
        let Some(create) = create else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let result = create(info, allocator, instance);
        if result == vk::Result::SUCCESS {
            let handle = *instance;
            let find = |name: &CStr| get(handle, name.as_ptr());
            let families2 = find(c"vkGetPhysicalDeviceQueueFamilyProperties2")
                .or_else(|| find(c"vkGetPhysicalDeviceQueueFamilyProperties2KHR"));
            let made = Instance {
                get,
                handle,
                destroy: typed(find(c"vkDestroyInstance")),
                families: typed(find(c"vkGetPhysicalDeviceQueueFamilyProperties")),
                families2: typed(families2),
            };
            below().get_or_insert_default().instances.insert(table(handle.as_raw()), made);
        }
        result
    }
}

unsafe extern "system" fn destroy_instance(instance: vk::Instance, allocator: *const vk::AllocationCallbacks<'_>) {
    if instance == vk::Instance::null() {
        return;
    }
    // SAFETY: the type is that of the function, and the arguments are the program's.
    unsafe {
        let made = below().get_or_insert_default().instances.remove(&table(instance.as_raw()));
        if let Some(destroy) = made.and_then(|made| made.destroy) {
            destroy(instance, allocator);
        }
    }
}

/// Writes what is shown into the program's list, as functions of Vulkan do: the number of entries alone if there is no
/// list. Returns the number of entries to write.
///
/// # Safety
/// `count` is the program's number of entries.
unsafe fn shown(count: *mut u32, has_list: bool, families: &[u32]) -> usize {
    let total = families.len() as u32;
    // SAFETY: as the caller says.
    unsafe {
        *count = if has_list { total.min(*count) } else { total };
        if has_list { *count as usize } else { 0 }
    }
}

unsafe extern "system" fn family_properties(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    list: *mut vk::QueueFamilyProperties,
) {
    let all = all_families(physical);
    let families = families(&all);
    // SAFETY: the program's list has room for `count` entries.
    unsafe {
        let room = shown(count, !list.is_null(), &families);
        for (at, &family) in families.iter().take(room).enumerate() {
            list.add(at).write(all[family as usize]);
        }
    }
}

unsafe extern "system" fn family_properties2(
    physical: vk::PhysicalDevice,
    count: *mut u32,
    list: *mut vk::QueueFamilyProperties2<'_>,
) {
    let (total, get) = (all_families(physical), instance_of(physical.as_raw()).and_then(|made| made.families2));
    let families = families(&total);
    // SAFETY: the program's list has room for `count` entries, whose chains the driver fills.
    unsafe {
        let (Some(get), room) = (get, shown(count, !list.is_null(), &families)) else { return };
        let mut all = vec![vk::QueueFamilyProperties2::default(); total.len()];
        for (at, &family) in families.iter().take(room).enumerate() {
            all[family as usize].p_next = (*list.add(at)).p_next;
        }
        get(physical, &mut (total.len() as u32), all.as_mut_ptr());
        for (at, &family) in families.iter().take(room).enumerate() {
            (*list.add(at)).queue_family_properties = all[family as usize].queue_family_properties;
        }
    }
}

unsafe extern "system" fn create_device(
    physical: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    device: *mut vk::Device,
) -> vk::Result {
    let families = families(&all_families(physical));
    // SAFETY: the loader gives what `vkCreateDevice` takes, with its link; the copies live until the call returns.
    unsafe {
        let link = take_link((*info).p_next, vk::StructureType::LOADER_DEVICE_CREATE_INFO);
        let Some((Some(get), device_get)) = link else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let Some(Instance { handle, .. }) = instance_of(physical.as_raw()) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        let create = typed::<vk::PFN_vkCreateDevice>(get(handle, c"vkCreateDevice".as_ptr()));
        let device_get: Option<GetDevice> = std::mem::transmute_copy(&device_get);
        let (Some(create), Some(get)) = (create, device_get) else { return vk::Result::ERROR_INITIALIZATION_FAILED };
        let mut queues: Vec<vk::DeviceQueueCreateInfo<'_>> =
            (0..(*info).queue_create_info_count as usize).map(|at| *(*info).p_queue_create_infos.add(at)).collect();
        for queue in &mut queues {
            let Some(&family) = families.get(queue.queue_family_index as usize) else {
                return vk::Result::ERROR_INITIALIZATION_FAILED;
            };
            queue.queue_family_index = family;
        }
        let mut copy = *info;
        copy.p_queue_create_infos = queues.as_ptr();
        let result = create(physical, &copy, allocator, device);
        if result == vk::Result::SUCCESS {
            let handle = *device;
            let find = |name: &CStr| get(handle, name.as_ptr());
            let made = Device {
                get,
                destroy: typed(find(c"vkDestroyDevice")),
                queue: typed(find(c"vkGetDeviceQueue")),
                queue2: typed(find(c"vkGetDeviceQueue2")),
                pool: typed(find(c"vkCreateCommandPool")),
                families,
            };
            below().get_or_insert_default().devices.insert(table(handle.as_raw()), made);
        }
        result
    }
}

unsafe extern "system" fn destroy_device(device: vk::Device, allocator: *const vk::AllocationCallbacks<'_>) {
    if device == vk::Device::null() {
        return;
    }
    // SAFETY: the type is that of the function, and the arguments are the program's.
    unsafe {
        let made = below().get_or_insert_default().devices.remove(&table(device.as_raw()));
        if let Some(destroy) = made.and_then(|made| made.destroy) {
            destroy(device, allocator);
        }
    }
}

unsafe extern "system" fn get_queue(device: vk::Device, family: u32, index: u32, queue: *mut vk::Queue) {
    let Some(made) = device_of(device) else { return };
    if let Some(get) = made.queue {
        // SAFETY: the arguments are the program's, but for the number of the family.
        unsafe { get(device, made.real(family), index, queue) };
    }
}

unsafe extern "system" fn get_queue2(device: vk::Device, info: *const vk::DeviceQueueInfo2<'_>, queue: *mut vk::Queue) {
    let Some(made) = device_of(device) else { return };
    if let Some(get) = made.queue2 {
        // SAFETY: the arguments are the program's, but for the number of the family.
        unsafe {
            let mut copy = *info;
            copy.queue_family_index = made.real(copy.queue_family_index);
            get(device, &copy, queue);
        }
    }
}

unsafe extern "system" fn create_pool(
    device: vk::Device,
    info: *const vk::CommandPoolCreateInfo<'_>,
    allocator: *const vk::AllocationCallbacks<'_>,
    pool: *mut vk::CommandPool,
) -> vk::Result {
    let made = device_of(device);
    let Some((made, create)) = made.and_then(|made| made.pool.map(|create| (made, create))) else {
        return vk::Result::ERROR_INITIALIZATION_FAILED;
    };
    // SAFETY: the arguments are the program's, but for the number of the family.
    unsafe {
        let mut copy = *info;
        copy.queue_family_index = made.real(copy.queue_family_index);
        create(device, &copy, allocator, pool)
    }
}

/// A function of this layer.
fn own(name: &CStr) -> vk::PFN_vkVoidFunction {
    let function = match name.to_bytes() {
        b"vkGetInstanceProcAddr" => instance_function as *const (),
        b"vkCreateInstance" => create_instance as *const (),
        b"vkDestroyInstance" => destroy_instance as *const (),
        b"vkGetPhysicalDeviceQueueFamilyProperties" => family_properties as *const (),
        b"vkGetPhysicalDeviceQueueFamilyProperties2" => family_properties2 as *const (),
        b"vkGetPhysicalDeviceQueueFamilyProperties2KHR" => family_properties2 as *const (),
        b"vkCreateDevice" => create_device as *const (),
        b"vkGetDeviceProcAddr" => device_function as *const (),
        b"vkDestroyDevice" => destroy_device as *const (),
        b"vkGetDeviceQueue" => get_queue as *const (),
        b"vkGetDeviceQueue2" => get_queue2 as *const (),
        b"vkCreateCommandPool" => create_pool as *const (),
        _ => return None,
    };
    // SAFETY: who asks for a function by its name calls it with its type.
    Some(unsafe { std::mem::transmute::<*const (), unsafe extern "system" fn()>(function) })
}

unsafe extern "system" fn instance_function(instance: vk::Instance, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader gives a name, and an instance of it or none.
    unsafe {
        let name = CStr::from_ptr(name);
        if let Some(own) = own(name) {
            return Some(own);
        }
        if instance == vk::Instance::null() {
            return None;
        }
        let Instance { get, handle, .. } = instance_of(instance.as_raw())?;
        get(handle, name.as_ptr())
    }
}

unsafe extern "system" fn device_function(device: vk::Device, name: *const c_char) -> vk::PFN_vkVoidFunction {
    // SAFETY: the loader gives a name and a device.
    unsafe {
        let name = CStr::from_ptr(name);
        if let Some(own) = own(name) {
            return Some(own);
        }
        (device_of(device)?.get)(device, name.as_ptr())
    }
}

/// Tells the loader of the functions of this layer.
///
/// # Safety
/// `negotiation` is the loader's `VkNegotiateLayerInterface`.
#[unsafe(no_mangle)]
unsafe extern "system" fn gcnsim_compute_only(negotiation: *mut c_void) -> vk::Result {
    let answer = catch_unwind(|| {
        // SAFETY: as the caller says.
        let Some(negotiation) = (unsafe { (negotiation as *mut Negotiation).as_mut() }) else {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        };
        if negotiation.version < INTERFACE {
            return vk::Result::ERROR_INITIALIZATION_FAILED;
        }
        negotiation.version = INTERFACE;
        negotiation.instance = Some(instance_function);
        negotiation.device = Some(device_function);
        negotiation.physical = None;
        vk::Result::SUCCESS
    });
    answer.unwrap_or(vk::Result::ERROR_INITIALIZATION_FAILED)
}
