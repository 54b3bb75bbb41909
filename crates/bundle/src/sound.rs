//! Whether the documents of any bundle are ones that the official framework can play (MOC3_FORMAT 8).

use serde_json::Value;

use crate::read::{Error, field, list, parse};

/// Most faults that are told of one document.
const MOST: usize = 5;

/// A document beside the model document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// motion3.json
    Motion,
    /// physics3.json
    Physics,
    /// exp3.json
    Expression,
    /// pose3.json
    Pose,
    /// cdi3.json
    Display,
}

/// What keeps a document from being played as it is meant, in its order, some five at most; empty when nothing does.
/// Names that the model does not know are no fault here.
///
/// # Errors
/// When it is not JSON.
pub fn faults(kind: Kind, bytes: &[u8]) -> Result<Vec<String>, Error> {
    let value = parse(bytes)?;
    let mut faults = Faults(Vec::new());
    if !value.is_object() {
        faults.tell("is not a JSON object".to_owned());
        return Ok(faults.0);
    }
    match kind {
        Kind::Motion => motion(&value, &mut faults),
        Kind::Physics => physics(&value, &mut faults),
        Kind::Expression => expression(&value, &mut faults),
        Kind::Pose => pose(&value, &mut faults),
        Kind::Display => {}
    }
    faults.0.truncate(MOST);
    Ok(faults.0)
}

struct Faults(Vec<String>);

impl Faults {
    fn tell(&mut self, what: String) {
        self.0.push(what);
    }

    /// A count by which loaders allocate: less than there is writes beyond the end.
    fn count(&mut self, meta: &Value, key: &str, there: usize, may_be_more: bool) {
        let stated = meta.get(key).and_then(Value::as_u64);
        let there = there as u64;
        if !stated.is_some_and(|stated| stated == there || (may_be_more && stated > there)) {
            let stated = stated.map_or("is missing".to_owned(), |stated| format!("says {stated}"));
            self.tell(format!("Meta.{key} {stated}, there are {there}"));
        }
    }

    fn number(&mut self, at: &str, value: &Value, key: &str, is_good: impl Fn(f64) -> bool) {
        match value.get(key).and_then(Value::as_f64) {
            Some(number) if is_good(number) => {}
            Some(number) => self.tell(format!("{at}: {key} is {number}")),
            None => self.tell(format!("{at}: {key} is missing or no number")),
        }
    }
}

fn motion(value: &Value, faults: &mut Faults) {
    let meta = value.get("Meta").unwrap_or(&Value::Null);
    faults.number("Meta", meta, "Duration", |seconds| seconds >= 0.0);
    let curves: Vec<&Value> = list(value.get("Curves")).collect();
    let (mut segments, mut points, mut last) = (0, 0, 0);
    for (index, curve) in curves.iter().enumerate() {
        let at = format!("curve {index} ({})", field(curve, "Id"));
        let target = ["Model", "Parameter", "PartOpacity"].iter().position(|t| field(curve, "Target") == *t);
        match target {
            None => faults.tell(format!("{at}: Target {:?} is not known", field(curve, "Target"))),
            Some(order) if order < last => {
                faults.tell(format!("{at}: stands after curves of a kind that is played later"));
            }
            Some(order) => last = order,
        }
        match segments_of(curve) {
            Ok((own_segments, own_points)) => {
                (segments, points) = (segments + own_segments, points + own_points)
            }
            Err(fault) => faults.tell(format!("{at}: {fault}")),
        }
    }
    faults.count(meta, "CurveCount", curves.len(), false);
    faults.count(meta, "TotalSegmentCount", segments, true);
    faults.count(meta, "TotalPointCount", points, true);
}

