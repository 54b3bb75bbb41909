//! Movements limited by what the art has: where one of them opens gaps, all of it moves less, as long as that helps.

use artwork::{Note, NoteLevel};
use geom::Point;
use puppet::{DeformerKind, Grid, Puppet};

use crate::coverage::{Opened, Watch};
use crate::poses::Movement;

/// Share of the figure that may open.
const MOST: f64 = 5e-4;
/// Share that seems to open at a first glance and is worth a second look.
const SUSPECT: f64 = 3e-4;
/// What is left of a movement after one step.
const STEP: f64 = 0.8;
/// Most steps: a movement keeps two fifths.
const STEPS: u32 = 4;
/// A step must leave less than this of the gap, else it is taken back: nothing hides there, something merely closes.
const HELPS: f64 = 0.9;

/// Eases every movement that opens gaps; one note each, and one for every pair of layers where something still opens.
/// `glance` looks from afar; `stare` makes what looks closely, if need be.
pub(crate) fn ease<'w>(
    glance: &Watch<'_>,
    stare: impl Fn(&Puppet) -> Watch<'w>,
    puppet: &mut Puppet,
) -> Vec<Note> {
    let mut notes = Vec::new();
    let (mut poses, mut opened) = (Vec::new(), Vec::new());
    let mut close: Option<Watch<'w>> = None;
    for movement in Movement::ALL {
        let extremes = movement.extremes(puppet);
        if widest(&glance.opened(puppet, &extremes)) <= SUSPECT {
            continue;
        }
        let watch = close.get_or_insert_with(|| stare(puppet));
        let mut now = watch.opened(puppet, &extremes);
        let mut steps = 0;
        while widest(&now) > MOST && steps < STEPS && movement != Movement::Tilt {
            let mut trial = puppet.clone();
            shorten(&mut trial, movement.parameters());
            let left = watch.opened(&trial, &extremes);
            if widest(&left) > HELPS * widest(&now) {
                break;
            }
            (*puppet, now) = (trial, left);
            steps += 1;
        }
        notes.extend((steps > 0).then(|| note(movement, steps)));
        poses.extend(extremes);
        opened.extend(now);
    }
    notes.extend(glance.gaps(&poses, &opened));
    notes
}

fn note(movement: Movement, steps: u32) -> Note {
    let (what, setting) = match movement {
        Movement::Head => ("head turns", "rig.head_strength"),
        Movement::Body => ("body moves", "rig.body_strength"),
        Movement::Hair => ("hair swings", ""),
        Movement::Tilt => ("head tilts", ""),
    };
    let left = (0..steps).fold(100.0, |left, _| left * STEP);
    Note {
        code: "movement-eased".to_owned(),
        level: NoteLevel::Info,
        layer: None,
        message: format!(
            "the {what} {left:.0} % as far: further, gaps would open that the art does not fill"
        ),
        setting: setting.to_owned(),
    }
}

/// Largest share of the figure that opens in one pose.
fn widest(opened: &[Opened]) -> f64 {
    opened.iter().map(|pairs| pairs.values().sum()).fold(0.0, f64::max)
}

/// Everything that follows some parameters follows them less.
fn shorten(puppet: &mut Puppet, parameters: &[&str]) {
    let rests: Vec<(String, f64)> =
        puppet.parameters.iter().map(|p| (p.id.as_str().to_owned(), p.default)).collect();
    let rest = |id: &str| rests.iter().find(|r| r.0 == id).map_or(0.0, |r| r.1);
    for deformer in &mut puppet.deformers {
        if let DeformerKind::Warp(warp) = &mut deformer.kind {
            shorten_forms(&mut warp.forms, parameters, &rest);
        }
    }
    for drawable in &mut puppet.drawables {
        shorten_forms(&mut drawable.forms, parameters, &rest);
    }
}

/// Draws every cell back to the one whose keys of the parameters rest.
fn shorten_forms(forms: &mut Grid<Vec<Point>>, parameters: &[&str], rest: &dyn Fn(&str) -> f64) {
    let before = forms.cells.clone();
    for (index, cell) in forms.cells.iter_mut().enumerate() {
        let (mut base, mut stride) = (index, 1);
        for axis in &forms.axes {
            let count = axis.keys.len();
            let id = axis.parameter.as_str();
            if parameters.contains(&id)
                && let Some(resting) = axis.keys.iter().position(|&k| k == rest(id))
            {
                base = base - index / stride % count * stride + resting * stride;
            }
            stride *= count;
        }
        if base != index {
            for (p, &q) in cell.iter_mut().zip(&before[base]) {
                *p = q + (*p - q) * STEP;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use puppet::Axis;

    use super::*;

    #[test]
    fn other_parameters_keep_their_way() {
        let axes = vec![Axis::new("ParamAngleX", [-1.0, 0.0, 1.0]), Axis::new("ParamAngleZ", [0.0, 1.0])];
        let mut forms = Grid::build(axes, |k| vec![Point::new(10.0 * k[0] + 100.0 * k[1], 0.0)]);
        shorten_forms(&mut forms, &["ParamAngleX"], &|_| 0.0);
        let x: Vec<f64> = forms.cells.iter().map(|c| c[0].x).collect();
        assert_eq!(x, [-8.0, 0.0, 8.0, 92.0, 100.0, 108.0]);
    }
}
