// Compiles pipelines with the Vulkan driver that VK_ICD_FILENAMES names, and writes what its pipeline cache holds.
// Jobs come on stdin as lines (`job` in gcnradv/pipelines.py writes them):
//   pipeline NAME OPTIMISE TOPOLOGY PATCH_POINTS DEPTH SAMPLES
//   stage BIT SPIRV_FILE    binding SET BINDING TYPE COUNT    push BYTES
//   attr LOCATION FORMAT STRIDE RATE    color FORMAT
//   end
// For each pipeline stdout gets NAME, newline, VkResult and size, newline, the bytes of the cache.
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <vulkan/vulkan.h>

static VkDevice dev;
static VkPhysicalDevice phys;
static void die(const char *what, int r) {
    fprintf(stderr, "%s: %d\n", what, r);
    exit(9);
}
static void *slurp(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f)
        die(path, 0);
    fseek(f, 0, SEEK_END);
    *size = ftell(f);
    rewind(f);
    void *p = malloc(*size + 4);
    if (fread(p, 1, *size, f) != *size)
        die("read", 0);
    fclose(f);
    return p;
}
static int has(VkExtensionProperties *e, uint32_t n, const char *name) {
    for (uint32_t i = 0; i < n; i++)
        if (!strcmp(e[i].extensionName, name))
            return 1;
    return 0;
}
static void open_device(void) {
    VkApplicationInfo app = {VK_STRUCTURE_TYPE_APPLICATION_INFO, .apiVersion = VK_API_VERSION_1_3};
    VkInstanceCreateInfo ii = {VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO, .pApplicationInfo = &app};
    VkInstance inst;
    int r;
    if ((r = vkCreateInstance(&ii, 0, &inst)))
        die("instance", r);
    uint32_t n = 1;
    vkEnumeratePhysicalDevices(inst, &n, &phys);
    if (n < 1)
        die("no device", 0);
    VkPhysicalDeviceProperties pr;
    vkGetPhysicalDeviceProperties(phys, &pr);
    int v13 = pr.apiVersion >= VK_API_VERSION_1_3;
    fprintf(stderr, "%s %u\n", pr.deviceName, VK_VERSION_MINOR(pr.apiVersion));
    static VkExtensionProperties ext[400];
    uint32_t ne = 400;
    vkEnumerateDeviceExtensionProperties(phys, 0, &ne, ext);
    const char *want[] = {"VK_KHR_dynamic_rendering",
                          "VK_EXT_transform_feedback",
                          "VK_KHR_shader_clock",
                          "VK_AMD_shader_ballot",
                          "VK_EXT_shader_stencil_export",
                          "VK_AMD_gcn_shader",
                          "VK_AMD_shader_explicit_vertex_parameter",
                          "VK_EXT_shader_atomic_float",
                          "VK_EXT_shader_demote_to_helper_invocation",
                          "VK_AMD_texture_gather_bias_lod",
                          "VK_AMD_shader_fragment_mask",
                          "VK_AMD_shader_trinary_minmax",
                          "VK_AMD_gpu_shader_half_float",
                          "VK_AMD_gpu_shader_int16",
                          "VK_KHR_16bit_storage",
                          "VK_KHR_8bit_storage",
                          "VK_KHR_shader_float16_int8",
                          "VK_KHR_shader_draw_parameters",
                          "VK_EXT_shader_viewport_index_layer",
                          "VK_KHR_multiview",
                          "VK_EXT_post_depth_coverage",
                          "VK_KHR_shader_subgroup_extended_types"};
    const char *use[40];
    uint32_t nu = 0;
    for (unsigned i = 0; i < sizeof want / sizeof *want; i++)
        if (has(ext, ne, want[i]))
            use[nu++] = want[i];
    VkPhysicalDeviceTransformFeedbackFeaturesEXT tf = {
        VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_TRANSFORM_FEEDBACK_FEATURES_EXT};
    VkPhysicalDeviceShaderClockFeaturesKHR clk = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_SHADER_CLOCK_FEATURES_KHR, &tf};
    VkPhysicalDeviceVulkan13Features f13 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_3_FEATURES, &clk};
    VkPhysicalDeviceDynamicRenderingFeatures dyn = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &clk};
    VkPhysicalDeviceVulkan12Features f12 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                                            v13 ? (void *)&f13 : (void *)&dyn};
    VkPhysicalDeviceVulkan11Features f11 = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_VULKAN_1_1_FEATURES, &f12};
    VkPhysicalDeviceFeatures2 f = {VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_FEATURES_2, &f11};
    vkGetPhysicalDeviceFeatures2(phys, &f);
    f.features.robustBufferAccess = getenv("ROBUST") != NULL;
    float one = 1;
    VkDeviceQueueCreateInfo q = {VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO, .queueCount = 1, .pQueuePriorities = &one};
    VkDeviceCreateInfo di = {VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
                             &f,
                             .queueCreateInfoCount = 1,
                             .pQueueCreateInfos = &q,
                             .enabledExtensionCount = nu,
                             .ppEnabledExtensionNames = use};
    if ((r = vkCreateDevice(phys, &di, 0, &dev)))
        die("device", r);
}

