//! Shaders with what they are bound to, and command buffers.

use std::io::Cursor;

use ash::vk;

use crate::buffer::{Buffer, bytes_of};
use crate::gpu::{Gpu, MOST_WAIT};
use crate::outcome::Stop;

/// The SPIR-V of a shader.
macro_rules! shader {
    ($name:literal) => {
        include_bytes!(concat!("../../shaders/", $name, ".spv"))
    };
}
pub(crate) use shader;

/// What a binding has.
#[derive(Clone)]
pub(crate) enum Bound {
    Storage(Buffer),
    Uniform(Buffer),
    /// A part of a buffer whose place is given when it is bound: the bytes of it.
    Dynamic(Buffer, u64),
    /// An array of buffers.
    Many(Vec<Buffer>),
    UniformTexels(vk::BufferView),
    StorageTexels(vk::BufferView),
    Image(vk::ImageView),
    Sampled(vk::ImageView, vk::Sampler),
}

impl Bound {
    fn kind(&self) -> vk::DescriptorType {
        match self {
            Bound::Storage(_) | Bound::Many(_) => vk::DescriptorType::STORAGE_BUFFER,
            Bound::Uniform(_) => vk::DescriptorType::UNIFORM_BUFFER,
            Bound::Dynamic(..) => vk::DescriptorType::STORAGE_BUFFER_DYNAMIC,
            Bound::UniformTexels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Bound::StorageTexels(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Bound::Image(_) => vk::DescriptorType::STORAGE_IMAGE,
            Bound::Sampled(..) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
        }
    }

    fn count(&self) -> u32 {
        if let Bound::Many(list) = self { list.len() as u32 } else { 1 }
    }
}

/// A shader, and what it is given.
#[derive(Clone)]
pub(crate) struct Job<'a> {
    shader: &'a [u8],
    bound: Vec<Bound>,
    push: Vec<u8>,
    /// Constants of 4 bytes by their numbers.
    constants: Vec<(u32, u32)>,
    flags: vk::PipelineCreateFlags,
    layout: vk::DescriptorSetLayoutCreateFlags,
}

impl<'a> Job<'a> {
    pub fn new(shader: &'a [u8]) -> Job<'a> {
        let (flags, layout) = (vk::PipelineCreateFlags::empty(), vk::DescriptorSetLayoutCreateFlags::empty());
        Job { shader, bound: Vec::new(), push: Vec::new(), constants: Vec::new(), flags, layout }
    }

    /// Binds the next number.
    pub fn bind(mut self, bound: Bound) -> Job<'a> {
        self.bound.push(bound);
        self
    }

    /// Binds a storage buffer to the next number.
    pub fn storage(self, buffer: &Buffer) -> Job<'a> {
        self.bind(Bound::Storage(*buffer))
    }

    /// Adds push constants.
    pub fn push<T: Copy>(mut self, values: &[T]) -> Job<'a> {
        self.push.extend_from_slice(bytes_of(values));
        self
    }

    /// Gives a constant its value.
    pub fn constant(mut self, number: u32, value: u32) -> Job<'a> {
        self.constants.push((number, value));
        self
    }

    pub fn flags(mut self, flags: vk::PipelineCreateFlags) -> Job<'a> {
        self.flags = flags;
        self
    }

    /// Descriptors are pushed, not allocated.
    pub fn pushed(mut self) -> Job<'a> {
        self.layout = vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR;
        self
    }
}

/// A job whose pipeline is made.
pub(crate) struct Ready {
    pub pipeline: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    /// No set, if descriptors are pushed.
    pub set: Option<vk::DescriptorSet>,
    pub push: Vec<u8>,
    bound: Vec<Bound>,
}

/// Descriptors as Vulkan writes them.
struct Writes {
    buffers: Vec<Vec<vk::DescriptorBufferInfo>>,
    images: Vec<[vk::DescriptorImageInfo; 1]>,
    texels: Vec<[vk::BufferView; 1]>,
}

