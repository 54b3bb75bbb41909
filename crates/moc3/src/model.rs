//! A model as objects with references by index.

mod axes;
mod cells;
mod colors;
pub(crate) mod order;
mod read;
pub(crate) mod requirements;
mod write;

use crate::blend::{ExtendedBlend, Flags};
use crate::canvas::Canvas;
use crate::validate::{self, Fault, Severity};
use crate::{Error, File, Version};

pub(crate) use axes::AxisTable;

/// A whole model. Objects refer to each other by their index in these lists.
///
/// Positions are in the space of the parent deformer (MOC3_FORMAT 7.5), y down.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    /// Version it is written as and evaluated like.
    pub version: Version,
    /// Canvas.
    pub canvas: Canvas,
    /// Parameters.
    pub parameters: Vec<Parameter>,
    /// Parts, parents before their children.
    pub parts: Vec<Part>,
    /// Deformers, parents before their children.
    pub deformers: Vec<Deformer>,
    /// Drawables, in the file's order (which is not the drawing order).
    pub drawables: Vec<Drawable>,
    /// Glues, in the order in which they act.
    pub glues: Vec<Glue>,
    /// Draw order groups; the first is the root.
    pub groups: Vec<DrawOrderGroup>,
    /// Offscreens; version 5.3 only.
    pub offscreens: Vec<Offscreen>,
}

impl Model {
    /// A model without objects.
    pub fn new(version: Version, canvas: Canvas) -> Self {
        Self {
            version,
            canvas,
            parameters: Vec::new(),
            parts: Vec::new(),
            deformers: Vec::new(),
            drawables: Vec::new(),
            glues: Vec::new(),
            groups: Vec::new(),
            offscreens: Vec::new(),
        }
    }
    /// Reads a file. Memory is bounded by a multiple of the size of `bytes`.
    ///
    /// # Errors
    /// Those of [`File::read`] and [`Self::from_file`].
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        Self::from_file(&File::read(bytes)?)
    }
    /// Resolves the tables of a file.
    ///
    /// # Errors
    /// When a row points outside its table, an id is not text, or shared rows unfold out of proportion.
    pub fn from_file(file: &File) -> Result<Self, Error> {
        read::read(file)
    }
    /// Writes the model as its version.
    ///
    /// # Errors
    /// When it is not valid ([`Error::Invalid`]) or uses what the version cannot hold ([`Error::NotInVersion`]).
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        self.to_file()?.write()
    }
    /// Builds the tables: bindings shared in order of first use, binding 0 empty (MOC3_FORMAT 6).
    ///
    /// # Errors
    /// Those of [`Self::to_bytes`].
    pub fn to_file(&self) -> Result<File, Error> {
        requirements::check_stored(self, self.version)?;
        let mut faults = self.validate();
        faults.retain(|fault| fault.severity == Severity::Error);
        if faults.is_empty() { write::write(self) } else { Err(Error::Invalid(faults)) }
    }
    /// All faults of the model, in the order of its lists.
    pub fn validate(&self) -> Vec<Fault> {
        validate::all(self)
    }
    /// The lowest version that holds what is used: 4.0 without colours, blend shapes and extended blending.
    pub fn lowest_version(&self) -> Version {
        requirements::lowest(self)
    }
    /// Checks that `version` holds what is used.
    ///
    /// # Errors
    /// [`Error::NotInVersion`] naming the first object that needs a later one.
    pub fn check_version(&self, version: Version) -> Result<(), Error> {
        requirements::check(self, version)
    }
    /// Sets the version: the forced one, or else the lowest that holds what is used.
    ///
    /// # Errors
    /// When the forced version does not hold what is used.
    pub fn set_version(&mut self, forced: Option<Version>) -> Result<(), Error> {
        let version = forced.unwrap_or_else(|| self.lowest_version());
        self.check_version(version)?;
        self.version = version;
        Ok(())
    }
    /// The group a draw order range belongs to; see [`DrawOrderGroup::range`].
    pub fn draw_order_range(&self, group: &DrawOrderGroup) -> DrawOrderRange {
        group.range.unwrap_or_else(|| order::derive_range(self, group))
    }
}

/// A value that moves the model.
#[derive(Clone, Debug, PartialEq)]
pub struct Parameter {
    /// Id.
    pub id: String,
    /// Smallest value.
    pub minimum: f32,
    /// Largest value.
    pub maximum: f32,
    /// Value at rest.
    pub default: f32,
    /// Wraps instead of being clamped.
    pub repeat: bool,
    /// Keys snap within 0.1 to this power; 3 as the editor writes it.
    pub decimals: u32,
    /// What it drives.
    pub kind: ParameterKind,
}

/// What a parameter drives; never both.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ParameterKind {
    /// Axes of keyforms.
    #[default]
    Normal,
    /// Blend shapes.
    BlendShape,
}