// What the lines of a job say.
struct job {
    char name[1024];
    VkPipelineShaderStageCreateInfo stages[6];
    uint32_t stage_count, set_count, push, attribute_count, colour_count;
    VkDescriptorSetLayoutBinding bindings[32][64];
    uint32_t binding_count[32];
    VkVertexInputAttributeDescription attributes[32];
    VkVertexInputBindingDescription buffers[32];
    VkFormat colours[8];
    uint32_t optimise, topology, patch, depth, samples;
};

static void add_stage(struct job *job, unsigned bit, const char *path) {
    size_t size;
    void *code = slurp(path, &size);
    VkShaderModuleCreateInfo info = {VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO, .codeSize = size, .pCode = code};
    VkShaderModule module;
    vkCreateShaderModule(dev, &info, 0, &module);
    free(code);
    job->stages[job->stage_count++] = (VkPipelineShaderStageCreateInfo){
        VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO, .stage = bit, .module = module, .pName = "main"};
}

// Takes one line into the job; returns 1 at its end.
static int take(struct job *job, const char *line) {
    unsigned a, b, c, d;
    char path[2048];
    if (!strncmp(line, "end", 3))
        return 1;
    if (!strncmp(line, "pipeline ", 9)) {
        memset(job, 0, sizeof *job);
        sscanf(line, "pipeline %1023s %u %u %u %u %u", job->name, &job->optimise, &job->topology, &job->patch,
               &job->depth, &job->samples);
    } else if (sscanf(line, "stage %u %2047s", &a, path) == 2 && job->stage_count < 6) {
        add_stage(job, a, path);
    } else if (sscanf(line, "binding %u %u %u %u", &a, &b, &c, &d) == 4 && a < 32 && job->binding_count[a] < 64) {
        job->bindings[a][job->binding_count[a]++] = (VkDescriptorSetLayoutBinding){b, c, d, VK_SHADER_STAGE_ALL, 0};
        if (a + 1 > job->set_count)
            job->set_count = a + 1;
    } else if (sscanf(line, "push %u", &a) == 1) {
        job->push = a;
    } else if (sscanf(line, "attr %u %u %u %u", &a, &b, &c, &d) == 4 && job->attribute_count < 32) {
        uint32_t n = job->attribute_count++;
        job->attributes[n] = (VkVertexInputAttributeDescription){a, n, b, 0};
        job->buffers[n] = (VkVertexInputBindingDescription){n, c, d};
    } else if (sscanf(line, "color %u", &a) == 1 && job->colour_count < 8) {
        job->colours[job->colour_count++] = a;
    } else {
        fprintf(stderr, "bad line %s", line);
        exit(8);
    }
    return 0;
}

