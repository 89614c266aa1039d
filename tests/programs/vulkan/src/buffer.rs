//! Buffers that the host sees.

use ash::vk;

use crate::gpu::Gpu;
use crate::outcome::Stop;

/// What buffers are for: all that any case does with them.
const USAGE: vk::BufferUsageFlags = vk::BufferUsageFlags::from_raw(
    vk::BufferUsageFlags::TRANSFER_SRC.as_raw()
        | vk::BufferUsageFlags::TRANSFER_DST.as_raw()
        | vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER.as_raw()
        | vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER.as_raw()
        | vk::BufferUsageFlags::UNIFORM_BUFFER.as_raw()
        | vk::BufferUsageFlags::STORAGE_BUFFER.as_raw()
        | vk::BufferUsageFlags::INDIRECT_BUFFER.as_raw()
        | vk::BufferUsageFlags::CONDITIONAL_RENDERING_EXT.as_raw()
        | vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS.as_raw(),
);

/// A buffer with memory of its own.
#[derive(Clone, Copy)]
pub(crate) struct Buffer {
    pub handle: vk::Buffer,
    pub bytes: u64,
    memory: *mut u8,
}

/// Returns the bytes of numbers.
pub(crate) fn bytes_of<T: Copy>(values: &[T]) -> &[u8] {
    // SAFETY: the cases have arrays of numbers only, without padding.
    unsafe { std::slice::from_raw_parts(values.as_ptr().cast(), size_of_val(values)) }
}

impl Buffer {
    /// Writes numbers at an offset in bytes.
    pub fn write<T: Copy>(&self, at: u64, values: &[T]) {
        let bytes = bytes_of(values);
        assert!(at + bytes.len() as u64 <= self.bytes);
        // SAFETY: the memory has `bytes` bytes and stays mapped.
        unsafe { self.memory.add(at as usize).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) }
    }

    /// Reads all numbers.
    pub fn read<T: Copy + Default>(&self) -> Vec<T> {
        let mut values = vec![T::default(); self.bytes as usize / size_of::<T>()];
        let count = size_of_val(&values[..]);
        // SAFETY: the memory has as many bytes and stays mapped; numbers have any bits.
        unsafe { values.as_mut_ptr().cast::<u8>().copy_from_nonoverlapping(self.memory, count) }
        values
    }
}

impl Gpu {
    /// Makes a buffer with memory.
    fn bound(&self, bytes: u64, flags: vk::MemoryPropertyFlags) -> Result<(vk::Buffer, vk::DeviceMemory), Stop> {
        let info = vk::BufferCreateInfo::default().size(bytes).usage(USAGE);
        let device = &self.device;
        let handle = unsafe { device.create_buffer(&info, None)? };
        self.later(move |device| unsafe { device.destroy_buffer(handle, None) });
        let memory = self.allocate(unsafe { device.get_buffer_memory_requirements(handle) }, flags)?;
        unsafe { device.bind_buffer_memory(handle, memory, 0)? };
        Ok((handle, memory))
    }

    /// Makes a buffer of zeros.
    pub(crate) fn buffer(&self, bytes: u64) -> Result<Buffer, Stop> {
        let visible = vk::MemoryPropertyFlags::HOST_VISIBLE | vk::MemoryPropertyFlags::HOST_COHERENT;
        let (handle, memory) = self.bound(bytes, visible)?;
        let memory = unsafe { self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty())? };
        let buffer = Buffer { handle, bytes, memory: memory.cast() };
        buffer.write(0, &vec![0u8; bytes as usize]);
        Ok(buffer)
    }

    /// Makes a buffer that only the device sees.
    pub(crate) fn local_buffer(&self, bytes: u64) -> Result<Buffer, Stop> {
        let (handle, _) = self.bound(bytes, vk::MemoryPropertyFlags::DEVICE_LOCAL)?;
        Ok(Buffer { handle, bytes: 0, memory: std::ptr::null_mut() })
    }

    /// Makes a buffer with numbers.
    pub(crate) fn buffer_of<T: Copy>(&self, values: &[T]) -> Result<Buffer, Stop> {
        let buffer = self.buffer(size_of_val(values) as u64)?;
        buffer.write(0, values);
        Ok(buffer)
    }

    /// Returns the address of a buffer on the device.
    pub(crate) fn address(&self, buffer: &Buffer) -> u64 {
        let info = vk::BufferDeviceAddressInfo::default().buffer(buffer.handle);
        unsafe { self.device.get_buffer_device_address(&info) }
    }

    /// Makes a view of texels of a buffer.
    pub(crate) fn texels(&self, buffer: &Buffer, format: vk::Format) -> Result<vk::BufferView, Stop> {
        let info = vk::BufferViewCreateInfo::default().buffer(buffer.handle).format(format).range(vk::WHOLE_SIZE);
        let view = unsafe { self.device.create_buffer_view(&info, None)? };
        self.later(move |device| unsafe { device.destroy_buffer_view(view, None) });
        Ok(view)
    }
}