/// One axis of an object's keyforms. The first axis of an object varies fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Index of the parameter.
    pub parameter: usize,
    /// Strictly ascending; outside of them the object hides.
    pub keys: Vec<f32>,
}

/// A node of the part tree.
#[derive(Clone, Debug, PartialEq)]
pub struct Part {
    /// Id.
    pub id: String,
    /// Index of the parent part.
    pub parent: Option<usize>,
    /// Without it the part starts with opacity 0.
    pub visible: bool,
    /// Without it the part and all inside never shows.
    pub enabled: bool,
    /// Axes.
    pub axes: Vec<Axis>,
    /// One per cell of the axes.
    pub keyforms: Vec<PartKeyform>,
    /// Blend shapes.
    pub blends: Vec<Blend<PartKeyform>>,
}

/// One keyform of a part.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PartKeyform {
    /// Draw order among the objects of the enclosing group, normally 500.
    pub draw_order: f32,
}

/// A space that moves what is inside.
#[derive(Clone, Debug, PartialEq)]
pub struct Deformer {
    /// Id.
    pub id: String,
    /// Index of the part it is listed in.
    pub parent_part: Option<usize>,
    /// Index of the deformer whose space it lives in.
    pub parent: Option<usize>,
    /// Ignored by the Core.
    pub visible: bool,
    /// Without it all inside is hidden.
    pub enabled: bool,
    /// Axes.
    pub axes: Vec<Axis>,
    /// Warp or rotation.
    pub kind: DeformerKind,
}

/// What a deformer does.
#[derive(Clone, Debug, PartialEq)]
pub enum DeformerKind {
    /// A lattice.
    Warp(Warp),
    /// A turning frame.
    Rotation(Rotation),
}

/// A lattice; children live in its normalised coordinates, (0,0) top left to (1,1) bottom right.
#[derive(Clone, Debug, PartialEq)]
pub struct Warp {
    /// Cells vertically, at least 1.
    pub rows: usize,
    /// Cells horizontally, at least 1.
    pub columns: usize,
    /// Bilinear inside the cells; two triangles per cell otherwise.
    pub bilinear: bool,
    /// One per cell of the axes.
    pub keyforms: Vec<WarpKeyform>,
    /// Blend shapes.
    pub blends: Vec<Blend<WarpKeyform>>,
}

impl Warp {
    /// Number of lattice points.
    pub fn points(&self) -> usize {
        self.rows.saturating_add(1).saturating_mul(self.columns.saturating_add(1))
    }
}

/// One keyform of a warp, or one delta of its blend shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct WarpKeyform {
    /// Multiplies what is inside.
    pub opacity: f32,
    /// Lattice points, row by row from the top, left to right.
    pub positions: Vec<[f32; 2]>,
    /// Colours.
    pub colors: Colors,
}

/// A turning frame; children are offsets from its pivot.
#[derive(Clone, Debug, PartialEq)]
pub struct Rotation {
    /// Degrees added to every keyform's angle.
    pub base_angle: f32,
    /// One per cell of the axes.
    pub keyforms: Vec<RotationKeyform>,
    /// Blend shapes.
    pub blends: Vec<Blend<RotationKeyform>>,
}

/// One keyform of a rotation, or one delta of its blend shapes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RotationKeyform {
    /// Multiplies what is inside.
    pub opacity: f32,
    /// Degrees, clockwise on screen.
    pub angle: f32,
    /// Pivot in the parent's space.
    pub origin: [f32; 2],
    /// Scale; the first rotation on a path from the root carries 1 / pixels per unit (MOC3_FORMAT 7.5).
    pub scale: f32,
    /// Mirrors the child's x.
    pub reflect_x: bool,
    /// Mirrors the child's y.
    pub reflect_y: bool,
    /// Colours.
    pub colors: Colors,
}

/// A textured mesh.
#[derive(Clone, Debug, PartialEq)]
pub struct Drawable {
    /// Id.
    pub id: String,
    /// Index of the part it belongs to.
    pub parent_part: Option<usize>,
    /// Index of the deformer whose space its vertices are in.
    pub parent_deformer: Option<usize>,
    /// Ignored by the Core.
    pub visible: bool,
    /// Without it the drawable never shows.
    pub enabled: bool,
    /// Index of the texture page.
    pub texture: u32,
    /// Flags byte.
    pub flags: Flags,
    /// Extended blending (version 5.3); `None` blends as the flags say.
    pub extended_blend: Option<ExtendedBlend>,
    /// Texture coordinates, one per vertex, v from the top.
    pub uvs: Vec<[f32; 2]>,
    /// Vertex indices, three per triangle.
    pub indices: Vec<u16>,
    /// Indices of the drawables whose united alpha clips this one.
    pub masks: Vec<usize>,
    /// Axes.
    pub axes: Vec<Axis>,
    /// One per cell of the axes.
    pub keyforms: Vec<DrawableKeyform>,
    /// Blend shapes.
    pub blends: Vec<Blend<DrawableKeyform>>,
}

