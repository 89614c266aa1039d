//! Images and samplers of launch files.

use super::Syntax;
use super::buffer::{BufferSpec, Content};
use super::tree::{LaunchError, Node, Read, parse};
use super::value::NumberType;
use gcnsim_device::args::ArgValue;
use gcnsim_device::images::{Format, Kind, MipFilter, Sampler, Shape, Wrap};
use gcnsim_device::{MOST_PLANES, MOST_SIDE};

/// Reads an image.
pub(super) fn image(name: &str, node: &Node<'_>) -> Read<BufferSpec> {
    let mut keys = vec!["type", "size", "layers", "levels", "format", "save"];
    keys.extend(Content::keys());
    node.allow(&keys)?;
    if name.is_empty() {
        return Err(node.error("an image without a name"));
    }
    let shape = shape(node)?;
    let size = shape.packed_bytes();
    let content = Content::of(node)?;
    if let Some(given) = content.length().filter(|&given| given != size && content != Content::Zero) {
        let bytes = shape.format.bytes();
        return Err(node.error(format_args!(
            "a content of {given} bytes: {shape} has {size} bytes ({bytes} a {}, without padding)",
            if shape.format.side() > 1 { "block" } else { "texel" }
        )));
    }
    let save = node.get("save").map(|node| node.text().map(Into::into)).transpose()?;
    Ok(BufferSpec { name: name.to_owned(), content, size: Some(size), save, shape: Some(shape), at: None })
}

/// Reads type, sizes and format of an image from JSON, with the keys that launch files have for them.
///
/// # Errors
/// [`LaunchError`]
pub fn shape_of_json(text: &str) -> Result<Shape, LaunchError> {
    let value = parse(text, Syntax::Json)?;
    let node = Node::root(&value);
    node.allow(&["type", "size", "layers", "levels", "format"])?;
    shape(&node)
}

/// Reads a sampler from JSON, with the keys that launch files have for it.
///
/// # Errors
/// [`LaunchError`]
pub fn sampler_of_json(text: &str) -> Result<Sampler, LaunchError> {
    sampler(&Node::root(&parse(text, Syntax::Json)?))
}

fn shape(node: &Node<'_>) -> Read<Shape> {
    let ty = node.need("type")?;
    let kind = choice(&ty, "type", &Kind::ALL.map(Kind::name)).map(|i| Kind::ALL[i])?;
    let format = format(&node.need("format")?)?;
    if kind == Kind::D1Buffer && !format.is_of_buffers() {
        return Err(node.error(format_args!("{} is no format of buffers", format.name())));
    }
    if kind != Kind::D1Buffer && !format.is_of_images() {
        let name = format.name();
        return Err(node.error(format_args!("{name} is a format of buffers alone; give texels a fourth component")));
    }
    let size = sizes(&node.need("size")?, kind)?;
    if kind == Kind::Cube && size[0] != size[1] {
        return Err(node.error(format_args!("size: faces of cubes are square, not {} x {}", size[0], size[1])));
    }
    let count = |key: &str, most: u32, what: &str| -> Read<u32> {
        let Some(node) = node.get(key) else { return Ok(1) };
        match node.integer()? {
            n @ 1.. if n <= most.into() => Ok(n as u32),
            n => Err(node.error(format_args!("{n} {what}: there are 1 to {most}"))),
        }
    };
    let layers = match kind {
        Kind::Cube => 6 * count("layers", MOST_PLANES / 6, "cubes")?,
        Kind::D1Array | Kind::D2Array => count("layers", MOST_PLANES, "layers")?,
        _ if node.get("layers").is_some() => {
            return Err(node.error(format_args!("layers: an image of type {} has none", kind.name())));
        }
        _ => 1,
    };
    let shape = Shape { kind, size, layers, levels: 1, format };
    if kind == Kind::D1Buffer && node.get("levels").is_some() {
        return Err(node.error("levels: an image of type 1d-buffer has none"));
    }
    let levels = count("levels", shape.most_levels(), &format!("levels of {shape}"))?;
    Ok(Shape { levels, ..shape })
}