/// Segments and points of a curve (MOC3_FORMAT 8.3).
fn segments_of(curve: &Value) -> Result<(usize, usize), String> {
    let all: Vec<Option<f64>> = list(curve.get("Segments")).map(Value::as_f64).collect();
    let numbers: Vec<f64> =
        all.iter().copied().collect::<Option<_>>().ok_or("Segments holds what is no number")?;
    let &[mut time, _, ref rest @ ..] = numbers.as_slice() else {
        return Err("Segments holds no point".to_owned());
    };
    let (mut rest, mut segments, mut points) = (rest, 0, 1);
    while let [kind, after @ ..] = rest {
        let own = match *kind {
            1.0 => 3,
            0.0 | 2.0 | 3.0 => 1,
            other => return Err(format!("segment {segments} is of kind {other}, which is not known")),
        };
        let end = after.get(own * 2 - 2).filter(|_| after.len() >= own * 2);
        let end = *end.ok_or_else(|| format!("segment {segments} is cut off"))?;
        if end < time {
            return Err(format!("segment {segments} ends at {end} s, before it begins"));
        }
        (time, segments, points) = (end, segments + 1, points + own);
        rest = &after[own * 2..];
    }
    Ok((segments, points))
}

fn physics(value: &Value, faults: &mut Faults) {
    let meta = value.get("Meta").unwrap_or(&Value::Null);
    let settings: Vec<&Value> = list(value.get("PhysicsSettings")).collect();
    let (mut inputs, mut outputs, mut vertices) = (0, 0, 0);
    for (index, setting) in settings.iter().enumerate() {
        let at = format!("setting {index} ({})", field(setting, "Id"));
        let own = list(setting.get("Vertices")).count();
        if own == 0 {
            faults.tell(format!("{at}: has no vertices"));
        }
        for vertex in list(setting.get("Vertices")) {
            faults.number(&at, vertex, "Radius", |radius| radius >= 0.0);
            for key in ["Mobility", "Delay", "Acceleration"] {
                faults.number(&at, vertex, key, f64::is_finite);
            }
        }
        for output in list(setting.get("Output")) {
            faults.number(&at, output, "VertexIndex", |vertex| vertex >= 1.0 && vertex < own as f64);
            faults.number(&at, output, "Weight", |weight| (0.0..=100.0).contains(&weight));
        }
        for input in list(setting.get("Input")) {
            faults.number(&at, input, "Weight", |weight| (0.0..=100.0).contains(&weight));
        }
        let kinds = list(setting.get("Input")).chain(list(setting.get("Output")));
        let unknown =
            kinds.map(|end| field(end, "Type")).find(|kind| !["X", "Y", "Angle"].contains(&kind.as_str()));
        if let Some(kind) = unknown {
            faults.tell(format!("{at}: Type {kind:?} is not known"));
        }
        inputs += list(setting.get("Input")).count();
        outputs += list(setting.get("Output")).count();
        vertices += own;
    }
    faults.count(meta, "PhysicsSettingCount", settings.len(), false);
    faults.count(meta, "TotalInputCount", inputs, true);
    faults.count(meta, "TotalOutputCount", outputs, true);
    faults.count(meta, "VertexCount", vertices, true);
}

fn expression(value: &Value, faults: &mut Faults) {
    for (index, parameter) in list(value.get("Parameters")).enumerate() {
        let at = format!("parameter {index} ({})", field(parameter, "Id"));
        faults.number(&at, parameter, "Value", f64::is_finite);
        let blend = field(parameter, "Blend");
        if !["", "Add", "Multiply", "Overwrite"].contains(&blend.as_str()) {
            faults.tell(format!("{at}: Blend {blend:?} is not known"));
        }
    }
}

