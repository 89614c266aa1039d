"""Files of shaders: raw code with a sidecar that says what the driver sets."""


def sidecar(shader, arch, group):
    """Returns the text of NAME.toml."""
    lines = [
        f'arch = "{arch}"',
        f'stage = "{shader.stage}"',
        f"rsrc1 = {shader.rsrc1:#x}",
        f"rsrc2 = {shader.rsrc2:#x}",
    ]
    if shader.stage == "pixel":
        lines += [f"ps_input_ena = {shader.ps_input_ena:#x}", f"ps_input_addr = {shader.ps_input_addr:#x}"]
    if shader.lds_bytes:
        lines += [f"lds_bytes = {shader.lds_bytes}"]
    if shader.scratch_bytes_per_lane:
        lines += [f"scratch_bytes_per_lane = {shader.scratch_bytes_per_lane}"]
    if shader.stage == "compute" and group:
        lines += [f"group = [{', '.join(map(str, group))}]"]
    return "\n".join(lines) + "\n"
