//! Motions that need bones (CONTEXT 3.4, 4): offered only where the limbs have them, and only as far as they turn.

use puppet::{Curve, Motion, Puppet};

use crate::motions::{motion, smooth};

/// The gestures that the puppet's bones allow.
pub(crate) fn of(puppet: &Puppet) -> Vec<Motion> {
    let arms: Vec<char> = ['R', 'L'].into_iter().filter(|&side| Arm::of(puppet, side).is_some()).collect();
    let legs: Vec<char> = ['L', 'R'].into_iter().filter(|&side| Leg::of(puppet, side).is_some()).collect();
    let mut all = Vec::new();
    if let Some(arm) = arms.first().and_then(|&side| Arm::of(puppet, side)) {
        all.push(motion("wave", "Wave", 2.4, false, wave(&arm)));
    }
    if arms.len() == 2 {
        let both: Vec<Arm> = arms.iter().filter_map(|&side| Arm::of(puppet, side)).collect();
        all.push(motion("cheer", "Cheer", 1.8, false, cheer(&both)));
        all.push(motion("arms open", "ArmsOpen", 2.6, false, open(&both)));
    }
    if let Some(leg) = legs.first().and_then(|&side| Leg::of(puppet, side)) {
        all.push(motion("leg kick", "LegKick", 2.6, false, kick(&leg)));
    }
    all
}

/// The bones of one arm and how far they turn.
struct Arm {
    side: char,
    upper: f64,
    fore: f64,
    hand: f64,
}

impl Arm {
    fn of(puppet: &Puppet, side: char) -> Option<Self> {
        let upper = most(puppet, &format!("ParamArm{side}A")).filter(|&a| a >= 20.0)?;
        let fore = most(puppet, &format!("ParamArm{side}B")).filter(|&b| b >= 20.0)?;
        Some(Self { side, upper, fore, hand: most(puppet, &format!("ParamHand{side}")).unwrap_or(0.0) })
    }

    /// Angles of the upper arm and the forearm that raise the forearm by `raised` degrees: the upper arm by its share,
    /// the forearm by what is left, as far as either goes.
    fn raised(&self, raised: f64, share: f64) -> (f64, f64) {
        let upper = (share * raised).min(self.upper);
        (upper, (raised - upper).clamp(0.0, self.fore))
    }

    fn curves(&self, upper: &[(f64, f64)], fore: &[(f64, f64)], hand: &[(f64, f64)]) -> Vec<Curve> {
        let hand: Vec<(f64, f64)> = hand.iter().map(|&(t, v)| (t, v.clamp(-self.hand, self.hand))).collect();
        vec![
            smooth(&format!("ParamArm{}A", self.side), upper),
            smooth(&format!("ParamArm{}B", self.side), fore),
            smooth(&format!("ParamHand{}", self.side), &hand),
        ]
    }
}

/// The bones of one leg and how far they turn outwards.
struct Leg {
    side: char,
    upper: f64,
    foot: f64,
    /// The shin swings back in.
    lower: f64,
}

impl Leg {
    fn of(puppet: &Puppet, side: char) -> Option<Self> {
        let upper = most(puppet, &format!("ParamLeg{side}A")).filter(|&a| a >= 15.0)?;
        let lower = format!("ParamLeg{side}B");
        let lower = puppet.parameter(&lower.as_str().into()).map_or(0.0, |p| p.min);
        Some(Self { side, upper, foot: most(puppet, &format!("ParamFoot{side}")).unwrap_or(0.0), lower })
    }
}

fn most(puppet: &Puppet, id: &str) -> Option<f64> {
    puppet.parameter(&id.into()).map(|p| p.max)
}

/// Raises an arm and swings the forearm three times.
fn wave(arm: &Arm) -> Vec<Curve> {
    let (upper, fore) = arm.raised(165.0, 0.58);
    let out = (fore + 12.0).min(arm.fore);
    let back = fore - 28.0;
    let mut curves = arm.curves(
        &[(0.0, 0.0), (0.5, upper), (1.9, upper), (2.4, 0.0)],
        &[(0.0, 0.0), (0.55, out), (0.85, back), (1.15, out), (1.45, back), (1.75, out), (2.4, 0.0)],
        &[(0.0, 0.0), (0.6, 15.0), (0.9, -15.0), (1.2, 15.0), (1.5, -15.0), (1.8, 10.0), (2.4, 0.0)],
    );
    let lean = if arm.side == 'R' { 1.0 } else { -1.0 };
    curves.push(smooth("ParamAngleZ", &[(0.0, 0.0), (0.6, 6.0 * lean), (1.8, 5.0 * lean), (2.4, 0.0)]));
    curves.push(smooth("ParamBodyAngleZ", &[(0.0, 0.0), (0.6, 2.0 * lean), (1.8, 2.0 * lean), (2.4, 0.0)]));
    curves.push(smooth("ParamMouthForm", &[(0.0, 0.0), (0.5, 0.8), (1.9, 0.8), (2.4, 0.0)]));
    curves
}

