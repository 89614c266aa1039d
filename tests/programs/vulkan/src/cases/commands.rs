//! Command buffers, queries, events, semaphores and queues.

use ash::vk;

use super::Case;
use super::memory::dwords;
use crate::buffer::Buffer;
use crate::gpu::{Gpu, MOST_WAIT};
use crate::job::{Job, Ready, shader};
use crate::outcome::{Done, Stop, need, same_here, wrong};

pub(super) const CASES: &[Case] = &[
    ("dispatch_indirect", dispatch_indirect),
    ("dispatch_base", dispatch_base),
    ("chain", chain),
    ("fills_and_copies", fills_and_copies),
    ("updates", updates),
    ("staging", staging),
    ("events", events),
    ("timestamps", timestamps),
    ("statistics", statistics),
    ("conditions", conditions),
    ("secondary", secondary),
    ("pushed_descriptors", pushed_descriptors),
    ("submissions", submissions),
    ("timeline", timeline),
    ("two_queues", two_queues),
];

/// The shader `bump` on a buffer: `data[i] = data[i] * factor + term`.
fn bump<'a>(data: &Buffer, factor: u32, term: u32) -> Job<'a> {
    Job::new(shader!("bump")).storage(data).push(&[factor, term])
}

/// The shader `count` on a new buffer.
fn counter(gpu: &Gpu) -> Result<(Buffer, Ready), Stop> {
    let out = gpu.buffer(32)?;
    Ok((out, gpu.ready(&Job::new(shader!("count")).storage(&out))?))
}

/// What `count` gives for a grid of groups that begins at `base`.
fn counted(base: [u32; 3], groups: [u32; 3]) -> [u32; 8] {
    let count = groups.iter().product::<u32>();
    let sum = |k: usize| (base[k]..base[k] + groups[k]).sum::<u32>() * count / groups[k].max(1);
    let [w, h, d] = if count == 0 { [0; 3] } else { groups };
    let numbers = if count == 0 { 0 } else { sum(0) + 100 * sum(1) + 10000 * sum(2) };
    [count * 64, count, numbers, 0, w, h, d, 0]
}

fn dispatch_indirect(gpu: &Gpu) -> Done {
    const GRIDS: [[u32; 3]; 4] = [[3, 2, 1], [1, 1, 1], [0, 5, 5], [2, 3, 4]];
    let places = [0u64, 64, 100, 128];
    // Arguments of the host.
    let arguments = gpu.buffer(256)?;
    places.iter().zip(GRIDS).for_each(|(&at, grid)| arguments.write(at, &grid));
    for (at, grid) in places.into_iter().zip(GRIDS) {
        let (out, ready) = counter(gpu)?;
        let commands = gpu.begin()?;
        gpu.bind(commands, &ready, &[]);
        unsafe { gpu.device.cmd_dispatch_indirect(commands, arguments.handle, at) };
        gpu.finish(commands)?;
        gpu.same("counts", &out.read(), &counted([0; 3], grid))?;
    }
    // Arguments of a shader before.
    let made = gpu.buffer(256)?;
    let (out, ready) = counter(gpu)?;
    let writer = gpu.ready(&Job::new(shader!("arguments")).storage(&made).push(&[4u32, 2, 3, 7]))?;
    let commands = gpu.begin()?;
    gpu.dispatch(commands, &writer, [1, 1, 1]);
    gpu.barrier(commands);
    gpu.bind(commands, &ready, &[]);
    unsafe { gpu.device.cmd_dispatch_indirect(commands, made.handle, 28) };
    gpu.finish(commands)?;
    gpu.same("counts by a shader", &out.read(), &counted([0; 3], [4, 2, 3]))
}

fn dispatch_base(gpu: &Gpu) -> Done {
    let out = gpu.buffer(32)?;
    let flags = vk::PipelineCreateFlags::DISPATCH_BASE;
    let ready = gpu.ready(&Job::new(shader!("count")).storage(&out).flags(flags))?;
    let commands = gpu.begin()?;
    gpu.bind(commands, &ready, &[]);
    unsafe { gpu.device.cmd_dispatch_base(commands, 2, 1, 3, 4, 3, 2) };
    gpu.finish(commands)?;
    gpu.same("counts", &out.read(), &counted([2, 1, 3], [4, 3, 2]))
}

