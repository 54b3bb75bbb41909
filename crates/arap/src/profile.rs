//! How a limb looks at a bent joint: the profile that guides are read from.
//!
//! Within its band a limb is a strip along the joint's axis. Bent, its middle line is a curve whose heading turns from
//! the parent's to the child's by a smoothstep, so that width is kept and the outside is round; its speed along the
//! curve is such that both ends meet the rigid parts. On the inside the strip is narrowed smoothly where it would
//! otherwise turn over.

use geom::maths::{atan2, cos, sin, smoothstep};
use geom::{Affine, Point};

use crate::bones::{Joint, after, minus};

/// Cells of a curve's table.
const CELLS: usize = 32;
/// The inside may come this near to turning over.
const INNER_LIMIT: f64 = 0.9;

/// One joint in one pose.
pub(crate) struct Profile {
    joint: Joint,
    /// Where the parent's end of the strip goes.
    parent: Affine,
    /// How far the child is turned against the parent, radians, in (-pi, pi].
    angle: f64,
    /// How far the joint's point moved against the parent.
    shift: [f64; 2],
    /// Speed along the middle line, as part of the speed at rest.
    speed: f64,
    /// Points of the middle line at equal steps, relative to the joint, in the frame of axis and normal; speed 1.
    line: Vec<[f64; 2]>,
    /// Unit headings there.
    headings: Vec<[f64; 2]>,
}

impl Profile {
    /// The profile of a joint between two frames; `None` when the parent's is singular.
    pub(crate) fn new(joint: &Joint, parent: &Affine, child: &Affine) -> Option<Self> {
        let relative = after(&parent.inverse()?, child);
        let angle = atan2(relative.c - relative.b, relative.a + relative.d);
        let point = Point::new(joint.point[0], joint.point[1]);
        let moved = relative.apply(point);
        let headings: Vec<[f64; 2]> = (0..=CELLS).map(|i| heading(angle, i as f64 / CELLS as f64)).collect();
        let mut line = vec![[0.0; 2]];
        let step = 2.0 * joint.half / CELLS as f64;
        for i in 0..CELLS {
            let middle = heading(angle, (i as f64 + 0.5) / CELLS as f64);
            let (a, b) = (headings[i], headings[i + 1]);
            // Simpson's rule.
            let add = |k: usize| line[i][k] + step / 6.0 * (a[k] + 4.0 * middle[k] + b[k]);
            line.push([add(0), add(1)]);
        }
        // From one end to the other the middle line must span what the two rigid halves span.
        let end = line[CELLS];
        let wanted = [joint.half * (1.0 + cos(angle)), joint.half * sin(angle)];
        let square = end[0] * end[0] + end[1] * end[1];
        let speed =
            if square > 0.0 { ((wanted[0] * end[0] + wanted[1] * end[1]) / square).max(1e-3) } else { 1.0 };
        let shift = [moved.x - point.x, moved.y - point.y];
        Some(Self { joint: *joint, parent: *parent, angle, shift, speed, line, headings })
    }

    /// Where a vertex of the band goes, and where it goes when it is only turned about the joint by its share.
    pub(crate) fn place(&self, vertex: [f64; 2], share: f64) -> ([f64; 2], [f64; 2]) {
        let (axis, half) = (self.joint.axis, self.joint.half);
        let d = minus(vertex, self.joint.point);
        let (u, t) = (d[0] * axis[0] + d[1] * axis[1], d[1] * axis[0] - d[0] * axis[1]);
        let along = ((u + half) / (2.0 * half)).clamp(0.0, 1.0);
        let (middle, heading) = self.at(along);
        // What lies beyond the band (given weights may reach there) goes straight on.
        let beyond = if u < -half {
            u + half
        } else if u > half {
            u - half
        } else {
            0.0
        };
        let t = self.narrowed(t, along);
        let bent = [
            middle[0] * self.speed - half + beyond * heading[0] - t * heading[1],
            middle[1] * self.speed + beyond * heading[1] + t * heading[0],
        ];
        let (c, s) = (cos(self.angle * share), sin(self.angle * share));
        let turned = [c * d[0] - s * d[1], s * d[0] + c * d[1]];
        let bent = [bent[0] * axis[0] - bent[1] * axis[1], bent[0] * axis[1] + bent[1] * axis[0]];
        (self.lifted(bent, share), self.lifted(turned, share))
    }

    /// From the joint's frame at rest to the canvas.
    fn lifted(&self, v: [f64; 2], share: f64) -> [f64; 2] {
        let (x, y) =
            (self.joint.point[0] + share * self.shift[0], self.joint.point[1] + share * self.shift[1]);
        let p = self.parent.apply(Point::new(v[0] + x, v[1] + y));
        [p.x, p.y]
    }

    /// Middle line and heading by cubic Hermite interpolation; `along` in 0..=1.
    fn at(&self, along: f64) -> ([f64; 2], [f64; 2]) {
        let cell = ((along * CELLS as f64) as usize).min(CELLS - 1);
        let t = along * CELLS as f64 - cell as f64;
        let step = 2.0 * self.joint.half / CELLS as f64;
        let (p, q) = (self.line[cell], self.line[cell + 1]);
        let (a, b) = (self.headings[cell], self.headings[cell + 1]);
        let value = |k: usize| {
            let (t2, t3) = (t * t, t * t * t);
            (2.0 * t3 - 3.0 * t2 + 1.0) * p[k]
                + (t3 - 2.0 * t2 + t) * step * a[k]
                + (3.0 * t2 - 2.0 * t3) * q[k]
                + (t3 - t2) * step * b[k]
        };
        ([value(0), value(1)], heading(self.angle, along))
    }

    /// On the inside of the bend, never so far out that the strip turns over.
    fn narrowed(&self, t: f64, along: f64) -> f64 {
        // The derivative of the heading along the strip.
        let bend = self.angle * 6.0 * along * (1.0 - along) / (2.0 * self.joint.half);
        if t * bend <= 0.0 {
            return t;
        }
        let most = INNER_LIMIT * self.speed / bend.abs();
        let ratio = (t / most) * (t / most);
        t / (1.0 + ratio * ratio).sqrt().sqrt()
    }
}

/// The unit heading where the part `along` of the band is behind.
fn heading(angle: f64, along: f64) -> [f64; 2] {
    let turned = angle * smoothstep(along);
    [cos(turned), sin(turned)]
}
