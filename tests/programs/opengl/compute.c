/* Compute shaders of OpenGL 4.5 on a context without a window. Each check compares with what the host computes. */
#define GL_GLEXT_PROTOTYPES
#include <EGL/egl.h>
#include <EGL/eglext.h>
#include <GL/gl.h>
#include <GL/glext.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong;

static void check(const char *what, unsigned count) {
    printf("%s: %u wrong\n", what, count);
    wrong += count != 0;
}

static GLuint program(const char *source) {
    GLuint shader = glCreateShader(GL_COMPUTE_SHADER), program = glCreateProgram();
    GLint ok;
    glShaderSource(shader, 1, &source, NULL);
    glCompileShader(shader);
    glAttachShader(program, shader);
    glLinkProgram(program);
    glGetProgramiv(program, GL_LINK_STATUS, &ok);
    if (!ok) {
        char log[4096];
        glGetShaderInfoLog(shader, sizeof log, NULL, log);
        fprintf(stderr, "%s\n", log);
        exit(2);
    }
    glUseProgram(program);
    return program;
}

static GLuint buffer(unsigned binding, const void *data, size_t size) {
    GLuint name;
    glGenBuffers(1, &name);
    glBindBufferBase(GL_SHADER_STORAGE_BUFFER, binding, name);
    glBufferData(GL_SHADER_STORAGE_BUFFER, size, data, GL_DYNAMIC_COPY);
    return name;
}

static void read_back(GLuint name, void *data, size_t size) {
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    glBindBuffer(GL_SHADER_STORAGE_BUFFER, name);
    glGetBufferSubData(GL_SHADER_STORAGE_BUFFER, 0, size, data);
}

static void saxpy(void) {
    enum { N = 10000 };
    static float x[N], y[N], result[N];
    for (int i = 0; i < N; i++) x[i] = i, y[i] = 0.5f;
    buffer(0, x, sizeof x);
    GLuint out = buffer(1, y, sizeof y);
    GLuint p = program("#version 450\n"
                       "layout(local_size_x = 64) in;\n"
                       "layout(std430, binding = 0) buffer X { float x[]; };\n"
                       "layout(std430, binding = 1) buffer Y { float y[]; };\n"
                       "uniform float a; uniform uint n;\n"
                       "void main() { uint i = gl_GlobalInvocationID.x; if (i < n) y[i] = a * x[i] + y[i]; }");
    glUniform1f(glGetUniformLocation(p, "a"), 2.0f);
    glUniform1ui(glGetUniformLocation(p, "n"), N);
    glDispatchCompute((N + 63) / 64, 1, 1);
    read_back(out, result, sizeof result);
    unsigned bad = 0;
    for (int i = 0; i < N; i++) bad += result[i] != 2.0f * i + 0.5f;
    check("saxpy", bad);
}

/* Sums in shared memory, atomics, and a dispatch whose size lies in a buffer. */
static void reduction(void) {
    uint32_t sums[17] = {0}, groups[3] = {20, 2, 1};
    GLuint out = buffer(0, sums, sizeof sums), indirect;
    glGenBuffers(1, &indirect);
    glBindBuffer(GL_DISPATCH_INDIRECT_BUFFER, indirect);
    glBufferData(GL_DISPATCH_INDIRECT_BUFFER, sizeof groups, groups, GL_STATIC_DRAW);
    program("#version 450\n"
            "layout(local_size_x = 128) in;\n"
            "shared uint part[128];\n"
            "layout(std430, binding = 0) buffer Sums { uint total; uint counts[16]; };\n"
            "void main() {\n"
            "    uint i = gl_LocalInvocationID.x;\n"
            "    part[i] = gl_GlobalInvocationID.x;\n"
            "    barrier();\n"
            "    for (uint k = 64; k > 0; k >>= 1) { if (i < k) part[i] += part[i + k]; barrier(); }\n"
            "    if (i == 0) atomicAdd(total, part[0]);\n"
            "    atomicAdd(counts[gl_GlobalInvocationID.x % 16], 1u);\n"
            "}");
    glDispatchComputeIndirect(0);
    read_back(out, sums, sizeof sums);
    unsigned bad = sums[0] != 2u * (2560u * 2559u / 2);
    for (int i = 1; i < 17; i++) bad += sums[i] != 320;
    check("reduction", bad);
}

