#version 450
#extension GL_EXT_buffer_reference : require
#extension GL_EXT_buffer_reference2 : require
#extension GL_EXT_shader_explicit_arithmetic_types_int64 : require
// Lists whose links are addresses, and stores by address.
layout(local_size_x = 64) in;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node;
layout(buffer_reference, std430, buffer_reference_align = 16) buffer Node { Node next; uint value; uint pad; };
layout(buffer_reference, std430, buffer_reference_align = 4) buffer Words { uint word; };
layout(push_constant) uniform Push { uint64_t nodes; uint64_t results; };
void main() {
    uint i = gl_GlobalInvocationID.x, sum = 0, length = 0;
    Node node = Node(nodes + uint64_t(i) * 16);
    while (uint64_t(node) != 0) {
        sum = sum * 3 + node.value;
        ++length;
        node = node.next;
    }
    Words out_words = Words(results);
    out_words[2 * i].word = sum;
    out_words[2 * i + 1].word = length;
}
