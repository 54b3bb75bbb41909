//! The standard motions (CONTEXT 4): an idle loop, blink, nod, shake.

use puppet::{Curve, CurveTarget, Key, Motion, PartId, Puppet, Segment};

use crate::gestures;

const FPS: f64 = 30.0;
/// Seconds of an idle loop.
const LOOP: f64 = 6.0;

/// The motions that the puppet's parameters allow.
pub(crate) fn of(puppet: &Puppet) -> Vec<Motion> {
    let all = [
        motion("idle", "Idle", LOOP, true, idle()),
        motion(
            "blink",
            "Blink",
            1.2,
            false,
            eyes(&[(0.0, 1.0), (0.35, 1.0), (0.45, 0.0), (0.5, 0.0), (0.65, 1.0), (1.2, 1.0)]),
        ),
        motion("nod", "Nod", 2.0, false, nod()),
        motion("shake", "Shake", 2.0, false, shake()),
        motion("idle cute", "Idle", LOOP, true, cute()),
        motion("head tilt", "HeadTilt", 2.2, false, head_tilt()),
        motion("sway", "Sway", 3.0, true, sway()),
        motion("weight shift", "WeightShift", 3.0, false, weight_shift()),
        motion("shy", "Shy", 3.0, false, shy()),
    ];
    let chosen = puppet.poses.iter().flat_map(|group| {
        group.members.iter().map(|(part, _)| {
            let name = puppet.parts.iter().find(|p| p.id == *part).map_or(part.as_str(), |p| p.name.as_str());
            let opacity = |other: &PartId| if other == part { 1.0 } else { 0.0 };
            let curves = group.members.iter().map(|(other, _)| held(other, opacity(other)));
            motion(name, "Pose", 0.5, false, curves.collect())
        })
    });
    all.into_iter()
        .chain(gestures::of(puppet))
        .chain(chosen)
        .map(|mut m| {
            m.curves.retain(|c| match &c.target {
                CurveTarget::Parameter(id) => puppet.parameter(id).is_some(),
                CurveTarget::PartOpacity(_) => true,
            });
            m
        })
        .filter(|m| !m.curves.is_empty())
        .collect()
}

pub(crate) fn motion(name: &str, group: &str, duration: f64, looping: bool, curves: Vec<Curve>) -> Motion {
    Motion {
        name: name.to_owned(),
        group: group.to_owned(),
        duration,
        fps: FPS,
        looping,
        fade_in: Some(0.5),
        fade_out: Some(0.5),
        curves,
    }
}

/// Six seconds: breath twice, weight shifting once, everything else following it with a lag of its own, one blink.
/// What hangs follows by its pendulums.
fn idle() -> Vec<Curve> {
    let mut curves = vec![
        wave("ParamBreath", LOOP, Wave { cycles: 2.0, amplitude: 0.5, bias: 0.5, lag: 0.0 }),
        wave("ParamBodyAngleX", LOOP, Wave::new(1.0, 2.0, 0.08)),
        wave("ParamBodyAngleY", LOOP, Wave::new(2.0, 0.8, 0.06)),
        wave("ParamBodyAngleZ", LOOP, Wave::new(1.0, -1.5, 0.12)),
        wave("ParamAngleX", LOOP, Wave::new(1.0, 3.0, 0.26)),
        wave("ParamAngleY", LOOP, Wave::new(2.0, 1.5, 0.14)),
        wave("ParamAngleZ", LOOP, Wave::new(1.0, 2.5, 0.20)),
    ];
    curves.extend(eyes(&[(0.0, 1.0), (2.7, 1.0), (2.78, 0.0), (2.82, 0.0), (2.95, 1.0), (LOOP, 1.0)]));
    curves
}