impl Writes {
    fn new(bound: &[Bound]) -> Writes {
        let part = |buffer: &Buffer, range| vk::DescriptorBufferInfo::default().buffer(buffer.handle).range(range);
        let whole = |buffer: &Buffer| part(buffer, vk::WHOLE_SIZE);
        let image = |view, sampler, layout| {
            [vk::DescriptorImageInfo::default().image_view(view).sampler(sampler).image_layout(layout)]
        };
        let mut writes = Writes { buffers: Vec::new(), images: Vec::new(), texels: Vec::new() };
        for bound in bound {
            writes.buffers.push(match bound {
                Bound::Storage(buffer) | Bound::Uniform(buffer) => vec![whole(buffer)],
                Bound::Dynamic(buffer, bytes) => vec![part(buffer, *bytes)],
                Bound::Many(list) => list.iter().map(whole).collect(),
                _ => Vec::new(),
            });
            writes.images.push(match bound {
                Bound::Image(view) => image(*view, vk::Sampler::null(), vk::ImageLayout::GENERAL),
                Bound::Sampled(view, sampler) => image(*view, *sampler, vk::ImageLayout::GENERAL),
                _ => Default::default(),
            });
            writes.texels.push(match bound {
                Bound::UniformTexels(view) | Bound::StorageTexels(view) => [*view],
                _ => Default::default(),
            });
        }
        writes
    }

    fn list(&self, bound: &[Bound], set: vk::DescriptorSet) -> Vec<vk::WriteDescriptorSet<'_>> {
        let one = |(number, bound): (usize, &Bound)| {
            let write = vk::WriteDescriptorSet::default().dst_set(set).dst_binding(number as u32);
            let write = write.descriptor_type(bound.kind());
            match bound {
                Bound::UniformTexels(_) | Bound::StorageTexels(_) => write.texel_buffer_view(&self.texels[number]),
                Bound::Image(_) | Bound::Sampled(..) => write.image_info(&self.images[number]),
                _ => write.buffer_info(&self.buffers[number]),
            }
        };
        bound.iter().enumerate().map(one).collect()
    }
}

impl Gpu {
    /// Makes the pipeline and the descriptors of a job.
    pub(crate) fn ready(&self, job: &Job<'_>) -> Result<Ready, Stop> {
        let device = &self.device;
        let stage = vk::ShaderStageFlags::COMPUTE;
        let bindings = (0..).zip(&job.bound).map(|(number, bound)| {
            let binding = vk::DescriptorSetLayoutBinding::default().binding(number).descriptor_type(bound.kind());
            binding.descriptor_count(bound.count()).stage_flags(stage)
        });
        let bindings: Vec<_> = bindings.collect();
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings).flags(job.layout);
        let layouts = [unsafe { device.create_descriptor_set_layout(&info, None)? }];
        self.later(move |device| unsafe { device.destroy_descriptor_set_layout(layouts[0], None) });
        let range = [vk::PushConstantRange { stage_flags: stage, offset: 0, size: job.push.len() as u32 }];
        let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        let info = if job.push.is_empty() { info } else { info.push_constant_ranges(&range) };
        let layout = unsafe { device.create_pipeline_layout(&info, None)? };
        self.later(move |device| unsafe { device.destroy_pipeline_layout(layout, None) });

