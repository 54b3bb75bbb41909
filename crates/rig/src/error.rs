//! What can go wrong.

/// Why there is no rig.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// No layer has visible pixels.
    #[error("no layer has visible pixels: show at least one layer of the art")]
    Empty,
    /// Images and members do not belong together.
    #[error("{images} images for {members} layers")]
    Images {
        /// Images given.
        images: usize,
        /// Members of the cast.
        members: usize,
    },
    /// The canvas has no size.
    #[error("the canvas is {width} x {height} pixels")]
    Canvas {
        /// Width.
        width: u32,
        /// Height.
        height: u32,
    },
    /// A setting is out of range.
    #[error("rig.{key} is {value}, it must be {expected}")]
    Setting {
        /// Key.
        key: &'static str,
        /// Value given.
        value: f64,
        /// What is accepted.
        expected: &'static str,
    },
    /// A layer could not be meshed.
    #[error("layer \"{layer}\": {source}")]
    Mesh {
        /// Layer name.
        layer: String,
        /// Cause.
        source: mesh::Error,
    },
    /// The puppet has faults that no packer could write.
    #[error("the puppet cannot be packed: {}", faults(.0))]
    Puppet(Vec<puppet::validate::Fault>),
}

fn faults(faults: &[puppet::validate::Fault]) -> String {
    let shown: Vec<String> = faults.iter().take(5).map(|f| format!("{}: {}", f.path, f.message)).collect();
    let more = if faults.len() > 5 { format!(" and {} more", faults.len() - 5) } else { String::new() };
    shown.join("; ") + &more
}