/// A livelier idle: the head tilts from side to side in time, two quick blinks.
fn cute() -> Vec<Curve> {
    let mut curves = vec![
        wave("ParamBreath", LOOP, Wave { cycles: 3.0, amplitude: 0.5, bias: 0.5, lag: 0.0 }),
        wave("ParamBodyAngleX", LOOP, Wave::new(2.0, 2.5, 0.02)),
        wave("ParamBodyAngleY", LOOP, Wave::new(4.0, 1.0, 0.03)),
        wave("ParamBodyAngleZ", LOOP, Wave::new(2.0, -2.5, 0.05)),
        wave("ParamAngleX", LOOP, Wave::new(1.0, 5.0, 0.10)),
        wave("ParamAngleY", LOOP, Wave { cycles: 4.0, amplitude: 2.0, bias: 2.0, lag: 0.06 }),
        wave("ParamAngleZ", LOOP, Wave::new(2.0, 7.0, 0.08)),
    ];
    let keys = [
        (0.0, 1.0),
        (1.9, 1.0),
        (1.98, 0.0),
        (2.02, 0.0),
        (2.12, 1.0),
        (2.2, 1.0),
        (2.28, 0.0),
        (2.32, 0.0),
        (2.45, 1.0),
        (LOOP, 1.0),
    ];
    curves.extend(eyes(&keys));
    let smile = [(0.0, 0.0), (2.9, 0.0), (3.4, 0.8), (4.8, 0.8), (5.3, 0.0), (LOOP, 0.0)];
    curves.extend(["ParamEyeLSmile", "ParamEyeRSmile", "ParamMouthForm"].map(|id| smooth(id, &smile)));
    curves
}

/// A sine over a loop.
#[derive(Clone, Copy)]
struct Wave {
    cycles: f64,
    amplitude: f64,
    bias: f64,
    /// Delay behind the driver, as a share of the loop.
    lag: f64,
}

impl Wave {
    const fn new(cycles: f64, amplitude: f64, lag: f64) -> Self {
        Self { cycles, amplitude, bias: 0.0, lag }
    }
}

/// A wave as restricted beziers.
fn wave(parameter: &str, duration: f64, Wave { cycles, amplitude, bias, lag }: Wave) -> Curve {
    const STEPS: u32 = 24;
    let tau = 2.0 * std::f64::consts::PI;
    let phase = |t: f64| tau * cycles * (t / duration - lag);
    let value = |t: f64| bias + amplitude * geom::maths::sin(phase(t));
    let slope = |t: f64| amplitude * geom::maths::cos(phase(t)) * tau * cycles / duration;
    let step = duration / f64::from(STEPS);
    let start = Key { time: 0.0, value: value(0.0) };
    let segments = (0..STEPS).map(|i| {
        let (t0, t1) = (f64::from(i) * step, f64::from(i + 1) * step);
        let third = step / 3.0;
        // The last key repeats the first, to the bit.
        let end = if i + 1 == STEPS { start.value } else { value(t1) };
        Segment::Bezier(
            Key { time: t0 + third, value: value(t0) + slope(t0) * third },
            Key { time: t1 - third, value: end - slope(t1) * third },
            Key { time: t1, value: end },
        )
    });
    Curve { target: CurveTarget::Parameter(parameter.into()), start, segments: segments.collect() }
}

/// Head aside, a look, and back.
fn head_tilt() -> Vec<Curve> {
    let mut curves = vec![
        smooth("ParamAngleZ", &[(0.0, 0.0), (0.5, 17.0), (1.5, 15.0), (2.2, 0.0)]),
        smooth("ParamAngleX", &[(0.0, 0.0), (0.55, 6.0), (1.5, 6.0), (2.2, 0.0)]),
        smooth("ParamBodyAngleZ", &[(0.0, 0.0), (0.6, 2.5), (1.55, 2.0), (2.2, 0.0)]),
        smooth("ParamBrowLY", &[(0.0, 0.0), (0.5, 0.5), (1.5, 0.5), (2.2, 0.0)]),
        smooth("ParamBrowRY", &[(0.0, 0.0), (0.5, 0.5), (1.5, 0.5), (2.2, 0.0)]),
    ];
    curves.extend(eyes(&[(0.0, 1.0), (0.8, 1.0), (0.88, 0.0), (0.92, 0.0), (1.05, 1.0), (2.2, 1.0)]));
    curves
}

