// A client of the remote calls of LLVM's libc, for the programs here: what "libc/shared/rpc.h" of LLVM 20 and later lays
// down. It is HIP, as clang 14 knows no kernels in C.
#define DEVICE static inline __attribute__((device))
#define KERNEL extern "C" __attribute__((global, visibility("protected"))) void

typedef unsigned long u64;
typedef unsigned int u32;

struct header { u64 mask; u32 opcode; };
struct packet { u64 word[8]; };

// What the loader fills in.
struct client {
    u32 ports;
    const u32 *inbox;
    u32 *outbox;
    struct header *header;
    struct packet *packet;
    u32 lock[128];
};
extern "C" __attribute__((device, visibility("protected"), used)) struct client __llvm_rpc_client = {};

DEVICE struct packet packet_of(u64 first) {
    struct packet packet = {{first}};
    return packet;
}

struct port { u32 index, out, receives; struct packet *mine; };

#define LIBC(operation) ('c' << 24 | (operation))

// The lanes that are here.
DEVICE u64 lanes(void) { return __builtin_amdgcn_read_exec(); }
DEVICE u32 lane(void) { return __builtin_amdgcn_mbcnt_hi(~0u, __builtin_amdgcn_mbcnt_lo(~0u, 0)); }
DEVICE int is_first(u64 mask) { return lane() == (u32)__builtin_ctzl(mask); }

DEVICE u32 inbox(u32 index) {
    return __builtin_amdgcn_readfirstlane(__atomic_load_n(&__llvm_rpc_client.inbox[index], __ATOMIC_RELAXED));
}

// The lanes of a wave open a port together, and close it together.
DEVICE struct port open_port(u32 opcode) {
    for (u32 index = 0;; index = (index + 1) % __llvm_rpc_client.ports) {
        u64 mask = lanes();
        u32 bit = 1u << index % 32, before = bit;
        if (is_first(mask)) before = __atomic_fetch_or(&__llvm_rpc_client.lock[index / 32], bit, __ATOMIC_ACQUIRE) & bit;
        // Only the first lane may have it.
        if (__builtin_amdgcn_uicmp(before, 0, 32) == 0) continue;
        u32 out = __builtin_amdgcn_readfirstlane(__atomic_load_n(&__llvm_rpc_client.outbox[index], __ATOMIC_RELAXED));
        if (inbox(index) != out) {
            if (is_first(mask)) __atomic_fetch_and(&__llvm_rpc_client.lock[index / 32], ~bit, __ATOMIC_RELEASE);
            continue;
        }
        if (is_first(mask)) {
            __llvm_rpc_client.header[index].mask = mask;
            __llvm_rpc_client.header[index].opcode = opcode;
        }
        struct port port = {index, out, 0, &__llvm_rpc_client.packet[index * 64 + lane()]};
        return port;
    }
}

DEVICE void hand_over(struct port *port) {
    port->out = !port->out;
    __atomic_store_n(&__llvm_rpc_client.outbox[port->index], port->out, __ATOMIC_RELEASE);
}

DEVICE struct packet *wait(struct port *port) {
    while (inbox(port->index) != port->out) __builtin_amdgcn_s_sleep(2);
    __atomic_thread_fence(__ATOMIC_ACQUIRE);
    return port->mine;
}

DEVICE void send(struct port *port, struct packet packet) {
    *wait(port) = packet;
    hand_over(port);
    port->receives = 0;
}

DEVICE struct packet receive(struct port *port) {
    if (port->receives) hand_over(port);
    port->receives = 1;
    return *wait(port);
}

DEVICE void close_port(struct port *port) {
    if (is_first(lanes()))
        __atomic_fetch_and(&__llvm_rpc_client.lock[port->index / 32], ~(1u << port->index % 32), __ATOMIC_RELEASE);
}

// Bytes of any length; each lane has its own.
DEVICE void send_bytes(struct port *port, const char *bytes, u64 size) {
    struct packet packet = packet_of(size);
    for (u64 at = 0; at < size && at < 56; at++) packet.word[1 + at / 8] |= (u64)(unsigned char)bytes[at] << at % 8 * 8;
    send(port, packet);
    for (u64 sent = 56; __builtin_amdgcn_uicmp(sent < size, 0, 33); sent += 64) {
        packet = packet_of(0);
        for (u64 at = 0; sent + at < size && at < 64; at++)
            packet.word[at / 8] |= (u64)(unsigned char)bytes[sent + at] << at % 8 * 8;
        send(port, packet);
    }
}

DEVICE u64 length(const char *text) {
    u64 size = 0;
    while (text[size]) size++;
    return size;
}

// WRITE_TO_STDOUT (2), WRITE_TO_STDERR (3), WRITE_TO_STDOUT_NEWLINE (5).
DEVICE u64 put(u32 operation, const char *text) {
    struct port port = open_port(LIBC(operation));
    send_bytes(&port, text, length(text));
    u64 written = receive(&port).word[0];
    close_port(&port);
    return written;
}

// PRINTF_TO_STDOUT (21): `arguments` as C passes them in memory.
DEVICE int print(const char *format, const void *arguments) {
    struct port port = open_port(LIBC(21));
    send_bytes(&port, format, length(format) + 1);
    u64 size = receive(&port).word[0];
    send_bytes(&port, (const char *)arguments, size);
    for (;;) {
        struct packet packet = receive(&port);
        const char *string = (const char *)packet.word[1];
        if (!string) {
            close_port(&port);
            return packet.word[0];
        }
        send_bytes(&port, string, length(string) + 1);
    }
}

// READ_FGETS (7) of standard input: a line of up to 55 bytes. Returns its length with the 0 at its end, 0 at the end.
DEVICE u64 line(char text[56]) {
    struct port port = open_port(LIBC(7));
    struct packet packet = packet_of(56);
    packet.word[1] = 1;
    send(&port, packet);
    packet = receive(&port);
    for (u64 at = 0; at < 56; at++) text[at] = packet.word[1 + at / 8] >> at % 8 * 8;
    close_port(&port);
    return packet.word[0];
}

// MALLOC (10), FREE (11).
DEVICE u64 allocate(u64 bytes) {
    struct port port = open_port(LIBC(10));
    send(&port, packet_of(bytes));
    u64 address = receive(&port).word[0];
    close_port(&port);
    return address;
}

DEVICE void release(u64 address) {
    struct port port = open_port(LIBC(11));
    send(&port, packet_of(address));
    close_port(&port);
}

DEVICE void leave(int code) {
    struct port port = open_port(LIBC(1));
    struct packet packet = packet_of(0);
    send(&port, packet);
    receive(&port);
    packet.word[0] = code;
    send(&port, packet);
    for (;;) __builtin_amdgcn_s_sleep(127);
}
