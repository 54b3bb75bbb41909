//! A figure drawn as one picture: its head turns and tilts within it, as far as a warp without seams allows.

use geom::{Point, Rect, maths};
use parts::Tag;
use puppet::Axis;

use crate::face_surface::{ANGLE_X, ANGLE_Y, Turn};
use crate::head;
use crate::layer::Scene;

/// Tags of which one is a head, or part of it, drawn apart.
const APART: [Tag; 7] =
    [Tag::Face, Tag::FrontHair, Tag::BackHair, Tag::Eyewhite, Tag::Irides, Tag::Eyelash, Tag::EyeClose];
/// Share of the head's tilt that a picture in one piece stands.
const TILT: f64 = 0.35;
/// Cells of the warp.
pub(crate) const CELLS: (usize, usize) = (8, 14);

/// No part of the head is drawn apart, but there is a figure.
pub(crate) fn is_one_picture(scene: &Scene<'_>) -> bool {
    let apart = scene.tagged(&APART).next().is_some();
    scene.settings.natural() && !apart && scene.boned.is_empty() && scene.cast.tilt.degrees == 0.0
}

/// The axes of the warp.
pub(crate) fn axes() -> Vec<Axis> {
    vec![
        Axis::new("ParamAngleX", ANGLE_X),
        Axis::new("ParamAngleY", ANGLE_Y),
        Axis::new("ParamAngleZ", head::ANGLE_Z),
    ]
}

/// Where the head is in the picture, canvas pixels.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Head {
    /// Middle, and half sizes.
    center: Point,
    half: Point,
    /// Where the neck is.
    neck: f64,
}

impl Head {
    /// Guessed from where the head of a figure is.
    pub(crate) fn of(scene: &Scene<'_>) -> Self {
        let anchors = &scene.cast.anchors;
        Self::guess(anchors.character, anchors.face_raw)
    }

    /// The upper part of the figure; a face found by its place says where the middle is.
    fn guess(figure: Rect, face: Rect) -> Self {
        let neck = figure.top + 0.42 * figure.height();
        let height = (neck - figure.top).max(1.0);
        let width = figure.width().min(1.15 * height);
        let middle = face.center().x.clamp(figure.left + width / 2.0, figure.right - width / 2.0);
        Self {
            center: Point::new(middle, figure.top + height / 2.0),
            half: Point::new(width / 2.0, height / 2.0),
            neck,
        }
    }

    /// Where a point goes at a turn and a tilt in degrees. The middle of the head leads, its outline hardly moves; below
    /// the neck everything stays.
    pub(crate) fn moved(&self, p: Point, turn: Turn, tilt: f64) -> Point {
        let height = 2.0 * self.half.y;
        let free = 1.0 - maths::smoothstep((p.y - (self.neck - 0.22 * height)) / (0.5 * height));
        let (x, y) = ((p.x - self.center.x) / self.half.x, (p.y - self.center.y) / self.half.y);
        let dome = (1.0 - x * x).max(0.0) * (1.0 - 0.6 * y * y).max(0.0);
        let dx = turn.yaw * self.half.x * (0.05 + 0.11 * dome);
        let dy = -turn.pitch * self.half.y * (0.025 + 0.08 * dome);
        let turned = p + Point::new(dx, dy) * free;
        turned.rotated(Point::new(self.center.x, self.neck), (TILT * tilt * free).to_radians())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_body_stays() {
        let head = Head::guess(Rect::new(0.0, 0.0, 200.0, 400.0), Rect::new(40.0, 0.0, 160.0, 160.0));
        let turn = Turn { yaw: 0.9, pitch: -0.8 };
        let foot = Point::new(30.0, 330.0);
        assert!(head.moved(foot, turn, 30.0).distance(foot) < 1e-9);
        let nose = head.moved(head.center, turn, 0.0) - head.center;
        let edge = Point::new(head.center.x - head.half.x, head.center.y);
        let edge = head.moved(edge, turn, 0.0) - edge;
        assert!(nose.x > 2.0 * edge.x && edge.x > 0.0, "{nose:?} {edge:?}");
        assert!(nose.y > 0.0, "looking down leads down");
        let top = Point::new(head.center.x, 0.0);
        assert!(head.moved(top, Turn { yaw: 0.0, pitch: 0.0 }, 30.0).x > top.x + 10.0, "tilts to its left");
    }
}