/// One keyform of a drawable, or one delta of its blend shapes.
#[derive(Clone, Debug, PartialEq)]
pub struct DrawableKeyform {
    /// Opacity.
    pub opacity: f32,
    /// Draw order, normally 500.
    pub draw_order: f32,
    /// Vertex positions in the parent deformer's space, one per vertex.
    pub positions: Vec<[f32; 2]>,
    /// Colours.
    pub colors: Colors,
}

/// Multiply and screen colour of a keyform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Colors {
    /// Red, green, blue factors.
    pub multiply: [f32; 3],
    /// Red, green, blue of the screen colour.
    pub screen: [f32; 3],
}

impl Colors {
    /// Changes nothing.
    pub const NEUTRAL: Self = Self { multiply: [1.0; 3], screen: [0.0; 3] };
    /// Adds nothing: the neutral value of blend shape deltas.
    pub const ZERO: Self = Self { multiply: [0.0; 3], screen: [0.0; 3] };
}

impl Default for Colors {
    fn default() -> Self {
        Self::NEUTRAL
    }
}

/// Differences added to an object's keyforms along one parameter (MOC3_FORMAT 6.12).
#[derive(Clone, Debug, PartialEq)]
pub struct Blend<K> {
    /// Index of the driving parameter, of kind [`ParameterKind::BlendShape`].
    pub parameter: usize,
    /// Strictly ascending.
    pub keys: Vec<f32>,
    /// Index of the key that contributes nothing.
    pub base: usize,
    /// One per key, the one of the base key zero; reflections false.
    pub deltas: Vec<K>,
    /// The smallest limit counts.
    pub limits: Vec<Limit>,
}

/// Limits the weight of a blend shape by another parameter: piecewise linear, clamped at the ends.
#[derive(Clone, Debug, PartialEq)]
pub struct Limit {
    /// Index of the limiting parameter.
    pub parameter: usize,
    /// Value and weight, ascending by value.
    pub points: Vec<LimitPoint>,
}

/// One point of a limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitPoint {
    /// Parameter value.
    pub value: f32,
    /// Weight there.
    pub weight: f32,
}

/// Welds vertices of two drawables.
#[derive(Clone, Debug, PartialEq)]
pub struct Glue {
    /// Id.
    pub id: String,
    /// Index of the first drawable.
    pub drawable_a: usize,
    /// Index of the second drawable.
    pub drawable_b: usize,
    /// Welded pairs, in the order in which they act.
    pub pairs: Vec<GluePair>,
    /// Axes.
    pub axes: Vec<Axis>,
    /// One per cell of the axes.
    pub keyforms: Vec<GlueKeyform>,
    /// Blend shapes.
    pub blends: Vec<Blend<GlueKeyform>>,
}

/// A welded pair of vertices.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GluePair {
    /// Vertex of the first drawable.
    pub vertex_a: u16,
    /// Vertex of the second drawable.
    pub vertex_b: u16,
    /// How far the first moves to the second, 0..=1.
    pub weight_a: f32,
    /// How far the second moves to the first, 0..=1.
    pub weight_b: f32,
}

/// One keyform of a glue.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GlueKeyform {
    /// Strength, 0..=1.
    pub intensity: f32,
}

/// Objects drawn together (MOC3_FORMAT 6.9).
#[derive(Clone, Debug, PartialEq)]
pub struct DrawOrderGroup {
    /// Back to front where draw orders tie.
    pub objects: Vec<DrawOrderObject>,
    /// Bounds of every draw order that a direct child can take; `None` derives them from the keyforms.
    ///
    /// The Core crashes on draw orders outside of them.
    pub range: Option<DrawOrderRange>,
}

/// A child of a draw order group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DrawOrderObject {
    /// A drawable, by index.
    Drawable(usize),
    /// A part that is grouped by draw order.
    Part {
        /// Index of the part.
        part: usize,
        /// Index of the group that holds its contents.
        group: Option<usize>,
    },
}

/// Bounds of draw orders, both included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawOrderRange {
    /// Smallest.
    pub min: i32,
    /// Largest.
    pub max: i32,
}

/// A part drawn into a picture of its own, then composed (MOC3_FORMAT 6.13).
#[derive(Clone, Debug, PartialEq)]
pub struct Offscreen {
    /// Index of the part that owns it.
    pub owner: usize,
    /// Flags byte.
    pub flags: Flags,
    /// How it is composed.
    pub blend: ExtendedBlend,
    /// Indices of the drawables that clip it.
    pub masks: Vec<usize>,
    /// One per keyform of the owner; `None` where the file maps none.
    pub keyforms: Vec<Option<OffscreenKeyform>>,
}

/// One keyform of an offscreen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct OffscreenKeyform {
    /// Opacity.
    pub opacity: f32,
    /// Colours.
    pub colors: Colors,
}
