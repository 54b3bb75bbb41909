//! Drawn tilt of the head (RIG 3.1).

use geom::{Point, maths};

use crate::anchors::{EYE_TAGS, MOUTH_TAGS, shows};
use crate::{Anchors, HeadTilt, Member, Side, Tag};

const BASELINES: [(Tag, f64); 6] = [
    (Tag::Eyewhite, 6.0),
    (Tag::Irides, 5.0),
    (Tag::Eyelash, 4.0),
    (Tag::Eyebrow, 3.0),
    (Tag::EyeClose, 2.0),
    (Tag::Ears, 1.0),
];
const LARGEST: f64 = 45.0;
const DEAD_ZONE: f64 = 0.25;

/// Estimates the tilt from eye lines, else from the line between eyes and mouth; `fixed` overrides it.
pub(crate) fn estimate(members: &[Member], anchors: &Anchors, fixed: Option<f64>) -> HeadTilt {
    let degrees = match fixed.filter(|degrees| degrees.is_finite()) {
        Some(degrees) => degrees.clamp(-LARGEST, LARGEST),
        None => {
            let mut lines = baselines(members, anchors);
            if lines.is_empty() {
                lines.extend(vertical(members, anchors));
            }
            let degrees = agreed(lines);
            if degrees.abs() < DEAD_ZONE { 0.0 } else { degrees }
        }
    };
    HeadTilt { degrees, pivot: anchors.face_center }
}

/// `(angle, weight)` of every pair whose line tells something.
fn baselines(members: &[Member], anchors: &Anchors) -> Vec<(f64, f64)> {
    let width = anchors.face.width().max(1.0);
    let line = |&(tag, base): &(Tag, f64)| {
        let of_tag: Vec<&Member> = members.iter().filter(|m| m.tag == tag && shows(m)).collect();
        let (a, b) = ends(&of_tag)?;
        let (a, b) = if a.x <= b.x { (a, b) } else { (b, a) };
        let (dx, dy) = (b.x - a.x, b.y - a.y);
        let degrees = maths::atan2(dy, dx).to_degrees();
        let tells = dx >= 0.08 * width && degrees.abs() <= LARGEST;
        tells.then(|| (degrees, base * (dx / width).clamp(0.2, 1.0)))
    };
    BASELINES.iter().filter_map(line).collect()
}

fn ends(members: &[&Member]) -> Option<(Point, Point)> {
    if members.len() < 2 {
        return None;
    }
    let side = |side: Side| weighted_center(members.iter().copied().filter(|m| m.side == Some(side)));
    if let (Some(left), Some(right)) = (side(Side::Left), side(Side::Right)) {
        return Some((left, right));
    }
    if members.iter().any(|m| m.side.is_some()) {
        return None;
    }
    let first = members.iter().min_by(|a, b| a.centroid.x.total_cmp(&b.centroid.x))?;
    let last = members.iter().max_by(|a, b| a.centroid.x.total_cmp(&b.centroid.x))?;
    Some((first.centroid, last.centroid))
}

fn weighted_center<'a>(members: impl Iterator<Item = &'a Member>) -> Option<Point> {
    let (sum, weight) = members.fold((Point::default(), 0.0), |(sum, weight), m| {
        let w = m.opaque_pixels as f64;
        (sum + m.centroid * w, weight + w)
    });
    (weight > 0.0).then(|| sum * (1.0 / weight))
}

fn vertical(members: &[Member], anchors: &Anchors) -> Option<(f64, f64)> {
    let of = |pass: &dyn Fn(Tag) -> bool| weighted_center(members.iter().filter(|m| shows(m) && pass(m.tag)));
    let upper = of(&|tag| EYE_TAGS.contains(&tag) || tag == Tag::Eyebrow)?;
    let lower = of(&|tag| MOUTH_TAGS.contains(&tag) || tag == Tag::Nose)?;
    let (dx, dy) = (lower.x - upper.x, lower.y - upper.y);
    if dy < 0.08 * anchors.face.height() {
        return None;
    }
    let degrees = maths::atan2(-dx, dy).to_degrees();
    (degrees.abs() <= LARGEST).then_some((degrees, 1.0))
}

/// Weighted mean of the angles within 12 degrees of the weighted median.
fn agreed(mut lines: Vec<(f64, f64)>) -> f64 {
    lines.sort_by(|a, b| a.0.total_cmp(&b.0));
    let total: f64 = lines.iter().map(|line| line.1).sum();
    let mut reached = 0.0;
    let Some(&(median, _)) = lines.iter().find(|line| {
        reached += line.1;
        reached >= total / 2.0
    }) else {
        return 0.0;
    };
    let near = lines.iter().filter(|line| (line.0 - median).abs() <= 12.0);
    let (sum, weight) = near.fold((0.0, 0.0), |(s, w), line| (s + line.0 * line.1, w + line.1));
    if weight > 0.0 { sum / weight } else { 0.0 }
}