fn chain(gpu: &Gpu) -> Done {
    let given = dwords(71, 1000);
    let data = gpu.buffer_of(&given)?;
    let ready = gpu.ready(&bump(&data, 0, 0))?;
    let commands = gpu.begin()?;
    for k in 0..100u32 {
        let constants = [k * 2 + 1, k].map(u32::to_le_bytes).concat();
        gpu.bind(commands, &ready, &[]);
        let stage = vk::ShaderStageFlags::COMPUTE;
        unsafe {
            gpu.device.cmd_push_constants(commands, ready.layout, stage, 0, &constants);
            gpu.device.cmd_dispatch(commands, 16, 1, 1);
        }
        gpu.barrier(commands);
    }
    gpu.finish(commands)?;
    let all = |value: &u32| (0..100u32).fold(*value, |value, k| value.wrapping_mul(k * 2 + 1).wrapping_add(k));
    gpu.same("words", &data.read(), &given.iter().map(all).collect::<Vec<u32>>())
}

fn fills_and_copies(gpu: &Gpu) -> Done {
    const BYTES: usize = 100_000;
    let given: Vec<u8> = dwords(72, BYTES / 4).into_iter().flat_map(u32::to_le_bytes).collect();
    let (from, to) = (gpu.buffer_of(&given)?, gpu.buffer_of(&given[..BYTES / 2].repeat(2))?);
    let mut want = given[..BYTES / 2].repeat(2);
    let commands = gpu.begin()?;
    for (at, len, value) in [(16, 16, 0x0102_0304u32), (4096, 8192, 0xdead_beef), (50_000, 4, 7), (60_000, 40_000, 9)] {
        unsafe { gpu.device.cmd_fill_buffer(commands, to.handle, at as u64, len as u64, value) };
        want[at..at + len].copy_from_slice(&value.to_le_bytes().repeat(len / 4));
    }
    gpu.barrier(commands);
    // Small ones, large ones, and such that begin and end anywhere.
    for (source, target, len) in
        [(0, 64, 4), (3, 201, 5), (1001, 1003, 3001), (20_000, 20_480, 20_000), (70_001, 90_003, 9_997)]
    {
        let region = vk::BufferCopy { src_offset: source as u64, dst_offset: target as u64, size: len as u64 };
        unsafe { gpu.device.cmd_copy_buffer(commands, from.handle, to.handle, &[region]) };
        want[target..target + len].copy_from_slice(&given[source..source + len]);
        gpu.barrier(commands);
    }
    gpu.finish(commands)?;
    gpu.same("bytes", &to.read(), &want)
}

fn updates(gpu: &Gpu) -> Done {
    let words = dwords(73, 16384);
    let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let data = gpu.buffer(70_000)?;
    let mut want = vec![0u8; 70_000];
    let commands = gpu.begin()?;
    for (at, len) in [(0, 65_536), (66_000, 4), (68_000, 1000), (69_100, 900)] {
        unsafe { gpu.device.cmd_update_buffer(commands, data.handle, at as u64, &bytes[..len]) };
        want[at..at + len].copy_from_slice(&bytes[..len]);
        gpu.barrier(commands);
    }
    gpu.finish(commands)?;
    gpu.same("bytes", &data.read(), &want)
}

fn staging(gpu: &Gpu) -> Done {
    let given = dwords(74, 5000);
    let (up, down, local) = (gpu.buffer_of(&given)?, gpu.buffer(20_000)?, gpu.local_buffer(20_000)?);
    let ready = gpu.ready(&bump(&local, 3, 11))?;
    let commands = gpu.begin()?;
    let region = [vk::BufferCopy { src_offset: 0, dst_offset: 0, size: 20_000 }];
    unsafe { gpu.device.cmd_copy_buffer(commands, up.handle, local.handle, &region) };
    gpu.barrier(commands);
    gpu.dispatch(commands, &ready, [79, 1, 1]);
    gpu.barrier(commands);
    unsafe { gpu.device.cmd_copy_buffer(commands, local.handle, down.handle, &region) };
    gpu.finish(commands)?;
    let want: Vec<u32> = given.iter().map(|value| value.wrapping_mul(3).wrapping_add(11)).collect();
    gpu.same("words", &down.read(), &want)
}