fn pose(value: &Value, faults: &mut Faults) {
    for (index, group) in list(value.get("Groups")).enumerate() {
        if list(Some(group)).any(|part| field(part, "Id").is_empty()) {
            faults.tell(format!("group {index}: a part has no Id"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(kind: Kind, text: &str, expected: &[&str]) {
        let found = match faults(kind, text.as_bytes()) {
            Ok(found) => found,
            Err(error) => vec![error.to_string()],
        };
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!(found.contains(expected), "{text}: {found}");
        }
    }

    fn motion(meta: &str, curve: &str) -> String {
        format!(r#"{{"Meta":{{"Duration":1,{meta}}},"Curves":[{curve}]}}"#)
    }

    #[test]
    fn motions() {
        let counts = r#""CurveCount":1,"TotalSegmentCount":2,"TotalPointCount":5"#;
        let curve = |target: &str, segments: &str| {
            format!(r#"{{"Target":"{target}","Id":"A","Segments":[{segments}]}}"#)
        };
        let sound = curve("Parameter", "0,1, 0,0.5,1, 1,0.6,0,0.8,0,1,1");
        check(Kind::Motion, &motion(counts, &sound), &[]);
        check(Kind::Motion, "", &["not a JSON document"]);
        check(Kind::Motion, "[]", &["is not a JSON object"]);
        check(
            Kind::Motion,
            r#"{"Meta":{"CurveCount":0,"TotalSegmentCount":0,"TotalPointCount":0}}"#,
            &["Duration"],
        );
        check(Kind::Motion, &motion(counts, &curve("Nope", "0,1, 0,0.5,1, 1,0.6,0,0.8,0,1,1")), &["Target"]);
        let short = r#""CurveCount":2,"TotalSegmentCount":1,"TotalPointCount":4"#;
        check(Kind::Motion, &motion(short, &sound), &["CurveCount", "TotalSegmentCount", "TotalPointCount"]);
        for (segments, fault) in [
            ("0", "holds no point"),
            ("0,1, 99,1,1", "kind 99"),
            ("0,1, 1,0.1,1", "cut off"),
            ("1,1, 0,0.5,1", "before it begins"),
            ("0,1, 0,0.5,null", "no number"),
        ] {
            check(
                Kind::Motion,
                &motion(&counts.replace(['2', '5'], "9"), &curve("Parameter", segments)),
                &[fault],
            );
        }
        let both = format!("{},{}", curve("PartOpacity", "0,1"), curve("Parameter", "0,1"));
        let counts = r#""CurveCount":2,"TotalSegmentCount":0,"TotalPointCount":2"#;
        check(Kind::Motion, &motion(counts, &both), &["played later"]);
    }

    #[test]
    fn physics() {
        let text = |vertex: &str, radius: &str, counts: &str| {
            format!(
                r#"{{"Meta":{{"PhysicsSettingCount":1,"TotalInputCount":1,"TotalOutputCount":1,"VertexCount":{counts}}},
                "PhysicsSettings":[{{"Id":"P","Input":[{{"Weight":100,"Type":"X"}}],
                "Output":[{{"VertexIndex":{vertex},"Weight":100,"Type":"Angle"}}],
                "Vertices":[{{"Mobility":1,"Delay":1,"Acceleration":1,"Radius":0}},
                {{"Mobility":1,"Delay":1,"Acceleration":1,"Radius":{radius}}}]}}]}}"#
            )
        };
        check(Kind::Physics, &text("1", "3", "2"), &[]);
        check(Kind::Physics, &text("9999", "3", "2"), &["VertexIndex is 9999"]);
        check(Kind::Physics, &text("1", "-1e30", "2"), &["Radius"]);
        check(Kind::Physics, &text("1", "3", "1"), &["VertexCount says 1, there are 2"]);
        check(Kind::Physics, "hello", &["not a JSON document"]);
    }

    #[test]
    fn expressions_and_poses() {
        check(Kind::Expression, r#"{"Parameters":[{"Id":"A","Value":1}]}"#, &[]);
        check(Kind::Expression, r#"{"Parameters":[{"Id":"A","Blend":"Mix"}]}"#, &["Value", "Blend"]);
        check(Kind::Pose, r#"{"Groups":[[{"Id":"A","Link":[]}]]}"#, &[]);
        check(Kind::Pose, r#"{"Groups":[[{}]]}"#, &["no Id"]);
        check(Kind::Display, "{}", &[]);
    }
}
