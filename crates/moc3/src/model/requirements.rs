//! Which version holds what a model uses.

use super::{Blend, Colors, Deformer, DeformerKind, Drawable, Model, ParameterKind};
use crate::blend::ExtendedBlend;
use crate::path::Path;
use crate::{Error, Version};

/// The lowest version from 4.0 on that holds everything and plays it as later ones do.
pub(crate) fn lowest(model: &Model) -> Version {
    let candidates = [Version::V40, Version::V42, Version::V50];
    let fits = |version: &Version| check(model, *version).is_ok();
    candidates.into_iter().find(fits).unwrap_or(Version::V53)
}

/// Everything can be stored in `version` and is played there.
pub(crate) fn check(model: &Model, version: Version) -> Result<(), Error> {
    check_stored(model, version)?;
    if version == Version::V42 {
        return ignored_delta(model).map_or(Ok(()), |path| Err(error(path, Version::V50, version)));
    }
    Ok(())
}

/// Everything can be stored in `version`.
pub(crate) fn check_stored(model: &Model, version: Version) -> Result<(), Error> {
    let needs = |needs: Version, find: &dyn Fn(&Model) -> Option<String>| {
        if version >= needs {
            return Ok(());
        }
        find(model).map_or(Ok(()), |path| Err(error(path, needs, version)))
    };
    needs(Version::V53, &extended)?;
    needs(Version::V50, &later_blend)?;
    needs(Version::V42, &colors_or_blend)?;
    needs(Version::V33, &bilinear)
}

/// A channel of a blend shape that version 4.2 stores but does not play.
pub(crate) fn ignored_delta(model: &Model) -> Option<String> {
    let warp = |deformer: &Deformer| match &deformer.kind {
        DeformerKind::Warp(warp) => {
            deltas(&warp.blends).any(|delta| delta.opacity != 0.0 || delta.colors != Colors::ZERO)
        }
        DeformerKind::Rotation(_) => false,
    };
    let drawable = |drawable: &Drawable| {
        let ignored = |(opacity, order, colors)| opacity != 0.0 || order != 0.0 || colors != Colors::ZERO;
        deltas(&drawable.blends).any(|delta| ignored((delta.opacity, delta.draw_order, delta.colors)))
    };
    let tail = "blend shapes of opacity, draw order or colours";
    first(&model.deformers, warp, |index| Path::deformer(model, index).with(tail))
        .or_else(|| first(&model.drawables, drawable, |index| Path::drawable(model, index).with(tail)))
}

fn error(path: String, needs: Version, version: Version) -> Error {
    Error::NotInVersion { path, needs, version }
}

fn first<T>(list: &[T], found: impl Fn(&T) -> bool, path: impl Fn(usize) -> String) -> Option<String> {
    list.iter().position(found).map(path)
}

fn deltas<K>(blends: &[Blend<K>]) -> impl Iterator<Item = &K> {
    blends.iter().flat_map(|blend| &blend.deltas)
}

/// Version 5.3: extended blending and offscreens.
fn extended(model: &Model) -> Option<String> {
    let own = |drawable: &Drawable| {
        drawable.extended_blend.is_some_and(|blend| blend != ExtendedBlend::from(drawable.flags.blend()))
    };
    first(&model.offscreens, |_| true, |index| Path::offscreen(index).with("offscreen drawing")).or_else(
        || first(&model.drawables, own, |index| Path::drawable(model, index).with("extended blending")),
    )
}

/// Version 5.0: blend shapes on parts, rotations and glues.
fn later_blend(model: &Model) -> Option<String> {
    let rotation = |deformer: &Deformer| match &deformer.kind {
        DeformerKind::Warp(_) => false,
        DeformerKind::Rotation(rotation) => !rotation.blends.is_empty(),
    };
    let tail = "blend shapes";
    first(&model.parts, |part| !part.blends.is_empty(), |index| Path::part(model, index).with(tail))
        .or_else(|| first(&model.deformers, rotation, |index| Path::deformer(model, index).with(tail)))
        .or_else(|| {
            first(&model.glues, |glue| !glue.blends.is_empty(), |index| Path::glue(model, index).with(tail))
        })
}

/// Version 4.2: colours and blend shapes.
fn colors_or_blend(model: &Model) -> Option<String> {
    let tail = "colours or blend shapes";
    let parameter = |parameter: &super::Parameter| parameter.kind == ParameterKind::BlendShape;
    let deformer = |deformer: &Deformer| match &deformer.kind {
        DeformerKind::Warp(warp) => {
            !warp.blends.is_empty() || warp.keyforms.iter().any(|form| colored(form.colors))
        }
        DeformerKind::Rotation(rotation) => rotation.keyforms.iter().any(|form| colored(form.colors)),
    };
    let drawable = |drawable: &Drawable| {
        !drawable.blends.is_empty() || drawable.keyforms.iter().any(|form| colored(form.colors))
    };
    first(&model.parameters, parameter, |index| Path::parameter(model, index).with(tail))
        .or_else(|| first(&model.deformers, deformer, |index| Path::deformer(model, index).with(tail)))
        .or_else(|| first(&model.drawables, drawable, |index| Path::drawable(model, index).with(tail)))
}

fn colored(colors: Colors) -> bool {
    colors != Colors::NEUTRAL
}

/// Version 3.3: bilinear warps.
fn bilinear(model: &Model) -> Option<String> {
    let bilinear = |deformer: &Deformer| matches!(&deformer.kind, DeformerKind::Warp(warp) if warp.bilinear);
    first(&model.deformers, bilinear, |index| Path::deformer(model, index).with("bilinear warping"))
}