static int compile_graphics(struct job *job, VkPipelineCache cache, VkPipelineLayout layout, VkPipeline *pipeline) {
    VkPipelineVertexInputStateCreateInfo input = {
        VK_STRUCTURE_TYPE_PIPELINE_VERTEX_INPUT_STATE_CREATE_INFO,
        .vertexBindingDescriptionCount = job->attribute_count, .pVertexBindingDescriptions = job->buffers,
        .vertexAttributeDescriptionCount = job->attribute_count, .pVertexAttributeDescriptions = job->attributes};
    VkPipelineInputAssemblyStateCreateInfo assembly = {VK_STRUCTURE_TYPE_PIPELINE_INPUT_ASSEMBLY_STATE_CREATE_INFO,
                                                       .topology = job->topology};
    VkPipelineTessellationStateCreateInfo tessellation = {VK_STRUCTURE_TYPE_PIPELINE_TESSELLATION_STATE_CREATE_INFO,
                                                          .patchControlPoints = job->patch};
    VkPipelineViewportStateCreateInfo viewport = {VK_STRUCTURE_TYPE_PIPELINE_VIEWPORT_STATE_CREATE_INFO,
                                                  .viewportCount = 1, .scissorCount = 1};
    VkPipelineRasterizationStateCreateInfo raster = {VK_STRUCTURE_TYPE_PIPELINE_RASTERIZATION_STATE_CREATE_INFO,
                                                     .lineWidth = 1};
    VkPipelineMultisampleStateCreateInfo samples = {VK_STRUCTURE_TYPE_PIPELINE_MULTISAMPLE_STATE_CREATE_INFO,
                                                    .rasterizationSamples = job->samples};
    VkPipelineDepthStencilStateCreateInfo depth = {VK_STRUCTURE_TYPE_PIPELINE_DEPTH_STENCIL_STATE_CREATE_INFO,
                                                   .depthTestEnable = job->depth, .depthWriteEnable = job->depth,
                                                   .depthCompareOp = VK_COMPARE_OP_LESS};
    VkPipelineColorBlendAttachmentState targets[8] = {0};
    for (int i = 0; i < 8; i++)
        targets[i].colorWriteMask = 15;
    VkPipelineColorBlendStateCreateInfo blend = {VK_STRUCTURE_TYPE_PIPELINE_COLOR_BLEND_STATE_CREATE_INFO,
                                                 .attachmentCount = job->colour_count, .pAttachments = targets};
    VkDynamicState states[] = {VK_DYNAMIC_STATE_VIEWPORT, VK_DYNAMIC_STATE_SCISSOR};
    VkPipelineDynamicStateCreateInfo dynamic = {VK_STRUCTURE_TYPE_PIPELINE_DYNAMIC_STATE_CREATE_INFO,
                                                .dynamicStateCount = 2, .pDynamicStates = states};
    VkFormat format = job->depth ? VK_FORMAT_D32_SFLOAT_S8_UINT : VK_FORMAT_UNDEFINED;
    VkPipelineRenderingCreateInfo rendering = {
        VK_STRUCTURE_TYPE_PIPELINE_RENDERING_CREATE_INFO, .colorAttachmentCount = job->colour_count,
        .pColorAttachmentFormats = job->colours, .depthAttachmentFormat = format, .stencilAttachmentFormat = format};
    VkGraphicsPipelineCreateInfo info = {VK_STRUCTURE_TYPE_GRAPHICS_PIPELINE_CREATE_INFO,
                                         &rendering,
                                         job->optimise ? 0 : VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
                                         job->stage_count,
                                         job->stages,
                                         &input,
                                         &assembly,
                                         &tessellation,
                                         &viewport,
                                         &raster,
                                         &samples,
                                         &depth,
                                         &blend,
                                         &dynamic,
                                         layout};
    return vkCreateGraphicsPipelines(dev, cache, 1, &info, 0, pipeline);
}

static int compile_compute(struct job *job, VkPipelineCache cache, VkPipelineLayout layout, VkPipeline *pipeline) {
    VkComputePipelineCreateInfo info = {VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
                                        .flags = job->optimise ? 0 : VK_PIPELINE_CREATE_DISABLE_OPTIMIZATION_BIT,
                                        .stage = job->stages[0], .layout = layout};
    return vkCreateComputePipelines(dev, cache, 1, &info, 0, pipeline);
}

// Compiles a job's pipeline and writes its cache.
static void compile(struct job *job) {
    VkDescriptorSetLayout sets[32];
    for (uint32_t i = 0; i < job->set_count; i++) {
        VkDescriptorSetLayoutCreateInfo info = {VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
                                                .bindingCount = job->binding_count[i], .pBindings = job->bindings[i]};
        vkCreateDescriptorSetLayout(dev, &info, 0, &sets[i]);
    }
    VkPushConstantRange push = {VK_SHADER_STAGE_ALL, 0, job->push};
    VkPipelineLayoutCreateInfo layout_info = {
        VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO, .setLayoutCount = job->set_count, .pSetLayouts = sets,
        .pushConstantRangeCount = job->push ? 1 : 0, .pPushConstantRanges = &push};
    VkPipelineLayout layout;
    vkCreatePipelineLayout(dev, &layout_info, 0, &layout);
    VkPipelineCacheCreateInfo cache_info = {VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache;
    vkCreatePipelineCache(dev, &cache_info, 0, &cache);
    VkPipeline pipeline = 0;
    int is_compute = job->stages[0].stage == VK_SHADER_STAGE_COMPUTE_BIT;
    int result =
        is_compute ? compile_compute(job, cache, layout, &pipeline) : compile_graphics(job, cache, layout, &pipeline);
    size_t size = 0;
    void *data = 0;
    if (result == 0) {
        vkGetPipelineCacheData(dev, cache, &size, 0);
        data = malloc(size);
        vkGetPipelineCacheData(dev, cache, &size, data);
    }
    printf("%s\n%d %zu\n", job->name, result, size);
    if (size)
        fwrite(data, 1, size, stdout);
    fflush(stdout);
    free(data);
    if (pipeline)
        vkDestroyPipeline(dev, pipeline, 0);
    vkDestroyPipelineCache(dev, cache, 0);
    vkDestroyPipelineLayout(dev, layout, 0);
    for (uint32_t i = 0; i < job->set_count; i++)
        vkDestroyDescriptorSetLayout(dev, sets[i], 0);
    for (uint32_t i = 0; i < job->stage_count; i++)
        vkDestroyShaderModule(dev, job->stages[i].module, 0);
}

int main(void) {
    static struct job job;
    static char line[4096];
    open_device();
    while (fgets(line, sizeof line, stdin))
        if (take(&job, line))
            compile(&job);
    fflush(stdout);
    _exit(0);
}