/// Both arms up, twice.
fn cheer(arms: &[Arm]) -> Vec<Curve> {
    let mut curves = Vec::new();
    for arm in arms {
        let (upper, fore) = arm.raised(150.0, 0.7);
        let (low, bent) = (0.75 * upper, (fore + 15.0).min(arm.fore));
        curves.extend(arm.curves(
            &[(0.0, 0.0), (0.4, upper), (0.7, low), (1.0, upper), (1.35, low), (1.8, 0.0)],
            &[(0.0, 0.0), (0.4, fore), (0.7, bent), (1.0, fore), (1.35, bent), (1.8, 0.0)],
            &[(0.0, 0.0), (0.45, 10.0), (0.75, -10.0), (1.05, 10.0), (1.4, -5.0), (1.8, 0.0)],
        ));
    }
    curves.push(smooth(
        "ParamBodyAngleY",
        &[(0.0, 0.0), (0.4, 5.0), (0.7, -2.0), (1.0, 5.0), (1.35, -2.0), (1.8, 0.0)],
    ));
    curves.push(smooth("ParamAngleY", &[(0.0, 0.0), (0.4, 10.0), (0.7, 2.0), (1.0, 10.0), (1.8, 0.0)]));
    curves.push(smooth("ParamMouthForm", &[(0.0, 0.0), (0.4, 1.0), (1.4, 1.0), (1.8, 0.0)]));
    curves.push(smooth("ParamMouthOpenY", &[(0.0, 0.0), (0.4, 0.8), (1.3, 0.7), (1.8, 0.0)]));
    curves
}

/// Both arms aside, palms out.
fn open(arms: &[Arm]) -> Vec<Curve> {
    let mut curves = Vec::new();
    for arm in arms {
        let (upper, fore) = arm.raised(75.0, 0.55);
        curves.extend(arm.curves(
            &[(0.0, 0.0), (0.6, upper), (1.9, 0.9 * upper), (2.6, 0.0)],
            &[(0.0, 0.0), (0.7, fore), (1.9, fore), (2.6, 0.0)],
            &[(0.0, 0.0), (0.75, 12.0), (1.9, 12.0), (2.6, 0.0)],
        ));
    }
    curves.push(smooth("ParamAngleZ", &[(0.0, 0.0), (0.8, 5.0), (1.9, 4.0), (2.6, 0.0)]));
    curves
}

/// A leg aside and back.
fn kick(leg: &Leg) -> Vec<Curve> {
    let upper = leg.upper.min(32.0);
    let lower = leg.lower.max(-25.0);
    let side = if leg.side == 'L' { 1.0 } else { -1.0 };
    vec![
        smooth(
            &format!("ParamLeg{}A", leg.side),
            &[(0.0, 0.0), (0.5, 0.55 * upper), (0.9, upper), (1.6, 0.9 * upper), (2.6, 0.0)],
        ),
        smooth(
            &format!("ParamLeg{}B", leg.side),
            &[(0.0, 0.0), (0.5, lower), (0.9, 0.0), (1.6, 0.3 * lower), (2.6, 0.0)],
        ),
        smooth(&format!("ParamFoot{}", leg.side), &[(0.0, 0.0), (0.9, leg.foot.min(18.0)), (2.6, 0.0)]),
        smooth("ParamBodyAngleZ", &[(0.0, 0.0), (0.8, -3.0 * side), (1.6, -2.5 * side), (2.6, 0.0)]),
        smooth("ParamAngleZ", &[(0.0, 0.0), (0.9, 5.0 * side), (1.7, 5.0 * side), (2.6, 0.0)]),
    ]
}

#[cfg(test)]
mod tests {
    use puppet::{Parameter, ParameterKind, Segment};

    use super::*;

    fn puppet(bones: &[(&str, f64, f64)]) -> Puppet {
        let parameter = |&(id, min, max): &(&str, f64, f64)| Parameter {
            id: id.into(),
            name: String::new(),
            min,
            max,
            default: 0.0,
            kind: ParameterKind::Normal,
            repeat: false,
            group: String::new(),
        };
        Puppet { parameters: bones.iter().map(parameter).collect(), ..Puppet::default() }
    }

    const ARM: [(&str, f64, f64); 3] =
        [("ParamArmRA", -10.0, 50.0), ("ParamArmRB", -40.0, 70.0), ("ParamHandR", -30.0, 30.0)];

    #[test]
    fn what_has_no_bones_makes_no_gestures() {
        let names = |bones: &[(&str, f64, f64)]| -> Vec<String> {
            of(&puppet(bones)).into_iter().map(|m| m.name).collect()
        };
        assert_eq!(names(&[]), Vec::<String>::new());
        assert_eq!(names(&ARM), ["wave"]);
        assert_eq!(names(&[("ParamArmRA", 0.0, 5.0), ("ParamArmRB", 0.0, 90.0)]), Vec::<String>::new());
        assert_eq!(names(&[("ParamLegRA", -10.0, 40.0)]), ["leg kick"]);
    }

    #[test]
    fn gestures_keep_to_the_ranges_and_come_back() {
        let left = ARM.map(|(id, a, b)| (id.replace('R', "L"), a, b));
        let mut bones = ARM.to_vec();
        bones.extend(left.iter().map(|(id, a, b)| (id.as_str(), *a, *b)));
        bones.extend([("ParamLegLA", -10.0, 30.0), ("ParamLegLB", -12.0, 0.0), ("ParamFootL", -5.0, 5.0)]);
        let puppet = puppet(&bones);
        for motion in of(&puppet) {
            for curve in &motion.curves {
                let puppet::CurveTarget::Parameter(id) = &curve.target else { continue };
                let mut last = curve.start;
                for segment in &curve.segments {
                    let Segment::Bezier(a, b, end) = segment else { panic!("eased") };
                    let range = puppet.parameter(id).map_or((-1e3, 1e3), |p| (p.min, p.max));
                    for key in [a, b, end] {
                        let inside = range.0 - 1e-9 <= key.value && key.value <= range.1 + 1e-9;
                        assert!(inside, "{} {id} {}", motion.name, key.value);
                    }
                    last = *end;
                }
                assert_eq!((last.time, last.value), (motion.duration, curve.start.value), "{id}");
            }
        }
    }
}
