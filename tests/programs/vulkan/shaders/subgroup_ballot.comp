#version 450
#extension GL_KHR_shader_subgroup_ballot : require
// Ballots, and what is counted in them.
layout(local_size_x = 128) in;
layout(binding = 0) readonly buffer In { uint data[]; };
layout(binding = 1) writeonly buffer Out { uint results[]; };
void main() {
    uint i = gl_GlobalInvocationID.x, value = data[i], o = 12 * i;
    uvec4 ballot = subgroupBallot(value % 3 == 0);
    results[o] = ballot.x;
    results[o + 1] = ballot.y;
    results[o + 2] = subgroupBallotBitCount(ballot);
    results[o + 3] = subgroupBallotInclusiveBitCount(ballot);
    results[o + 4] = subgroupBallotExclusiveBitCount(ballot);
    results[o + 5] = subgroupInverseBallot(ballot) ? 1 : 0;
    results[o + 6] = subgroupBroadcastFirst(value);
    results[o + 7] = subgroupBroadcast(value, 3);
    uint low = 0, high = 0;
    if (value % 3 == 0) { low = subgroupBallotFindLSB(ballot); high = subgroupBallotFindMSB(ballot); }
    results[o + 8] = low | high << 8;
    results[o + 9] = (subgroupBallotBitExtract(ballot, 2) ? 1 : 0) | (gl_SubgroupEqMask.x | gl_SubgroupEqMask.y) << 1;
    results[o + 10] = gl_SubgroupLtMask.x ^ gl_SubgroupGeMask.x;
    uint first = 0;
    if (value > 50) first = subgroupBroadcastFirst(value + 1);
    results[o + 11] = first;
}