fn sizes(node: &Node<'_>, kind: Kind) -> Read<[u32; 3]> {
    let list = node.list_or_one()?;
    let (given, dimensions) = (list.len(), kind.dimensions());
    if given != dimensions {
        let names = ["width", "width and height", "width, height and depth"][dimensions - 1];
        let plural = if given == 1 { "" } else { "s" };
        return Err(node.error(format_args!("{given} size{plural}: an image of type {} has {names}", kind.name())));
    }
    let mut sizes = [1; 3];
    for (i, (size, node)) in sizes.iter_mut().zip(&list).enumerate() {
        let most = match kind {
            Kind::D1Buffer => u32::MAX,
            _ if i == 2 => MOST_PLANES,
            _ => MOST_SIDE,
        };
        *size = match node.integer()? {
            n @ 1.. if n <= most.into() => n as u32,
            0 => return Err(node.error("a size of 0")),
            n => return Err(node.error(format_args!("{n} texels: a descriptor has room for 1 to {most}"))),
        };
    }
    Ok(sizes)
}

fn format(node: &Node<'_>) -> Read<Format> {
    let name = node.text()?;
    Format::by_name(name).ok_or_else(|| {
        let near = Format::nearest(name);
        node.error(format_args!("there is no format '{name}'; did you mean '{near}'? (Vulkan's names in lower case)"))
    })
}

/// Returns the index of a string among `names`.
fn choice(node: &Node<'_>, what: &str, names: &[&str]) -> Read<usize> {
    let text = node.text()?;
    names
        .iter()
        .position(|&name| name == text)
        .ok_or_else(|| node.error(format_args!("there is no {what} '{text}' (there are {})", names.join(", "))))
}

/// Reads a sampler.
pub(super) fn sampler(node: &Node<'_>) -> Read<Sampler> {
    node.allow(&["address", "filter", "mip", "normalized", "compare", "border", "min_lod", "max_lod", "lod_bias"])?;
    let mut sampler = Sampler::default();
    if let Some(node) = node.get("address") {
        let wrap = |node: &Node<'_>| choice(node, "address mode", &Wrap::ALL.map(Wrap::name)).map(|i| Wrap::ALL[i]);
        let list: Vec<Wrap> = node.list_or_one()?.iter().map(wrap).collect::<Read<_>>()?;
        sampler.address = match list[..] {
            [all] => [all; 3],
            [x, y, z] => [x, y, z],
            _ => return Err(node.error(format_args!("{} address modes: there are one or three", list.len()))),
        };
    }
    let chosen = |key: &str, what: &str, names: &[&str]| -> Read<Option<usize>> {
        node.get(key).map(|node| choice(&node, what, names)).transpose()
    };
    sampler.linear = chosen("filter", "filter", &["nearest", "linear"])? == Some(1);
    sampler.mip = match chosen("mip", "filter of levels", &["none", "nearest", "linear"])? {
        None | Some(0) => MipFilter::None,
        Some(1) => MipFilter::Nearest,
        Some(_) => MipFilter::Linear,
    };
    sampler.compare = chosen("compare", "comparison", &Sampler::COMPARES)?.unwrap_or(0) as u32;
    sampler.border = chosen("border", "border colour", &Sampler::BORDERS)?.unwrap_or(0) as u32;
    if let Some(node) = node.get("normalized") {
        let truth = node.value.as_bool();
        sampler.normalized =
            truth.ok_or_else(|| node.error(format_args!("{} where true or false is expected", node.kind())))?;
    }
    let lod = |key: &str, least: f64, most: f64, default: i32| -> Read<i32> {
        let Some(node) = node.get(key) else { return Ok(default) };
        match node.value.as_f64() {
            Some(lod) if (least..=most).contains(&lod) => Ok((lod * 256.0).round_ties_even() as i32),
            Some(lod) => Err(node.error(format_args!("{lod}: it is {least} to {most}"))),
            None => Err(node.error(format_args!("{} where a number is expected", node.kind()))),
        }
    };
    sampler.min_lod = lod("min_lod", 0.0, 15.0, 0)? as u32;
    sampler.max_lod = lod("max_lod", 0.0, 15.0, 15 << 8)? as u32;
    sampler.lod_bias = lod("lod_bias", -16.0, 16.0, 0)?;
    if !sampler.normalized
        && let Some(wrap) = sampler.address.into_iter().find(|wrap| !wrap.is_of_texels())
    {
        return Err(node.error(format_args!(
            "{} needs coordinates from 0 to 1: with \"normalized\": false there are clamp_to_edge and clamp_to_border",
            wrap.name()
        )));
    }
    Ok(sampler)
}

