//! The layer tree as a flat list of leaves, each with what its folders do to it.

use std::ops::Range;
use std::sync::Arc;

use geom::IntRect;
use psd::{Blend, LayerKind, Mask};
use raster::Rgba;

use crate::{Note, notes};

/// Folders nested deeper than this are left out; Photoshop allows 10.
const MAX_DEPTH: usize = 100;

/// One layer with pixels, in the context of its folders.
pub(crate) struct Leaf {
    pub(crate) path: Vec<String>,
    pub(crate) name: String,
    pub(crate) photoshop_id: Option<u32>,
    /// Own times fill times folders.
    pub(crate) opacity: f64,
    pub(crate) blend: Blend,
    /// Its own eye; forced on by a PSDTool `!`.
    pub(crate) eye: bool,
    /// Own eye, every folder's, and those of what it is clipped to.
    pub(crate) visible: bool,
    pub(crate) rect: IntRect,
    pub(crate) image: Rgba,
    /// Why it has no pixels any more, where that is already told.
    pub(crate) gone: bool,
    pub(crate) own_mask: Option<Mask>,
    /// Masks of its folders.
    pub(crate) masks: Vec<Arc<Mask>>,
    /// What it is clipped to, innermost first.
    pub(crate) clips: Vec<Clip>,
}

/// One clipping: of the layer itself or of one of its folders.
#[derive(Clone)]
pub(crate) struct Clip {
    /// The base: one leaf, or all leaves of a folder.
    pub(crate) base: Range<usize>,
    /// Blend of the base as a whole.
    pub(crate) base_blend: Blend,
    /// Opacity of the base as a whole, without its folders'; already in the leaf's.
    pub(crate) base_opacity: f64,
    /// Opacity from the clipped sibling down to the leaf.
    pub(crate) opacity: f64,
}

/// The leaves bottom to top, with what had to be left out.
pub(crate) struct Walked {
    pub(crate) leaves: Vec<Leaf>,
    pub(crate) notes: Vec<Note>,
    pub(crate) folders: usize,
    pub(crate) others: usize,
}

/// Flattens a tree, moving the pixels out of it.
pub(crate) fn walk(layers: Vec<psd::Layer>) -> Walked {
    let psdtool = uses_psdtool(&layers, 0);
    let mut walker =
        Walker { psdtool, out: Walked { leaves: Vec::new(), notes: Vec::new(), folders: 0, others: 0 } };
    walker.siblings(layers, &Frame::root());
    walker.out
}

/// The file follows PSDTool: some name begins with `*`.
fn uses_psdtool(layers: &[psd::Layer], depth: usize) -> bool {
    layers.iter().any(|layer| {
        layer.name.starts_with('*')
            || matches!(&layer.kind, LayerKind::Group(children)
                if depth < MAX_DEPTH && uses_psdtool(children, depth + 1))
    })
}

/// What the folders above do to their children.
#[derive(Clone)]
struct Frame {
    path: Vec<String>,
    opacity: f64,
    visible: bool,
    blend: Blend,
    masks: Vec<Arc<Mask>>,
    clips: Vec<Clip>,
}

impl Frame {
    fn root() -> Self {
        Self {
            path: Vec::new(),
            opacity: 1.0,
            visible: true,
            blend: Blend::PassThrough,
            masks: Vec::new(),
            clips: Vec::new(),
        }
    }
}

struct Base {
    leaves: Range<usize>,
    blend: Blend,
    opacity: f64,
    eye: bool,
}

struct Walker {
    psdtool: bool,
    out: Walked,
}

impl Walker {
    fn siblings(&mut self, layers: Vec<psd::Layer>, frame: &Frame) {
        let mut base: Option<Base> = None;
        for layer in layers {
            let forced = self.psdtool && layer.name.starts_with('!') && !layer.visible;
            if forced {
                let message = format!("`{}` is always shown (PSDTool `!`) though its eye is off", layer.name);
                self.out.notes.push(notes::info("always-shown", None, message, "layers.visible"));
            }
            if self.psdtool && layer.name.contains(":flip") {
                let message = format!("`{}` serves a mirrored figure (PSDTool); none is made", layer.name);
                self.out.notes.push(notes::info("psdtool-flip", None, message, ""));
            }
            let eye = layer.visible || forced;
            let opacity = f64::from(layer.opacity) / 255.0 * (f64::from(layer.fill) / 255.0);
            let clipped = layer.clipping;
            let (start, blend) = (self.out.leaves.len(), layer.blend);
            let mut inner = frame.clone();
            inner.visible &= eye;
            inner.opacity *= opacity;
            inner.clips.iter_mut().for_each(|clip| clip.opacity *= opacity);
            if clipped {
                self.clip(&mut inner, base.as_ref(), opacity, &layer.name);
            }
            self.one(layer, eye, inner);
            if !clipped {
                base = Some(Base { leaves: start..self.out.leaves.len(), blend, opacity, eye });
            }
        }
    }