/* All levels and layers of an array are stored one by one, and read through one view. */
static void levels(void) {
    enum { LEVELS = 3, LAYERS = 3 };
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D_ARRAY, texture);
    glTexStorage3D(GL_TEXTURE_2D_ARRAY, LEVELS, GL_R32UI, 37, 21, LAYERS);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MIN_FILTER, GL_NEAREST_MIPMAP_NEAREST);
    glTexParameteri(GL_TEXTURE_2D_ARRAY, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    GLuint p = program("#version 450\n"
                       "layout(local_size_x = 8, local_size_y = 8) in;\n"
                       "layout(r32ui, binding = 0) uniform writeonly uimage2DArray level; uniform uint number;\n"
                       "void main() {\n"
                       "    ivec3 at = ivec3(gl_GlobalInvocationID), size = imageSize(level);\n"
                       "    uint value = number * 1000000u + uint(at.z * 10000 + at.y * 100 + at.x);\n"
                       "    if (at.x < size.x && at.y < size.y) imageStore(level, at, uvec4(value));\n"
                       "}");
    for (int level = 0; level < LEVELS; level++) {
        glBindImageTexture(0, texture, level, GL_TRUE, 0, GL_WRITE_ONLY, GL_R32UI);
        glUniform1ui(glGetUniformLocation(p, "number"), level);
        glDispatchCompute(5, 3, LAYERS);
    }
    glMemoryBarrier(GL_ALL_BARRIER_BITS);
    uint32_t counts[2] = {0, 0};
    GLuint out = buffer(0, counts, sizeof counts);
    program("#version 450\n"
            "layout(local_size_x = 8, local_size_y = 8) in;\n"
            "layout(binding = 0) uniform usampler2DArray all;\n"
            "layout(std430, binding = 0) buffer Counts { uint seen; uint wrong; };\n"
            "void main() {\n"
            "    ivec3 at = ivec3(gl_GlobalInvocationID);\n"
            "    for (int level = 0; level < 3; level++) {\n"
            "        ivec3 size = textureSize(all, level);\n"
            "        if (at.x >= size.x || at.y >= size.y) continue;\n"
            "        atomicAdd(seen, 1u);\n"
            "        uint value = uint(level) * 1000000u + uint(at.z * 10000 + at.y * 100 + at.x);\n"
            "        if (texelFetch(all, at, level).x != value) atomicAdd(wrong, 1u);\n"
            "    }\n"
            "}");
    glDispatchCompute(5, 3, LAYERS);
    read_back(out, counts, sizeof counts);
    check("levels", counts[1] + (counts[0] != LAYERS * (37 * 21 + 18 * 10 + 9 * 5)));
}

/* A texture goes up and comes back, and is filtered between. */
static void textures(void) {
    static uint32_t up[64 * 64], down[64 * 64];
    for (int i = 0; i < 64 * 64; i++) up[i] = i * 7919u;
    GLuint texture;
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32UI, 64, 64);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 64, 64, GL_RED_INTEGER, GL_UNSIGNED_INT, up);
    glGetTexImage(GL_TEXTURE_2D, 0, GL_RED_INTEGER, GL_UNSIGNED_INT, down);
    unsigned bad = 0;
    for (int i = 0; i < 64 * 64; i++) bad += down[i] != up[i];
    check("up and down", bad);

    float texels[4] = {0.0f, 1.0f, 2.0f, 3.0f}, result[3] = {0};
    glGenTextures(1, &texture);
    glBindTexture(GL_TEXTURE_2D, texture);
    glTexStorage2D(GL_TEXTURE_2D, 1, GL_R32F, 2, 2);
    glTexSubImage2D(GL_TEXTURE_2D, 0, 0, 0, 2, 2, GL_RED, GL_FLOAT, texels);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    GLuint out = buffer(0, result, sizeof result);
    program("#version 450\n"
            "layout(local_size_x = 1) in;\n"
            "layout(binding = 0) uniform sampler2D image;\n"
            "layout(std430, binding = 0) buffer Result { float result[]; };\n"
            "void main() {\n"
            "    result[0] = textureLod(image, vec2(0.5, 0.5), 0.0).x;\n"
            "    result[1] = textureLod(image, vec2(0.5, 0.25), 0.0).x;\n"
            "    result[2] = textureLod(image, vec2(2.0, 2.0), 0.0).x;\n"
            "}");
    glDispatchCompute(1, 1, 1);
    read_back(out, result, sizeof result);
    check("filtered", (result[0] != 1.5f) + (result[1] != 0.5f) + (result[2] != 3.0f));
}

int main(void) {
    PFNEGLGETPLATFORMDISPLAYEXTPROC display_of = (void *)eglGetProcAddress("eglGetPlatformDisplayEXT");
    EGLDisplay display = display_of(EGL_PLATFORM_SURFACELESS_MESA, EGL_DEFAULT_DISPLAY, NULL);
    EGLint version[] = {EGL_CONTEXT_MAJOR_VERSION, 4, EGL_CONTEXT_MINOR_VERSION, 5, EGL_NONE};
    if (!eglInitialize(display, NULL, NULL) || !eglBindAPI(EGL_OPENGL_API)) {
        fprintf(stderr, "there is no EGL without surfaces\n");
        return 2;
    }
    EGLContext context = eglCreateContext(display, EGL_NO_CONFIG_KHR, EGL_NO_CONTEXT, version);
    if (!context || !eglMakeCurrent(display, EGL_NO_SURFACE, EGL_NO_SURFACE, context)) {
        fprintf(stderr, "there is no OpenGL 4.5\n");
        return 2;
    }
    printf("%s\n", glGetString(GL_RENDERER));
    saxpy();
    reduction();
    levels();
    textures();
    check("errors of OpenGL", glGetError() != GL_NO_ERROR);
    return wrong != 0;
}