/// Reads the descriptor of a part of a buffer.
pub(super) fn buffer_descriptor(node: &Node<'_>) -> Read<ArgValue> {
    node.allow(&["buffer", "at", "stride", "records", "format"])?;
    let integer = |key: &str| node.get(key).map(|node| node.integer_in::<u64>()).transpose();
    let stride = node.get("stride").map(|node| match node.integer()? {
        n @ 0..=0x3fff => Ok(n as u32),
        n => Err(node.error(format_args!("{n} bytes: a descriptor has room for 0 to 16383"))),
    });
    let records = node.get("records").map(|node| node.integer_in::<u32>()).transpose()?;
    let format = match node.get("format") {
        Some(node) => {
            let found = format(&node)?;
            if !found.is_of_buffers() {
                return Err(node.error(format_args!("{} is no format of buffers", found.name())));
            }
            Some(found)
        }
        None => None,
    };
    Ok(ArgValue::BufferDescriptor {
        buffer: node.need("buffer")?.text()?.to_owned(),
        at: integer("at")?.unwrap_or(0),
        stride: stride.transpose()?.unwrap_or(0),
        records,
        format,
    })
}

/// Returns the type of numbers as which people read the texels of a format.
pub fn number_type(format: Format) -> NumberType {
    use NumberType::{F16, F32, I8, I16, I32, U8, U16, U32};
    match format.channel().map(|(ty, _)| ty) {
        Some(0 | 8) => I8,
        Some(1 | 9) => I16,
        Some(10) => I32,
        Some(3 | 6 | 12) => U16,
        Some(13) => U32,
        Some(14) => F16,
        Some(15) => F32,
        _ => U8,
    }
}

#[cfg(test)]
mod tests {
    use super::super::{LaunchFile, Syntax};
    use super::*;

