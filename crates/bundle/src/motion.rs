//! motion3 (MOC3_FORMAT 8.3).

use puppet::{Curve, CurveTarget, Key, Motion, Segment};
use serde_json::{Map, Value, json};

use crate::json::number;

/// The motion document; counts are exact, since loaders allocate from them.
pub(crate) fn motion3(motion: &Motion) -> Value {
    let points = |segment: &Segment| if matches!(segment, Segment::Bezier(..)) { 3 } else { 1 };
    let mut meta = Map::new();
    meta.insert("Duration".to_owned(), number(motion.duration));
    meta.insert("Fps".to_owned(), number(motion.fps));
    meta.insert("Loop".to_owned(), motion.looping.into());
    meta.insert("AreBeziersRestricted".to_owned(), true.into());
    meta.insert("CurveCount".to_owned(), motion.curves.len().into());
    let segments: usize = motion.curves.iter().map(|c| c.segments.len()).sum();
    meta.insert("TotalSegmentCount".to_owned(), segments.into());
    let total: usize = motion.curves.iter().map(|c| 1 + c.segments.iter().map(points).sum::<usize>()).sum();
    meta.insert("TotalPointCount".to_owned(), total.into());
    meta.insert("UserDataCount".to_owned(), 0.into());
    meta.insert("TotalUserDataSize".to_owned(), 0.into());
    if let Some(seconds) = motion.fade_in {
        meta.insert("FadeInTime".to_owned(), number(seconds));
    }
    if let Some(seconds) = motion.fade_out {
        meta.insert("FadeOutTime".to_owned(), number(seconds));
    }
    let mut curves: Vec<&Curve> = motion.curves.iter().collect();
    curves.sort_by_key(|c| matches!(c.target, CurveTarget::PartOpacity(_)));
    json!({
        "Version": 3,
        "Meta": meta,
        "Curves": curves.into_iter().map(curve).collect::<Vec<_>>(),
    })
}

fn curve(curve: &Curve) -> Value {
    let (target, id) = match &curve.target {
        CurveTarget::Parameter(id) => ("Parameter", id.as_str()),
        CurveTarget::PartOpacity(id) => ("PartOpacity", id.as_str()),
    };
    let mut all = vec![number(curve.start.time), number(curve.start.value)];
    for segment in &curve.segments {
        let (code, keys): (i64, Vec<Key>) = match *segment {
            Segment::Linear(a) => (0, vec![a]),
            Segment::Bezier(a, b, c) => (1, vec![a, b, c]),
            Segment::Stepped(a) => (2, vec![a]),
            Segment::InverseStepped(a) => (3, vec![a]),
        };
        all.push(code.into());
        all.extend(keys.iter().flat_map(|k| [number(k.time), number(k.value)]));
    }
    json!({"Target": target, "Id": id, "Segments": all})
}