fn events(gpu: &Gpu) -> Done {
    let device = &gpu.device;
    let event = || -> Result<vk::Event, Stop> {
        let event = unsafe { device.create_event(&vk::EventCreateInfo::default(), None)? };
        gpu.later(move |device| unsafe { device.destroy_event(event, None) });
        Ok(event)
    };
    let (by_device, by_host) = (event()?, event()?);
    let data = gpu.buffer_of(&[5u32])?;
    let (first, second) = (gpu.ready(&bump(&data, 2, 1))?, gpu.ready(&bump(&data, 10, 3))?);
    unsafe { device.set_event(by_host)? };
    let commands = gpu.begin()?;
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    let access = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
    let barrier = [vk::MemoryBarrier::default().src_access_mask(access).dst_access_mask(access)];
    gpu.dispatch(commands, &first, [1, 1, 1]);
    unsafe {
        device.cmd_set_event(commands, by_device, vk::PipelineStageFlags::COMPUTE_SHADER);
        let stages = all | vk::PipelineStageFlags::HOST;
        device.cmd_wait_events(commands, &[by_device, by_host], stages, all, &barrier, &[], &[]);
    }
    gpu.dispatch(commands, &second, [1, 1, 1]);
    unsafe { device.cmd_reset_event(commands, by_host, all) };
    gpu.finish(commands)?;
    gpu.same("data", &data.read(), &[(5 * 2 + 1) * 10 + 3u32])?;
    match unsafe { (device.get_event_status(by_device)?, device.get_event_status(by_host)?) } {
        (true, false) => Ok(()),
        states => wrong(format!("the events are {states:?}")),
    }
}

fn query_pool(gpu: &Gpu, kind: vk::QueryType, count: u32) -> Result<vk::QueryPool, Stop> {
    let info = vk::QueryPoolCreateInfo::default().query_type(kind).query_count(count);
    let info = info.pipeline_statistics(match kind {
        vk::QueryType::PIPELINE_STATISTICS => vk::QueryPipelineStatisticFlags::COMPUTE_SHADER_INVOCATIONS,
        _ => vk::QueryPipelineStatisticFlags::empty(),
    });
    let pool = unsafe { gpu.device.create_query_pool(&info, None)? };
    gpu.later(move |device| unsafe { device.destroy_query_pool(pool, None) });
    Ok(pool)
}

fn timestamps(gpu: &Gpu) -> Done {
    need(gpu.families[gpu.family as usize].timestamp_valid_bits == 64, "timestamps")?;
    let (device, pool) = (&gpu.device, query_pool(gpu, vk::QueryType::TIMESTAMP, 4)?);
    let (data, copied) = (gpu.buffer(65536)?, gpu.buffer(64)?);
    let ready = gpu.ready(&bump(&data, 3, 1))?;
    let commands = gpu.begin()?;
    unsafe {
        device.cmd_reset_query_pool(commands, pool, 0, 4);
        device.cmd_write_timestamp(commands, vk::PipelineStageFlags::TOP_OF_PIPE, pool, 0);
        gpu.dispatch(commands, &ready, [256, 1, 1]);
        gpu.barrier(commands);
        device.cmd_write_timestamp(commands, vk::PipelineStageFlags::COMPUTE_SHADER, pool, 1);
        device.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, pool, 2);
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WITH_AVAILABILITY;
        gpu.barrier(commands);
        // All of them have been written: RADV 22.3 says of a whole wave that it is there, if one query is.
        device.cmd_copy_query_pool_results(commands, pool, 0, 3, copied.handle, 0, 16, flags);
    }
    gpu.finish(commands)?;
    let mut times = [0u64; 3];
    let wait = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
    unsafe { device.get_query_pool_results(pool, 0, &mut times, wait)? };
    let copied: Vec<u64> = copied.read();
    let want = [times[0], 1, times[1], 1, times[2], 1];
    same_here("copied times", &copied[..6], &want)?;
    let mut missing = [0u64; 1];
    let not_ready = unsafe { device.get_query_pool_results(pool, 3, &mut missing, vk::QueryResultFlags::TYPE_64) };
    if not_ready != Err(vk::Result::NOT_READY) {
        return wrong(format!("a query that was not written is {not_ready:?}"));
    }
    if times[0] > 0 && times[0] < times[1] && times[1] <= times[2] {
        Ok(())
    } else {
        wrong(format!("times are {times:?}"))
    }
}