/// Swings from side to side, as to music.
fn sway() -> Vec<Curve> {
    vec![
        wave("ParamBodyAngleX", 3.0, Wave::new(1.0, 4.0, 0.0)),
        wave("ParamBodyAngleZ", 3.0, Wave::new(1.0, -4.0, 0.03)),
        wave("ParamAngleZ", 3.0, Wave::new(1.0, 8.0, 0.08)),
        wave("ParamAngleX", 3.0, Wave::new(1.0, 5.0, 0.12)),
        wave("ParamAngleY", 3.0, Wave::new(2.0, 2.0, 0.05)),
        wave("ParamBreath", 3.0, Wave { cycles: 1.0, amplitude: 0.5, bias: 0.5, lag: 0.0 }),
    ]
}

fn weight_shift() -> Vec<Curve> {
    vec![
        smooth("ParamBodyAngleX", &[(0.0, 0.0), (0.8, 6.0), (1.9, -5.0), (3.0, 0.0)]),
        smooth("ParamBodyAngleZ", &[(0.0, 0.0), (0.85, -4.0), (1.95, 3.5), (3.0, 0.0)]),
        smooth(
            "ParamBodyAngleY",
            &[(0.0, 0.0), (0.4, -2.0), (0.9, 0.5), (1.4, -2.0), (2.0, 0.5), (3.0, 0.0)],
        ),
        smooth("ParamAngleZ", &[(0.0, 0.0), (0.95, 4.0), (2.05, -4.0), (3.0, 0.0)]),
        smooth("ParamAngleX", &[(0.0, 0.0), (1.0, 5.0), (2.1, -5.0), (3.0, 0.0)]),
    ]
}

/// Looks down and aside, half closes the eyes, smiles.
fn shy() -> Vec<Curve> {
    let mut curves = vec![
        smooth("ParamAngleY", &[(0.0, 0.0), (0.7, -16.0), (2.2, -14.0), (3.0, 0.0)]),
        smooth("ParamAngleX", &[(0.0, 0.0), (0.8, -14.0), (1.5, -9.0), (2.2, -14.0), (3.0, 0.0)]),
        smooth("ParamAngleZ", &[(0.0, 0.0), (0.8, 6.0), (2.2, 6.0), (3.0, 0.0)]),
        smooth("ParamBodyAngleX", &[(0.0, 0.0), (0.9, -3.0), (1.5, -1.5), (2.2, -3.0), (3.0, 0.0)]),
        smooth("ParamBodyAngleZ", &[(0.0, 0.0), (0.9, 2.0), (2.2, 2.0), (3.0, 0.0)]),
        smooth("ParamEyeBallX", &[(0.0, 0.0), (0.6, -0.5), (1.4, 0.3), (2.2, -0.4), (3.0, 0.0)]),
        smooth("ParamEyeBallY", &[(0.0, 0.0), (0.6, -0.4), (2.2, -0.3), (3.0, 0.0)]),
        smooth("ParamBrowLY", &[(0.0, 0.0), (0.6, -0.4), (2.2, -0.4), (3.0, 0.0)]),
        smooth("ParamBrowRY", &[(0.0, 0.0), (0.6, -0.4), (2.2, -0.4), (3.0, 0.0)]),
        smooth("ParamMouthForm", &[(0.0, 0.0), (0.8, 0.6), (2.2, 0.6), (3.0, 0.0)]),
        smooth("ParamEyeLSmile", &[(0.0, 0.0), (0.8, 0.5), (2.2, 0.5), (3.0, 0.0)]),
        smooth("ParamEyeRSmile", &[(0.0, 0.0), (0.8, 0.5), (2.2, 0.5), (3.0, 0.0)]),
    ];
    curves.extend(eyes(&[
        (0.0, 1.0),
        (0.6, 0.8),
        (1.4, 0.75),
        (1.48, 0.0),
        (1.55, 0.0),
        (1.7, 0.8),
        (3.0, 1.0),
    ]));
    curves
}

/// An opacity of a part that does not change: a runtime's pose fades to it.
fn held(part: &PartId, opacity: f64) -> Curve {
    Curve {
        target: CurveTarget::PartOpacity(part.clone()),
        start: Key { time: 0.0, value: opacity },
        segments: vec![Segment::Linear(Key { time: 0.5, value: opacity })],
    }
}

