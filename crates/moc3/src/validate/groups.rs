//! Draw order groups (MOC3_FORMAT 6.9).

use super::Faults;
use crate::Version;
use crate::model::order::truncate;
use crate::model::{DrawOrderObject, DrawOrderRange, Model};
use crate::path::Path;

/// Links must be sound.
pub(super) fn check(model: &Model, faults: &mut Faults) {
    if model.groups.is_empty() {
        if !model.drawables.is_empty() {
            faults.warning("groups", "is empty: drawables have no render order");
        }
        return;
    }
    let mut drawables = vec![0usize; model.drawables.len()];
    let mut groups = vec![0usize; model.groups.len()];
    groups[0] = 1;
    for (index, group) in model.groups.iter().enumerate() {
        let path = Path::group(index);
        if group.objects.is_empty() {
            faults.warning(path.with("objects"), "is empty");
        }
        let range = model.draw_order_range(group);
        for (place, object) in group.objects.iter().enumerate() {
            match *object {
                DrawOrderObject::Drawable(drawable) => drawables[drawable] += 1,
                DrawOrderObject::Part { group, .. } => group.into_iter().for_each(|group| groups[group] += 1),
            }
            let (reach, name) = reach(model, *object);
            if reach.min < range.min || reach.max > range.max {
                let message = format!(
                    "{name} reaches draw orders {} to {}, the group is bounded to {} to {}: the Core crashes",
                    reach.min, reach.max, range.min, range.max
                );
                faults.error(path.with(&format!("objects[{place}]")), message);
            }
        }
    }
    counts(&drawables, |index| Path::drawable(model, index), faults);
    counts(&groups, Path::group, faults);
}

/// Every drawable and group has one place.
fn counts(counts: &[usize], path: impl Fn(usize) -> Path, faults: &mut Faults) {
    for (index, count) in counts.iter().enumerate() {
        match count {
            0 => faults.warning(path(index).text(), "is in no draw order group"),
            1 => {}
            _ => faults.error(path(index).text(), format!("is in {count} draw order groups")),
        }
    }
}

/// The draw orders that an object can take, and its name.
fn reach(model: &Model, object: DrawOrderObject) -> (DrawOrderRange, String) {
    match object {
        DrawOrderObject::Drawable(index) => {
            let drawable = &model.drawables[index];
            let orders = drawable.keyforms.iter().map(|form| form.draw_order);
            let deltas =
                drawable.blends.iter().map(|blend| extremes(blend.deltas.iter().map(|d| d.draw_order)));
            (bounds(model, orders, deltas), Path::drawable(model, index).text().to_owned())
        }
        DrawOrderObject::Part { part: index, .. } => {
            let part = &model.parts[index];
            let orders = part.keyforms.iter().map(|form| form.draw_order);
            let deltas = part.blends.iter().map(|blend| extremes(blend.deltas.iter().map(|d| d.draw_order)));
            (bounds(model, orders, deltas), Path::part(model, index).text().to_owned())
        }
    }
}

fn bounds(
    model: &Model,
    orders: impl Iterator<Item = f32>,
    deltas: impl Iterator<Item = (f64, f64)>,
) -> DrawOrderRange {
    let (min, max) = orders
        .map(f64::from)
        .fold((f64::INFINITY, f64::NEG_INFINITY), |(min, max), order| (min.min(order), max.max(order)));
    let mut blended = None;
    for (down, up) in deltas {
        let (low, high) = blended.unwrap_or((f64::from(truncate(min)), f64::from(truncate(max))));
        blended = Some((low + down, high + up));
    }
    let (min, max) = match blended.filter(|_| model.version >= Version::V50) {
        Some((low, high)) => (low.clamp(0.0, 1000.0), high.clamp(0.0, 1000.0)),
        None => (min, max),
    };
    DrawOrderRange { min: truncate(min), max: truncate(max) }
}

/// Smallest and largest of the values and 0.
fn extremes(values: impl Iterator<Item = f32>) -> (f64, f64) {
    values.map(f64::from).fold((0.0, 0.0), |(min, max), value| (min.min(value), max.max(value)))
}