fn statistics(gpu: &Gpu) -> Done {
    need(gpu.features.core.pipeline_statistics_query != 0, "pipelineStatisticsQuery")?;
    let (device, pool) = (&gpu.device, query_pool(gpu, vk::QueryType::PIPELINE_STATISTICS, 2)?);
    let (out, ready) = counter(gpu)?;
    let copied = gpu.buffer(16)?;
    let commands = gpu.begin()?;
    unsafe {
        device.cmd_reset_query_pool(commands, pool, 0, 2);
        gpu.dispatch(commands, &ready, [9, 1, 1]);
        device.cmd_begin_query(commands, pool, 0, vk::QueryControlFlags::empty());
        gpu.dispatch(commands, &ready, [3, 5, 1]);
        gpu.dispatch(commands, &ready, [1, 1, 2]);
        device.cmd_end_query(commands, pool, 0);
        device.cmd_begin_query(commands, pool, 1, vk::QueryControlFlags::empty());
        device.cmd_end_query(commands, pool, 1);
        gpu.barrier(commands);
        let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
        device.cmd_copy_query_pool_results(commands, pool, 0, 2, copied.handle, 0, 8, flags);
    }
    gpu.finish(commands)?;
    let mut results = [0u64; 2];
    let flags = vk::QueryResultFlags::TYPE_64 | vk::QueryResultFlags::WAIT;
    unsafe { device.get_query_pool_results(pool, 0, &mut results, flags)? };
    gpu.same("groups", &out.read()[1..2], &[9 + 15 + 2u32])?;
    same_here("invocations", &results, &[17 * 64, 0])?;
    same_here("copied", &copied.read(), &results)
}

fn conditions(gpu: &Gpu) -> Done {
    need(gpu.features.conditional.conditional_rendering != 0, "VK_EXT_conditional_rendering")?;
    let functions = ash::ext::conditional_rendering::Device::new(&gpu.instance, &gpu.device);
    let inverted = vk::ConditionalRenderingFlagsEXT::INVERTED;
    let values = [0u32, 1, 0x8000_0000, 0, 0, 5];
    let predicates = gpu.buffer_of(&values)?;
    let arguments = gpu.buffer_of(&[2u32, 1, 1])?;
    let data = gpu.buffer_of(&[1u32])?;
    let (out, count) = counter(gpu)?;
    let commands = gpu.begin()?;
    let (mut want, mut groups) = (1u32, 0);
    let mut step = 1;
    for (at, value) in values.into_iter().enumerate() {
        for flags in [vk::ConditionalRenderingFlagsEXT::empty(), inverted] {
            let ready = gpu.ready(&bump(&data, 3, step))?;
            let begin = vk::ConditionalRenderingBeginInfoEXT::default().buffer(predicates.handle);
            let begin = begin.offset(4 * at as u64).flags(flags);
            unsafe { (functions.fp().cmd_begin_conditional_rendering_ext)(commands, &begin) };
            gpu.dispatch(commands, &ready, [1, 1, 1]);
            gpu.bind(commands, &count, &[]);
            unsafe { gpu.device.cmd_dispatch_indirect(commands, arguments.handle, 0) };
            unsafe { (functions.fp().cmd_end_conditional_rendering_ext)(commands) };
            gpu.barrier(commands);
            if (value != 0) != (flags == inverted) {
                want = want.wrapping_mul(3).wrapping_add(step);
                groups += 2;
            }
            step += 1;
        }
    }
    // Nothing is left of the last condition.
    gpu.dispatch(commands, &count, [1, 1, 1]);
    gpu.finish(commands)?;
    gpu.same("data", &data.read(), &[want])?;
    gpu.same("groups", &out.read()[1..2], &[groups + 1u32])
}

