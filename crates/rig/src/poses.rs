//! Poses at which a finished rig is looked at.

use std::collections::BTreeMap;

use puppet::{ParameterId, Puppet};

/// Values of some parameters; the others rest.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Pose {
    /// For people.
    pub(crate) name: String,
    values: BTreeMap<ParameterId, f64>,
    /// The head is turned and nothing else.
    pub(crate) head: bool,
}

impl Pose {
    fn new(puppet: &Puppet, changes: &[(&str, f64)]) -> Self {
        let mut values = BTreeMap::new();
        let mut words = Vec::new();
        for &(id, value) in changes {
            let Some(p) = puppet.parameters.iter().find(|p| p.id.as_str() == id) else { continue };
            let value = value.clamp(p.min, p.max.max(p.min));
            if value != p.default {
                words.push(format!("{} {value}", id.trim_start_matches("Param")));
            }
            values.insert(p.id.clone(), value);
        }
        let head = changes.iter().all(|c| matches!(c.0, "ParamAngleX" | "ParamAngleY"));
        Self { name: if words.is_empty() { REST.to_owned() } else { words.join(" ") }, values, head }
    }

    /// The value of a parameter; `None` when it rests.
    pub(crate) fn value(&self, id: &ParameterId) -> Option<f64> {
        self.values.get(id).copied()
    }
}

const FAR: f64 = f64::MAX;
/// Name of the pose in which nothing is changed.
const REST: &str = "rest";
/// Poses spread over the whole box of the parameters.
const SPREAD: u32 = 24;

/// Poses that find what folds: all extremes of the head, those of each other part, and some from all over the box.
pub(crate) fn folding(puppet: &Puppet) -> Vec<Pose> {
    let sign = |n: i32| f64::from(n) * FAR;
    let mut poses = Vec::new();
    for n in (0..27).filter(|&n| n != 13) {
        let angles = [("ParamAngleX", n % 3 - 1), ("ParamAngleY", n / 3 % 3 - 1), ("ParamAngleZ", n / 9 - 1)];
        let turned: Vec<(&str, f64)> =
            angles.iter().filter(|a| a.1 != 0).map(|&(id, n)| (id, sign(n))).collect();
        poses.push(Pose::new(puppet, &turned));
    }
    for open in [0.0, 0.5] {
        poses.push(Pose::new(puppet, &[("ParamEyeLOpen", open), ("ParamEyeROpen", open)]));
    }
    for open in [0.0, 0.5, 1.0] {
        let smile = [("ParamEyeLSmile", 1.0), ("ParamEyeRSmile", 1.0)];
        let eyes = [("ParamEyeLOpen", open), ("ParamEyeROpen", open)];
        poses.push(Pose::new(puppet, &[&eyes[..], &smile].concat()));
        for (x, y) in [(1.0, 1.0), (-1.0, -1.0)] {
            let gaze = [("ParamEyeBallX", x), ("ParamEyeBallY", y)];
            poses.push(Pose::new(puppet, &[&eyes[..], &gaze].concat()));
        }
    }
    for form in [-1.0, 0.0, 1.0] {
        for open in [0.0, 0.5, 1.0] {
            poses.push(Pose::new(puppet, &[("ParamMouthForm", form), ("ParamMouthOpenY", open)]));
        }
    }
    for (x, y) in [(1.0, -1.0), (-1.0, 1.0)] {
        poses.push(Pose::new(puppet, &[("ParamEyeBallX", x), ("ParamEyeBallY", y)]));
        poses.push(Pose::new(puppet, &[("ParamHairFront", x), ("ParamHairBack", y)]));
        poses.push(Pose::new(puppet, &[("ParamBrowLY", x), ("ParamBrowRY", y)]));
        for lean in [-FAR, FAR] {
            let body =
                [("ParamBodyAngleX", x * FAR), ("ParamBodyAngleY", y * FAR), ("ParamBodyAngleZ", lean)];
            poses.push(Pose::new(puppet, &[&body[..], &[("ParamBreath", 1.0)]].concat()));
        }
    }
    poses.extend((1..=SPREAD).map(|n| spread(puppet, n)));
    poses
}

/// What moves together: the turning head, the body, swinging hair, the tilting head.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Movement {
    Head,
    Body,
    Hair,
    Tilt,
}

impl Movement {
    /// All of them.
    pub(crate) const ALL: [Self; 4] = [Self::Head, Self::Body, Self::Hair, Self::Tilt];

    /// The parameters that drive it.
    pub(crate) fn parameters(self) -> &'static [&'static str] {
        match self {
            Self::Head => &["ParamAngleX", "ParamAngleY"],
            Self::Body => &["ParamBodyAngleX", "ParamBodyAngleY", "ParamBodyAngleZ", "ParamBreath"],
            Self::Hair => &["ParamHairFront", "ParamHairBack"],
            Self::Tilt => &["ParamAngleZ"],
        }
    }

    /// Its extremes.
    pub(crate) fn extremes(self, puppet: &Puppet) -> Vec<Pose> {
        let sign = |n: i32| f64::from(n) * FAR;
        let both = |n: i32| [("ParamHairFront", sign(n)), ("ParamHairBack", sign(n))];
        match self {
            Self::Head => (0..9)
                .filter(|&n| n != 4)
                .map(|n| [("ParamAngleX", sign(n % 3 - 1)), ("ParamAngleY", sign(n / 3 - 1))])
                .map(|angles| Pose::new(puppet, &angles))
                .collect(),
            Self::Body | Self::Tilt => (self.parameters().iter())
                .flat_map(|&id| [-FAR, FAR].map(|end| Pose::new(puppet, &[(id, end)])))
                .filter(|pose| pose.name != REST)
                .collect(),
            Self::Hair => [-1, 1].map(|n| Pose::new(puppet, &both(n))).to_vec(),
        }
    }
}

/// The `n`th of a sequence that fills the box evenly (Halton).
fn spread(puppet: &Puppet, n: u32) -> Pose {
    const PRIMES: [u32; 18] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61];
    let value = |(i, p): (usize, &puppet::Parameter)| {
        let t = radical_inverse(n, PRIMES[i % PRIMES.len()]);
        (p.id.clone(), p.min + (p.max - p.min) * t)
    };
    let values = puppet.parameters.iter().enumerate().map(value).collect();
    Pose { name: format!("mixed pose {n}"), values, head: false }
}

fn radical_inverse(mut n: u32, base: u32) -> f64 {
    let (mut sum, mut digit) = (0.0, 1.0 / f64::from(base));
    while n > 0 {
        sum += f64::from(n % base) * digit;
        digit /= f64::from(base);
        n /= base;
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverses() {
        for (n, base, want) in [(1, 2, 0.5), (2, 2, 0.25), (3, 2, 0.75), (5, 3, 7.0 / 9.0)] {
            assert!((radical_inverse(n, base) - want).abs() < 1e-12, "{n} {base}");
        }
    }
}