    fn read(image: &str) -> Result<BufferSpec, String> {
        let text = format!(r#"{{"launch": {{"grid": 1, "group": 1, "images": {{"a": {image}}}}}}}"#);
        let file = LaunchFile::parse(&text, Syntax::Json).map_err(|error| error.to_string())?;
        Ok(file.launches[0].buffers[0].clone())
    }

    fn argument(arg: &str) -> Result<ArgValue, String> {
        let text = format!(r#"{{"launch": {{"grid": 1, "group": 1, "args": [{arg}]}}}}"#);
        let file = LaunchFile::parse(&text, Syntax::Json).map_err(|error| error.to_string())?;
        Ok(file.launches[0].args[0].clone())
    }

    #[test]
    fn every_key_of_an_image() {
        let spec = read(
            r#"{"type": "2d-array", "size": [4, 2], "layers": 3, "levels": 2, "format": "r16_uint",
                "iota": {"type": "u16"}, "save": "x.bin"}"#,
        );
        let spec = spec.unwrap();
        let shape = spec.shape.unwrap();
        assert_eq!((shape.kind, shape.size, shape.layers, shape.levels), (Kind::D2Array, [4, 2, 1], 3, 2));
        // The image has 4 x 2 and 2 x 1 texels in each of three layers.
        assert_eq!((spec.size, shape.to_string().as_str()), (Some(60), "2d-array 4 x 2, 3 layers, 2 levels, r16_uint"));
        assert_eq!(shape.place(58), "x 1, y 0, layer 2, level 1");
        let cube = read(r#"{"type": "cube", "size": [2, 2], "layers": 2, "format": "r8_unorm"}"#).unwrap();
        assert_eq!((cube.shape.unwrap().layers, cube.size), (12, Some(48)));
        let row = read(r#"{"type": "1d-buffer", "size": 100000, "format": "r32g32b32_sfloat"}"#).unwrap();
        assert_eq!(row.size, Some(1_200_000));
        let block = read(r#"{"type": "2d", "size": [5, 4], "format": "bc1_rgb_srgb_block"}"#).unwrap();
        assert_eq!(block.size, Some(16));
    }

    #[test]
    fn bad_images_say_what_to_change() {
        for (image, message) in [
            (
                r#"{"type": "2d", "size": [2, 2], "format": "r8g8b8a8_unrom"}"#,
                "images.a.format: there is no format 'r8g8b8a8_unrom'; did you mean 'r8g8b8a8_unorm'?",
            ),
            (r#"{"type": "2d", "size": [2, 2], "format": "VK_FORMAT_R8_UINT"}"#, "did you mean 'r8_uint'?"),
            (r#"{"type": "4d", "size": 2, "format": "r8_uint"}"#, "there is no type '4d' (there are 1d, 2d, 3d, cube,"),
            (r#"{"type": "2d", "size": [2, 0], "format": "r8_uint"}"#, "images.a.size[1]: a size of 0"),
            (
                r#"{"type": "2d", "size": [16385, 1], "format": "r8_uint"}"#,
                "size[0]: 16385 texels: a descriptor has room for 1 to 16384",
            ),
            (
                r#"{"type": "3d", "size": [1, 1, 8193], "format": "r8_uint"}"#,
                "8193 texels: a descriptor has room for 1 to 8192",
            ),
            (r#"{"type": "1d-buffer", "size": 4294967296, "format": "r8_uint"}"#, "room for 1 to 4294967295"),
            (r#"{"type": "1d", "size": -1, "format": "r8_uint"}"#, "-1 texels: a descriptor has room for 1 to 16384"),
            (r#"{"type": "2d", "size": 7, "format": "r8_uint"}"#, "1 size: an image of type 2d has width and height"),
            (r#"{"type": "cube", "size": [2, 3], "format": "r8_uint"}"#, "faces of cubes are square, not 2 x 3"),
            (
                r#"{"type": "2d", "size": [2, 2], "layers": 2, "format": "r8_uint"}"#,
                "layers: an image of type 2d has none",
            ),
            (
                r#"{"type": "1d-array", "size": 2, "layers": 0, "format": "r8_uint"}"#,
                "layers: 0 layers: there are 1 to 8192",
            ),
            (
                r#"{"type": "2d", "size": [9, 4], "levels": 5, "format": "r8_uint"}"#,
                "levels: 5 levels of 2d 9 x 4, r8_uint: there are 1 to 4",
            ),
            (
                r#"{"type": "2d", "size": [2, 3], "format": "r16_uint", "u16": [1, 2, 3]}"#,
                "images.a: a content of 6 bytes: 2d 2 x 3, r16_uint has 12 bytes (2 a texel, without padding)",
            ),
            (r#"{"type": "2d", "size": [2, 3], "format": "r8_uint", "hex": "01020304050607"}"#, "a content of 7 bytes"),
            (r#"{"type": "2d", "size": [2, 3], "format": "r32g32b32_uint"}"#, "is a format of buffers alone"),
            (r#"{"type": "1d-buffer", "size": 3, "format": "r8g8b8a8_srgb"}"#, "r8g8b8a8_srgb is no format of buffers"),
            (r#"{"type": "1d", "size": 3}"#, "no 'format'"),
            (r#"{"type": "1d", "size": 3, "format": "r8_uint", "lavers": 1}"#, "did you mean 'layers'?"),
            (r#"{"type": "1d", "size": 3, "format": "r8_uint", "hex": "", "u8": 1}"#, "more than one content: hex, u8"),
        ] {
            let found = read(image).unwrap_err();
            assert!(found.contains(message), "{found}");
        }
        let both = r#"{"launch": {"grid": 1, "group": 1, "buffers": {"a": {"size": 1}},
            "images": {"a": {"type": "1d", "size": 1, "format": "r8_uint"}}}}"#;
        let both = LaunchFile::parse(both, Syntax::Json).unwrap_err().to_string();
        assert_eq!(both, "launch.images.a: a buffer has this name, too");
    }

    #[test]
    fn every_key_of_a_sampler() {
        let sampler = argument(
            r#"{"sampler": {"address": ["repeat", "mirror_clamp", "clamp_to_border"], "filter": "linear",
                "mip": "nearest", "normalized": true, "compare": "less", "border": "opaque_white", "min_lod": 1.5,
                "max_lod": 3, "lod_bias": -0.25}}"#,
        );
        let expected = Sampler {
            address: [Wrap::Repeat, Wrap::MirrorClamp, Wrap::ClampToBorder],
            linear: true,
            mip: MipFilter::Nearest,
            normalized: true,
            compare: 1,
            border: 2,
            min_lod: 384,
            max_lod: 768,
            lod_bias: -64,
        };
        assert_eq!(sampler, Ok(ArgValue::Sampler(expected)));
        assert_eq!(argument(r#"{"sampler": {}}"#), Ok(ArgValue::Sampler(Sampler::default())));
    }

    #[test]
    fn bad_samplers_and_descriptors_say_what_to_change() {
        for (arg, message) in [
            (
                r#"{"sampler": {"normalized": false, "address": "repeat"}}"#,
                "args[0].sampler: repeat needs coordinates from 0 to 1: with \"normalized\": false there are \
                 clamp_to_edge and clamp_to_border",
            ),
            (
                r#"{"sampler": {"normalized": false, "address": "mirrored_repeat"}}"#,
                "mirrored_repeat needs coordinates",
            ),
            (r#"{"sampler": {"address": "wrap"}}"#, "there is no address mode 'wrap' (there are clamp_to_edge, "),
            (r#"{"sampler": {"address": ["repeat", "repeat"]}}"#, "2 address modes: there are one or three"),
            (r#"{"sampler": {"filter": "bilinear"}}"#, "there is no filter 'bilinear' (there are nearest, linear)"),
            (r#"{"sampler": {"max_lod": 16}}"#, "max_lod: 16: it is 0 to 15"),
            (r#"{"sampler": {"normalised": true}}"#, "did you mean 'normalized'?"),
            (r#"{"sampler": {"normalized": 1}}"#, "the number 1 where true or false is expected"),
            (
                r#"{"struct": [{"image": "a"}]}"#,
                "'image' is an argument of its own; structures and buffers hold 'image_descriptor'",
            ),
            (r#"{"buffer_descriptor": {"buffer": "b", "stride": 16384}}"#, "room for 0 to 16383"),
            (r#"{"buffer_descriptor": {"buffer": "b", "format": "bc1_rgb_unorm_block"}}"#, "is no format of buffers"),
            (r#"{"buffer_descriptor": {"at": 4}}"#, "no 'buffer'"),
            (r#"{"imege": "a"}"#, "did you mean 'image'?"),
        ] {
            let found = argument(arg).unwrap_err();
            assert!(found.contains(message), "{found}");
        }
    }
}