fn secondary(gpu: &Gpu) -> Done {
    let given = dwords(75, 256);
    let data = gpu.buffer_of(&given)?;
    let ready = gpu.ready(&bump(&data, 5, 2))?;
    let device = &gpu.device;
    let info = vk::CommandBufferAllocateInfo::default().command_pool(gpu.pool).command_buffer_count(1);
    let part = unsafe { device.allocate_command_buffers(&info.level(vk::CommandBufferLevel::SECONDARY))? }[0];
    let pool = gpu.pool;
    gpu.later(move |device| unsafe { device.free_command_buffers(pool, &[part]) });
    let inherited = vk::CommandBufferInheritanceInfo::default();
    let how = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::SIMULTANEOUS_USE);
    unsafe { device.begin_command_buffer(part, &how.inheritance_info(&inherited))? };
    gpu.dispatch(part, &ready, [4, 1, 1]);
    gpu.barrier(part);
    unsafe { device.end_command_buffer(part)? };
    let commands = gpu.begin()?;
    unsafe { device.cmd_execute_commands(commands, &[part, part]) };
    gpu.finish(commands)?;
    // And the whole once more.
    gpu.submit(commands)?;
    let four = |value: &u32| (0..4).fold(*value, |value, _| value.wrapping_mul(5).wrapping_add(2));
    gpu.same("words", &data.read(), &given.iter().map(four).collect::<Vec<u32>>())
}

fn pushed_descriptors(gpu: &Gpu) -> Done {
    gpu.need_extension(ash::khr::push_descriptor::NAME)?;
    let given = dwords(76, 128);
    let buffers = [gpu.buffer_of(&given)?, gpu.buffer_of(&given)?];
    let commands = gpu.begin()?;
    for (buffer, factor) in buffers.iter().zip([3, 7]) {
        let ready = gpu.ready(&bump(buffer, factor, 1).pushed())?;
        gpu.dispatch(commands, &ready, [2, 1, 1]);
    }
    gpu.finish(commands)?;
    for (buffer, factor) in buffers.iter().zip([3, 7]) {
        let want: Vec<u32> = given.iter().map(|value| value.wrapping_mul(factor).wrapping_add(1)).collect();
        gpu.same("words", &buffer.read(), &want)?;
    }
    Ok(())
}

fn submissions(gpu: &Gpu) -> Done {
    let data = gpu.buffer_of(&[1u32])?;
    let ready = gpu.ready(&bump(&data, 3, 1))?;
    let commands = gpu.begin()?;
    gpu.dispatch(commands, &ready, [1, 1, 1]);
    gpu.barrier(commands);
    unsafe { gpu.device.end_command_buffer(commands)? };
    // The same buffer many times in one call, and in many calls.
    let list = [commands; 20];
    let infos =
        [vk::SubmitInfo::default().command_buffers(&list), vk::SubmitInfo::default().command_buffers(&list[..5])];
    unsafe { gpu.device.queue_submit(gpu.queue, &infos, vk::Fence::null())? };
    for _ in 0..75 {
        gpu.submit(commands)?;
    }
    unsafe { gpu.device.queue_wait_idle(gpu.queue)? };
    let want = (0..100).fold(1u32, |value, _| value.wrapping_mul(3).wrapping_add(1));
    gpu.same("data", &data.read(), &[want])
}

fn semaphore(gpu: &Gpu, kind: vk::SemaphoreType) -> Result<vk::Semaphore, Stop> {
    let mut kind = vk::SemaphoreTypeCreateInfo::default().semaphore_type(kind);
    let info = vk::SemaphoreCreateInfo::default().push_next(&mut kind);
    let semaphore = unsafe { gpu.device.create_semaphore(&info, None)? };
    gpu.later(move |device| unsafe { device.destroy_semaphore(semaphore, None) });
    Ok(semaphore)
}