fn nod() -> Vec<Curve> {
    let mut curves = vec![
        smooth("ParamAngleY", &[(0.0, 0.0), (0.6, -18.0), (1.2, 6.0), (2.0, 0.0)]),
        smooth("ParamBodyAngleY", &[(0.0, 0.0), (0.65, -4.0), (1.25, 1.5), (2.0, 0.0)]),
    ];
    curves.extend(eyes(&[(0.0, 1.0), (0.6, 0.75), (1.2, 1.0), (2.0, 1.0)]));
    curves
}

fn shake() -> Vec<Curve> {
    vec![
        smooth("ParamAngleX", &[(0.0, 0.0), (0.4, -20.0), (0.9, 20.0), (1.4, -8.0), (2.0, 0.0)]),
        smooth("ParamBodyAngleX", &[(0.0, 0.0), (0.45, -3.0), (0.95, 3.0), (1.45, -1.2), (2.0, 0.0)]),
        smooth("ParamAngleZ", &[(0.0, 0.0), (0.4, 2.0), (0.9, -2.0), (1.4, 1.0), (2.0, 0.0)]),
    ]
}

fn eyes(keys: &[(f64, f64)]) -> Vec<Curve> {
    ["ParamEyeLOpen", "ParamEyeROpen"].iter().map(|id| linear(id, keys)).collect()
}

fn linear(parameter: &str, keys: &[(f64, f64)]) -> Curve {
    let key = |k: &(f64, f64)| Key { time: k.0, value: k.1 };
    Curve {
        target: CurveTarget::Parameter(parameter.into()),
        start: key(&keys[0]),
        segments: keys[1..].iter().map(|k| Segment::Linear(key(k))).collect(),
    }
}

/// Eases through the keys with flat tangents.
pub(crate) fn smooth(parameter: &str, keys: &[(f64, f64)]) -> Curve {
    let segments = keys.windows(2).map(|w| {
        let ((t0, a), (t1, b)) = (w[0], w[1]);
        let third = (t1 - t0) / 3.0;
        Segment::Bezier(
            Key { time: t0 + third, value: a },
            Key { time: t1 - third, value: b },
            Key { time: t1, value: b },
        )
    });
    Curve {
        target: CurveTarget::Parameter(parameter.into()),
        start: Key { time: keys[0].0, value: keys[0].1 },
        segments: segments.collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end(curve: &Curve) -> Key {
        let last = curve.segments.iter().rev().find_map(|s| match s {
            Segment::Linear(k) | Segment::Bezier(_, _, k) => Some(*k),
            _ => None,
        });
        last.expect("segments")
    }

    #[test]
    fn loops_close_and_gestures_come_back() {
        for (curves, duration) in [(idle(), LOOP), (cute(), LOOP), (sway(), 3.0)] {
            for curve in curves {
                assert_eq!((end(&curve).value, end(&curve).time), (curve.start.value, duration));
            }
        }
        let gestures =
            [(nod(), 2.0), (shake(), 2.0), (head_tilt(), 2.2), (weight_shift(), 3.0), (shy(), 3.0)];
        for (curves, duration) in gestures {
            for curve in curves {
                let rest = if matches!(&curve.target, CurveTarget::Parameter(p) if p.as_str().ends_with("Open"))
                {
                    1.0
                } else {
                    0.0
                };
                assert_eq!((curve.start.value, end(&curve).value, end(&curve).time), (rest, rest, duration));
            }
        }
    }

    /// The slope at the end of a loop is that of its start: no jerk.
    #[test]
    fn loops_are_smooth() {
        for curve in [idle(), cute(), sway()].concat() {
            let (Some(Segment::Bezier(first, ..)), Some(Segment::Bezier(_, before, last))) =
                (curve.segments.first(), curve.segments.last())
            else {
                continue;
            };
            let begin = (first.value - curve.start.value) / (first.time - curve.start.time);
            let end = (last.value - before.value) / (last.time - before.time);
            assert!((begin - end).abs() < 1e-6, "{begin} {end}");
        }
    }
}