    /// Puts a clipped sibling under its base.
    fn clip(&mut self, frame: &mut Frame, base: Option<&Base>, opacity: f64, name: &str) {
        match base {
            Some(base) if !base.leaves.is_empty() => {
                frame.visible &= base.eye;
                frame.opacity *= base.opacity;
                let (base_blend, base_opacity) = (base.blend, base.opacity);
                frame.clips.insert(0, Clip { base: base.leaves.clone(), base_blend, base_opacity, opacity });
            }
            _ => {
                let message =
                    format!("`{name}` is clipped to nothing with pixels; it is drawn without clipping");
                self.out.notes.push(notes::warning("clipping-without-base", None, message, ""));
            }
        }
    }

    fn one(&mut self, layer: psd::Layer, eye: bool, mut frame: Frame) {
        match layer.kind {
            LayerKind::Group(children) => {
                self.out.folders += 1;
                if frame.path.len() >= MAX_DEPTH {
                    let message =
                        format!("folders nested deeper than {MAX_DEPTH} are left out, from `{}`", layer.name);
                    self.out.notes.push(notes::warning("too-deep", None, message, ""));
                    return;
                }
                if !matches!(layer.blend, Blend::PassThrough | Blend::Normal) {
                    frame.blend = layer.blend;
                }
                frame.path.push(layer.name);
                frame.masks.extend(layer.mask.map(Arc::new));
                let group = (layer.blend, layer.opacity, self.out.leaves.len());
                let name = frame.path.join("/");
                self.siblings(children, &frame);
                self.group_notes(group, &name);
            }
            LayerKind::Pixels(pixels) => {
                let blend = match layer.blend {
                    Blend::Normal | Blend::PassThrough => frame.blend,
                    other => other,
                };
                self.out.leaves.push(Leaf {
                    path: frame.path,
                    name: layer.name,
                    photoshop_id: layer.id,
                    opacity: frame.opacity,
                    blend,
                    eye,
                    visible: frame.visible,
                    rect: pixels.rect,
                    image: pixels.image,
                    gone: false,
                    own_mask: layer.mask,
                    masks: frame.masks,
                    clips: frame.clips,
                });
            }
            LayerKind::Effect(kind) => {
                self.out.others += 1;
                let message = format!("`{}` is a {kind} layer without pixels and is left out", layer.name);
                let note = if frame.visible { notes::warning } else { notes::info };
                self.out.notes.push(note("layer-without-pixels", None, message, ""));
            }
        }
    }

    /// Tells where a folder composites in a way that its separate leaves cannot.
    fn group_notes(&mut self, (blend, opacity, first): (Blend, u8, usize), name: &str) {
        let shown = || self.out.leaves[first..].iter().filter(|leaf| leaf.visible);
        let mut notes = Vec::new();
        if opacity < 255 && shown().count() > 1 {
            let message = format!("folder `{name}` is translucent as a whole; here each of its layers is");
            notes.push(notes::warning("group-opacity", None, message, ""));
        }
        match blend {
            Blend::PassThrough => {}
            Blend::Normal => {
                if shown().any(|leaf| !matches!(leaf.blend, Blend::Normal | Blend::PassThrough)) {
                    let message = format!(
                        "folder `{name}` confines the blend modes of its layers; here they reach below"
                    );
                    notes.push(notes::info("group-isolation", None, message, ""));
                }
            }
            _ => {
                let message = format!("folder `{name}` blends as a whole; here each of its layers does");
                notes.push(notes::warning("group-blend", None, message, ""));
            }
        }
        self.out.notes.append(&mut notes);
    }
}