fn timeline(gpu: &Gpu) -> Done {
    need(gpu.features.v12.timeline_semaphore != 0, "timelineSemaphore")?;
    let device = &gpu.device;
    let line = semaphore(gpu, vk::SemaphoreType::TIMELINE)?;
    let data = gpu.buffer_of(&[1u32])?;
    let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
    let lines = [line];
    // Work that waits for the host, and signals; in between, the host waits for it.
    for (k, (waits, signals)) in [(1u64, 2u64), (5, 9), (10, 11)].into_iter().enumerate() {
        let ready = gpu.ready(&bump(&data, 10, k as u32 + 1))?;
        let commands = gpu.begin()?;
        gpu.dispatch(commands, &ready, [1, 1, 1]);
        gpu.barrier(commands);
        unsafe { device.end_command_buffer(commands)? };
        let (waits, signals, list) = ([waits], [signals], [commands]);
        let mut values = vk::TimelineSemaphoreSubmitInfo::default();
        values = values.wait_semaphore_values(&waits).signal_semaphore_values(&signals);
        let info = vk::SubmitInfo::default().command_buffers(&list).wait_semaphores(&lines).signal_semaphores(&lines);
        let info = info.wait_dst_stage_mask(&stages).push_next(&mut values);
        unsafe { device.queue_submit(gpu.queue, &[info], vk::Fence::null())? };
    }
    for (k, (waits, signals)) in [(1u64, 2u64), (5, 9), (10, 11)].into_iter().enumerate() {
        let before: Vec<u32> = data.read();
        let early = (0..k as u32).fold(1u32, |value, k| value * 10 + k + 1);
        same_here("before the signal", &before, &[early])?;
        let info = vk::SemaphoreSignalInfo::default().semaphore(line).value(waits);
        unsafe { device.signal_semaphore(&info)? };
        let values = [signals];
        let info = vk::SemaphoreWaitInfo::default().semaphores(&lines).values(&values);
        unsafe { device.wait_semaphores(&info, MOST_WAIT)? };
        same_here("the line", &[unsafe { device.get_semaphore_counter_value(line)? }], &[signals])?;
    }
    gpu.same("data", &data.read(), &[1123u32])
}

fn two_queues(gpu: &Gpu) -> Done {
    let is_other = |(number, family): &(u32, &vk::QueueFamilyProperties)| {
        *number != gpu.family && family.queue_flags.contains(vk::QueueFlags::COMPUTE)
    };
    let other = (0..).zip(&gpu.families).find(is_other);
    let Some((other, _)) = other else { return need(false, "other family of queues") };
    let device = &gpu.device;
    let queue = unsafe { device.get_device_queue(other, 0) };
    let info = vk::CommandPoolCreateInfo::default().queue_family_index(other);
    let pool = unsafe { device.create_command_pool(&info, None)? };
    gpu.later(move |device| unsafe { device.destroy_command_pool(pool, None) });
    let data = gpu.buffer_of(&dwords(77, 64))?;
    let given: Vec<u32> = data.read();
    let (there, back) = (semaphore(gpu, vk::SemaphoreType::BINARY)?, semaphore(gpu, vk::SemaphoreType::BINARY)?);
    let stages = [vk::PipelineStageFlags::ALL_COMMANDS];
    let fence = gpu.fence()?;
    let steps = [
        (gpu.queue, gpu.pool, vec![], vec![there], vk::Fence::null()),
        (queue, pool, vec![there], vec![back], vk::Fence::null()),
        (gpu.queue, gpu.pool, vec![back], vec![], fence),
    ];
    for (k, (queue, pool, waits, signals, fence)) in steps.into_iter().enumerate() {
        let ready = gpu.ready(&bump(&data, 3, k as u32))?;
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let commands = unsafe { device.allocate_command_buffers(&info)? }[0];
        gpu.later(move |device| unsafe { device.free_command_buffers(pool, &[commands]) });
        unsafe { device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default())? };
        gpu.dispatch(commands, &ready, [1, 1, 1]);
        gpu.barrier(commands);
        unsafe { device.end_command_buffer(commands)? };
        let list = [commands];
        let info = vk::SubmitInfo::default().command_buffers(&list).signal_semaphores(&signals);
        let info = info.wait_semaphores(&waits).wait_dst_stage_mask(&stages[..waits.len()]);
        unsafe { device.queue_submit(queue, &[info], fence)? };
    }
    unsafe { device.wait_for_fences(&[fence], true, MOST_WAIT)? };
    let all = |value: &u32| (0..3u32).fold(*value, |value, k| value.wrapping_mul(3).wrapping_add(k));
    gpu.same("words", &data.read(), &given.iter().map(all).collect::<Vec<u32>>())
}
