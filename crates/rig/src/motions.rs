//! The standard motions (CONTEXT 4): an idle loop, blink, nod, shake.

use puppet::{Curve, CurveTarget, Key, Motion, Puppet, Segment};

const FPS: f64 = 30.0;

/// The motions that the puppet's parameters allow.
pub(crate) fn of(puppet: &Puppet) -> Vec<Motion> {
    let all = [
        motion("idle", "Idle", 6.0, true, idle()),
        motion(
            "blink",
            "Blink",
            1.2,
            false,
            eyes(&[(0.0, 1.0), (0.35, 1.0), (0.45, 0.0), (0.5, 0.0), (0.65, 1.0), (1.2, 1.0)]),
        ),
        motion("nod", "Nod", 2.0, false, nod()),
        motion("shake", "Shake", 2.0, false, shake()),
    ];
    all.into_iter()
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

fn motion(name: &str, group: &str, duration: f64, looping: bool, curves: Vec<Curve>) -> Motion {
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
fn idle() -> Vec<Curve> {
    let mut curves = vec![
        // (cycles, amplitude, bias, lag as a share of the loop)
        wave("ParamBreath", 2.0, 0.5, 0.5, 0.0),
        wave("ParamBodyAngleX", 1.0, 2.0, 0.0, 0.08),
        wave("ParamBodyAngleY", 2.0, 0.8, 0.0, 0.06),
        wave("ParamBodyAngleZ", 1.0, -1.5, 0.0, 0.12),
        wave("ParamAngleX", 1.0, 3.0, 0.0, 0.26),
        wave("ParamAngleY", 2.0, 1.5, 0.0, 0.14),
        wave("ParamAngleZ", 1.0, 2.5, 0.0, 0.20),
    ];
    curves.extend(eyes(&[(0.0, 1.0), (2.7, 1.0), (2.78, 0.0), (2.82, 0.0), (2.95, 1.0), (6.0, 1.0)]));
    curves
}

/// A sine over the idle loop, as restricted beziers.
fn wave(parameter: &str, cycles: f64, amplitude: f64, bias: f64, lag: f64) -> Curve {
    const DURATION: f64 = 6.0;
    const STEPS: u32 = 24;
    let tau = 2.0 * std::f64::consts::PI;
    let phase = |t: f64| tau * cycles * (t / DURATION - lag);
    let value = |t: f64| bias + amplitude * geom::maths::sin(phase(t));
    let slope = |t: f64| amplitude * geom::maths::cos(phase(t)) * tau * cycles / DURATION;
    let step = DURATION / f64::from(STEPS);
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
fn smooth(parameter: &str, keys: &[(f64, f64)]) -> Curve {
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

    #[test]
    fn loops_close() {
        for curve in idle() {
            let end = curve.segments.iter().rev().find_map(|s| match s {
                Segment::Linear(k) | Segment::Bezier(_, _, k) => Some(*k),
                _ => None,
            });
            let end = end.expect("segments");
            assert_eq!((end.value, end.time), (curve.start.value, 6.0));
        }
    }
}