        let code = ash::util::read_spv(&mut Cursor::new(job.shader)).map_err(|error| Stop::Wrong(error.to_string()))?;
        let module = unsafe { device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&code), None)? };
        self.later(move |device| unsafe { device.destroy_shader_module(module, None) });
        let entries = (0..)
            .zip(&job.constants)
            .map(|(at, (number, _))| vk::SpecializationMapEntry::default().constant_id(*number).offset(4 * at).size(4));
        let entries: Vec<_> = entries.collect();
        let values: Vec<u32> = job.constants.iter().map(|(_, value)| *value).collect();
        let constants = vk::SpecializationInfo::default().map_entries(&entries).data(bytes_of(&values));
        let shader = vk::PipelineShaderStageCreateInfo::default().stage(stage).module(module).name(c"main");
        let shader = shader.specialization_info(&constants);
        let info = vk::ComputePipelineCreateInfo::default().stage(shader).layout(layout).flags(job.flags);
        let made = unsafe { device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        let pipeline = made.map_err(|(_, error)| error)?[0];
        self.later(move |device| unsafe { device.destroy_pipeline(pipeline, None) });

        let bound = job.bound.clone();
        let ready = Ready { pipeline, layout, set: None, push: job.push.clone(), bound };
        if job.bound.is_empty() || !job.layout.is_empty() {
            return Ok(ready);
        }
        let sizes = job
            .bound
            .iter()
            .map(|bound| vk::DescriptorPoolSize::default().ty(bound.kind()).descriptor_count(bound.count()));
        let sizes: Vec<_> = sizes.collect();
        let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
        let pool = unsafe { device.create_descriptor_pool(&info, None)? };
        self.later(move |device| unsafe { device.destroy_descriptor_pool(pool, None) });
        let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
        let set = unsafe { device.allocate_descriptor_sets(&info)? }[0];
        unsafe { device.update_descriptor_sets(&Writes::new(&job.bound).list(&job.bound, set), &[]) };
        Ok(Ready { set: Some(set), ..ready })
    }

    /// Begins a command buffer.
    pub(crate) fn begin(&self) -> Result<vk::CommandBuffer, Stop> {
        let info = vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
        let commands = unsafe { self.device.allocate_command_buffers(&info)? }[0];
        let pool = self.pool;
        self.later(move |device| unsafe { device.free_command_buffers(pool, &[commands]) });
        let how = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
        unsafe { self.device.begin_command_buffer(commands, &how)? };
        Ok(commands)
    }

    /// Adds a job's pipeline, descriptors and push constants to a command buffer. `places` are those of dynamic
    /// buffers.
    pub(crate) fn bind(&self, commands: vk::CommandBuffer, ready: &Ready, places: &[u32]) {
        let (device, compute) = (&self.device, vk::PipelineBindPoint::COMPUTE);
        unsafe {
            device.cmd_bind_pipeline(commands, compute, ready.pipeline);
            match ready.set {
                Some(set) => device.cmd_bind_descriptor_sets(commands, compute, ready.layout, 0, &[set], places),
                None if ready.bound.is_empty() => {}
                None => {
                    let writes = Writes::new(&ready.bound);
                    let list = writes.list(&ready.bound, vk::DescriptorSet::null());
                    let push = ash::khr::push_descriptor::Device::new(&self.instance, device);
                    push.cmd_push_descriptor_set(commands, compute, ready.layout, 0, &list);
                }
            }
            if !ready.push.is_empty() {
                device.cmd_push_constants(commands, ready.layout, vk::ShaderStageFlags::COMPUTE, 0, &ready.push);
            }
        }
    }

    /// Adds a dispatch of a job.
    pub(crate) fn dispatch(&self, commands: vk::CommandBuffer, ready: &Ready, [x, y, z]: [u32; 3]) {
        self.bind(commands, ready, &[]);
        unsafe { self.device.cmd_dispatch(commands, x, y, z) }
    }

    /// Adds a barrier for all that came before.
    pub(crate) fn barrier(&self, commands: vk::CommandBuffer) {
        let all = vk::PipelineStageFlags::ALL_COMMANDS | vk::PipelineStageFlags::HOST;
        let barrier = vk::MemoryBarrier::default().src_access_mask(vk::AccessFlags::MEMORY_WRITE);
        let barrier = barrier.dst_access_mask(vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE);
        let none = vk::DependencyFlags::empty();
        unsafe { self.device.cmd_pipeline_barrier(commands, all, all, none, &[barrier], &[], &[]) }
    }

    /// Ends a command buffer, and runs it.
    pub(crate) fn finish(&self, commands: vk::CommandBuffer) -> Result<(), Stop> {
        self.barrier(commands);
        unsafe { self.device.end_command_buffer(commands)? };
        self.submit(commands)
    }

    /// Runs a command buffer that has ended.
    pub(crate) fn submit(&self, commands: vk::CommandBuffer) -> Result<(), Stop> {
        let fence = self.fence()?;
        let list = [commands];
        let info = vk::SubmitInfo::default().command_buffers(&list);
        unsafe {
            self.device.queue_submit(self.queue, &[info], fence)?;
            self.device.wait_for_fences(&[fence], true, MOST_WAIT)?;
        }
        Ok(())
    }

    /// Makes a fence.
    pub(crate) fn fence(&self) -> Result<vk::Fence, Stop> {
        let fence = unsafe { self.device.create_fence(&vk::FenceCreateInfo::default(), None)? };
        self.later(move |device| unsafe { device.destroy_fence(fence, None) });
        Ok(fence)
    }

    /// Runs a job once.
    pub(crate) fn run(&self, job: &Job<'_>, groups: [u32; 3]) -> Result<(), Stop> {
        let ready = self.ready(job)?;
        let commands = self.begin()?;
        self.dispatch(commands, &ready, groups);
        self.finish(commands)
    }
}
