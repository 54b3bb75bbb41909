//! What a bake gives, and putting it into a puppet.

use geom::{Point, Rect};
use puppet::{
    Channels, Deformer, DeformerId, DeformerKind, DrawableId, Grid, Parameter, ParameterGroup, ParameterKind,
    PartId, Puppet, Rotation, RotationForm,
};
use serde::{Deserialize, Serialize};

/// The objects that one limb owns; every other patch owns others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Patch {
    /// Turning frames, parents first. The first stands in the host, every other one in an earlier one.
    pub frames: Vec<Frame>,
    /// New forms of the limb's drawables.
    pub skins: Vec<Skin>,
    /// Parameters that the limb adds, in display order.
    pub parameters: Vec<BoneParameter>,
    /// Ranges that were made smaller: parameter, wanted, given.
    pub narrowed: Vec<Narrowed>,
}

/// A rotation deformer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Id.
    pub id: DeformerId,
    /// Shown name.
    pub name: String,
    /// The frame it stands in; `None` for the host.
    pub parent: Option<DeformerId>,
    /// Its forms. Pivots of a frame in the host are canvas pixels.
    pub forms: Grid<RotationForm>,
}

/// Forms of a drawable.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Skin {
    /// The drawable.
    pub drawable: DrawableId,
    /// The frame it hangs in.
    pub home: DeformerId,
    /// Vertex positions in that frame.
    pub forms: Grid<Vec<Point>>,
}

/// A parameter of a limb.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct BoneParameter {
    /// Id.
    pub id: String,
    /// Shown name.
    pub name: String,
    /// Smallest and largest value; it rests at 0.
    pub range: (f64, f64),
    /// A pendulum drives it.
    pub swings: bool,
}

/// A range that would have folded a mesh.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Narrowed {
    /// The bone's parameter.
    pub parameter: String,
    /// Degrees wanted.
    pub wanted: (f64, f64),
    /// Degrees given.
    pub given: (f64, f64),
}

/// Where limbs hang: a warp whose children are written in a canvas frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Host {
    /// The deformer; `None` for the canvas.
    pub deformer: Option<DeformerId>,
    /// Canvas box that is 0..1 in it.
    pub frame: Rect,
    /// The part limbs are listed in.
    pub part: PartId,
}

/// Id of the folder of bone parameters.
pub const FOLDER: &str = "ParamGroupSkeleton";
/// Folder of bone parameters, with its shown name.
const BONES: (&str, &str) = (FOLDER, "Skeleton");
/// Folder of what pendulums drive.
const PHYSICS: (&str, &str) = ("ParamGroupPhysics", "Physics");

/// Puts a limb into a puppet. Drawables that the puppet does not have (any more) are passed over.
pub fn apply(puppet: &mut Puppet, patch: Patch, host: &Host) {
    for frame in patch.frames {
        let stands = frame.parent.is_none();
        let forms = frame.forms.map(|form| {
            let local = stands && host.deformer.is_some();
            RotationForm { pivot: if local { host.frame.norm(form.pivot) } else { form.pivot }, ..*form }
        });
        puppet.deformers.push(Deformer {
            id: frame.id,
            name: frame.name,
            part: Some(host.part.clone()),
            parent: frame.parent.or_else(|| host.deformer.clone()),
            kind: DeformerKind::Rotation(Rotation { base_angle: 0.0, forms }),
            channels: Channels::default(),
        });
    }
    for skin in patch.skins {
        if let Some(drawable) = puppet.drawables.iter_mut().find(|d| d.id == skin.drawable) {
            drawable.deformer = Some(skin.home);
            drawable.forms = skin.forms;
        }
    }
    for parameter in patch.parameters {
        add(puppet, parameter);
    }
}

fn add(puppet: &mut Puppet, parameter: BoneParameter) {
    if puppet.parameters.iter().any(|p| p.id.as_str() == parameter.id) {
        return;
    }
    let (group, name) = if parameter.swings { PHYSICS } else { BONES };
    let filled = |id: &str| puppet.parameters.iter().rposition(|p| p.group == id);
    // Bones stand before what pendulums drive and before switches; either goes behind its like.
    let later = |p: &Parameter| p.group == PHYSICS.0 || p.group == "ParamGroupSwitches";
    let before = puppet.parameters.iter().position(later).unwrap_or(puppet.parameters.len());
    let at = filled(group).map_or(if parameter.swings { puppet.parameters.len() } else { before }, |i| i + 1);
    puppet.parameters.insert(
        at,
        Parameter {
            id: parameter.id.as_str().into(),
            name: parameter.name,
            min: parameter.range.0,
            max: parameter.range.1,
            default: 0.0,
            kind: ParameterKind::Normal,
            repeat: false,
            group: group.to_owned(),
        },
    );
    if !puppet.parameter_groups.iter().any(|g| g.id == group) {
        let later = |g: &ParameterGroup| g.id == PHYSICS.0 || g.id == "ParamGroupSwitches";
        let end = puppet.parameter_groups.len();
        let at = puppet.parameter_groups.iter().position(later).unwrap_or(end);
        puppet.parameter_groups.insert(at, ParameterGroup { id: group.to_owned(), name: name.to_owned() });
    }
}
