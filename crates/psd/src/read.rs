//! PSD and PSB bytes to a [`Document`].
//!
//! The order of the file is the order here: header, palette, image resources, layer records, their channels, the
//! merged image. Records are parsed first and checked against the limits; only then are pixels decoded, in parallel
//! over layers and strips of rows, each layer alone in its own rectangle.

mod blocks;
mod color;
mod cursor;
mod header;
mod layer;
mod mask;
mod merged;
mod name;
mod pixels;
mod record;
mod resources;
mod section;
mod tree;

use crate::{ColorMode, Document, Error, Limits};
use color::Converter;
use cursor::Cursor;
pub use header::Header;
use resources::Resources;
use tree::Notices;

/// The header alone: cheap, for a look at what a file is. Needs the first 26 bytes only.
///
/// # Errors
/// Not a PSD, an unknown version, or fields outside what the format allows.
pub fn probe(bytes: &[u8]) -> Result<Header, Error> {
    Header::read(&mut Cursor::new(bytes, "the header"))
}

/// The whole file as a layer tree of 8-bit RGBA.
///
/// A file without layers gives one layer "Background" from its merged image. 16-bit samples are rounded to
/// `x * 255 / 65535`. 32-bit samples are taken as display values, not as linear light: `x * 256`, cut off, 0..=255
/// (what psd-tools shows); a notice says so. CMYK and Lab are converted without colour profiles, with a notice;
/// indexed, bitmap and duotone become what they look like (duotone: its grey). No colour profile is applied.
///
/// # Errors
/// Damaged or cut files, multichannel files, and whatever is over the limits.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Document, Error> {
    let mut cursor = Cursor::new(bytes, "the header");
    let header = Header::read(&mut cursor)?;
    header.check(limits)?;
    let mut file = Cursor::new(bytes, "the file");
    file.skip(26);
    let length = file.length(false)?;
    let palette = file.section(length, "the colour mode data")?.rest();
    let length = file.length(false)?;
    let resources = Resources::read(file.section(length, "the image resources")?);
    let section = section::read(&mut file, &header, limits)?;

    let mut notices = Notices::default();
    tell(&header, &resources, &mut notices);
    let converter = Converter::new(header.mode, palette, resources.transparent_index)
        .ok_or(Error::UnsupportedMode { mode: header.mode, depth: header.depth })?;
    let layers = if section.records.is_empty() {
        let alpha = merged::alpha_channel(&header, &resources, &section);
        vec![merged::background(file, &header, &converter, alpha, limits, &mut notices)?]
    } else {
        if !merged::is_there(file) {
            let message = "the merged image behind the layers is missing or damaged";
            notices.push("merged-image-damaged", Vec::new(), message.into());
        }
        tree::build(&section.records, &header, &converter, limits, &mut notices)?
    };
    Ok(Document {
        width: header.width,
        height: header.height,
        mode: header.mode,
        depth: header.depth,
        layers,
        notices: notices.into_list(),
    })
}

/// Notices on the whole file.
fn tell(header: &Header, resources: &Resources, notices: &mut Notices) {
    let mut say = |code, message: &str| notices.push(code, Vec::new(), message.into());
    match header.mode {
        ColorMode::Rgb | ColorMode::Grayscale | ColorMode::Bitmap | ColorMode::Indexed => {}
        ColorMode::Cmyk => say("color-converted", "CMYK was converted to RGB without a colour profile"),
        ColorMode::Lab => say("color-converted", "Lab was converted to sRGB"),
        ColorMode::Duotone => say("color-converted", "duotone inks were ignored: the picture is grey"),
        ColorMode::Multichannel => {}
    }
    match header.depth {
        16 => say("depth-reduced", "16 bits per channel were rounded to 8"),
        32 => say("depth-reduced", "32-bit samples were taken as display values and cut to 8 bits"),
        _ => {}
    }
    if resources.damaged {
        say("resources-damaged", "the image resources are damaged; what they say was not all read");
    }
    if resources.foreign_profile {
        say("color-profile-ignored", "the file's colour profile is not sRGB and was not applied");
    }
}
