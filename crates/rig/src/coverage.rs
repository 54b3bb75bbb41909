//! What opens when the figure moves: places inside the silhouette where nothing is drawn, and the two layers beside
//! each, so that a rigger knows where to paint on.

use std::collections::BTreeMap;

use artwork::{Note, NoteLevel};
use geom::Point;
use puppet::evaluate::{Posed, evaluate};
use puppet::{Drawable, Puppet};
use raster::Rgba;
use rayon::prelude::*;

use crate::layer::Scene;
use crate::piece::{Piece, Role};
use crate::pieces::Pictures;
use crate::poses::Pose;
use crate::stacking;

/// Long side of the picture for a first look, pixels: enough to see that something may open.
pub(crate) const GLANCE: f64 = 320.0;
/// Long side of the picture for a second look, pixels: what it shows is so.
pub(crate) const STARE: f64 = 640.0;
/// Alpha from which a pixel covers.
const COVERS: u8 = 8;
/// Opacity from which a drawable covers.
const SEEN: f64 = 0.5;
/// Holes within this share of the long side of a hole at rest are that hole, travelling.
const NEAR: f64 = 0.05;
/// Growth of the holes at rest that needs no word.
const GROWTH: f64 = 1.25;
/// Share of the silhouette below which a gap is not worth a word.
const LEAST: f64 = 5e-4;
/// Label of pixels that nothing covers.
const NOTHING: u16 = u16::MAX;

/// Share of the figure that opens in a pose, by the two members beside it.
pub(crate) type Opened = BTreeMap<(usize, usize), f64>;

/// Looks for gaps; holds what the rest picture shows.
pub(crate) struct Watch<'w> {
    scene: &'w Scene<'w>,
    camera: Camera,
    /// Member of every drawable.
    members: Vec<usize>,
    /// Pixels of the figure at rest, and of the holes in it.
    silhouette: f64,
    holes: f64,
    /// Where the holes at rest are, with what lies around them.
    near: Vec<bool>,
}

impl<'w> Watch<'w> {
    pub(crate) fn new(
        scene: &'w Scene<'w>,
        pieces: &'w [Piece<'w>],
        puppet: &Puppet,
        pictures: &'w Pictures,
        side: f64,
    ) -> Self {
        let covering = |p: &Piece<'_>| !matches!(p.role, Role::EyeMask | Role::Iris | Role::MouthInside);
        let images =
            pieces.iter().map(|p| covering(p).then(|| stacking::picture(scene, p, pictures)).flatten());
        let camera = Camera::new(puppet, &images.collect::<Vec<_>>(), side);
        let rest = camera.look(puppet, &evaluate(puppet, |_| None));
        let enclosed = rest.enclosed();
        Self {
            scene,
            camera,
            members: pieces.iter().map(|p| p.member).collect(),
            silhouette: rest.labels.iter().filter(|&&l| l != NOTHING).count().max(1) as f64,
            holes: enclosed.iter().filter(|&&hole| hole).count() as f64,
            near: rest.grown(&enclosed, (NEAR * side) as usize),
        }
    }

    /// A note for every pair of layers between which something opens in some pose, the widest first.
    pub(crate) fn gaps(&self, poses: &[Pose], opened: &[Opened]) -> Vec<Note> {
        let mut worst: BTreeMap<(usize, usize), (f64, usize)> = BTreeMap::new();
        for (pose, pairs) in opened.iter().enumerate() {
            for (&pair, &share) in pairs {
                let entry = worst.entry(pair).or_insert((0.0, pose));
                if share > entry.0 {
                    *entry = (share, pose);
                }
            }
        }
        let mut worst: Vec<_> = worst.into_iter().filter(|w| w.1.0 >= LEAST).collect();
        worst.sort_by(|a, b| b.1.0.total_cmp(&a.1.0).then(a.0.cmp(&b.0)));
        worst.iter().map(|&(pair, (share, pose))| note(self.scene, pair, share, &poses[pose].name)).collect()
    }

    /// Share of the figure that opens, by the two members beside it, for every pose.
    pub(crate) fn opened(&self, puppet: &Puppet, poses: &[Pose]) -> Vec<Opened> {
        let member = |label: u16| self.members.get(usize::from(label)).copied().unwrap_or(0);
        (poses.par_iter())
            .map(|pose| {
                let view = self.camera.look(puppet, &evaluate(puppet, |id| pose.value(id)));
                let mut pairs = view.opened(&self.near, self.holes, &member);
                pairs.values_mut().for_each(|pixels| *pixels /= self.silhouette);
                pairs
            })
            .collect()
    }
}

fn note(scene: &Scene<'_>, (a, b): (usize, usize), share: f64, pose: &str) -> Note {
    let members = &scene.cast.members;
    let name = |i: usize| &members[i].name;
    let between =
        if a == b { format!("in `{}`", name(a)) } else { format!("between `{}` and `{}`", name(a), name(b)) };
    Note {
        code: "gap-opens".to_owned(),
        level: NoteLevel::Info,
        layer: Some(members[a].layer.clone()),
        message: format!(
            "at {pose} a gap opens {between}, {:.2} % of the figure: the lower one needs more under the upper one",
            100.0 * share
        ),
        setting: String::new(),
    }
}

/// Draws which layer covers what, small and without colours.
struct Camera {
    /// One a drawable; `None` covers nothing.
    masks: Vec<Option<Mask>>,
    scale: f64,
    width: usize,
    height: usize,
}

impl Camera {
    fn new(puppet: &Puppet, images: &[Option<&Rgba>], long: f64) -> Self {
        let canvas = puppet.canvas;
        let scale = (long / canvas.width.max(canvas.height).max(1.0)).min(1.0);
        let side = |length: f64| (length * scale).ceil().clamp(1.0, long) as usize;
        let step = (0.5 / scale).floor().max(1.0) as usize;
        let masks = images.par_iter().map(|image| image.map(|image| Mask::of(image, step))).collect();
        Self { masks, scale, width: side(canvas.width), height: side(canvas.height) }
    }

    fn look(&self, puppet: &Puppet, posed: &[Posed]) -> View {
        let mut view =
            View { width: self.width, height: self.height, labels: vec![NOTHING; self.width * self.height] };
        // From the top down: what is covered need not be looked at again.
        for (index, drawable) in puppet.drawables.iter().enumerate().take(usize::from(NOTHING)).rev() {
            if let Some(mask) = &self.masks[index]
                && posed[index].opacity >= SEEN
            {
                for t in &drawable.triangles {
                    self.triangle(&mut view, index as u16, drawable, &posed[index], mask, *t);
                }
            }
        }
        view
    }

    fn triangle(&self, view: &mut View, label: u16, d: &Drawable, posed: &Posed, mask: &Mask, t: [u32; 3]) {
        let corner = |i: usize| posed.points[t[i] as usize] * self.scale;
        let uv = |i: usize| d.uvs[t[i] as usize];
        let (a, b, c) = (corner(0), corner(1), corner(2));
        let area = (b - a).cross(c - a);
        if !area.is_finite() || area.abs() < 1e-9 {
            return;
        }
        let low = |x: f64, y: f64, z: f64, end: usize| {
            (x.min(y).min(z) - 0.5).ceil().clamp(0.0, end as f64) as usize
        };
        let high = |x: f64, y: f64, z: f64, end: usize| {
            (x.max(y).max(z) - 0.5).floor().clamp(-1.0, end as f64 - 1.0) + 1.0
        };
        let columns = low(a.x, b.x, c.x, self.width)..high(a.x, b.x, c.x, self.width) as usize;
        let (to_b, to_c) = (uv(1) - uv(0), uv(2) - uv(0));
        for y in low(a.y, b.y, c.y, self.height)..high(a.y, b.y, c.y, self.height) as usize {
            let row = &mut view.labels[y * self.width..(y + 1) * self.width];
            for x in columns.clone() {
                if row[x] != NOTHING {
                    continue;
                }
                let p = Point::new(x as f64 + 0.5, y as f64 + 0.5) - a;
                let (v, w) = (p.cross(c - a) / area, (b - a).cross(p) / area);
                if v < 0.0 || w < 0.0 || v + w > 1.0 {
                    continue;
                }
                let at = uv(0) + to_b * v + to_c * w;
                if mask.covers(at) {
                    row[x] = label;
                }
            }
        }
    }
}

/// Where a picture covers, in steps of some pixels.
struct Mask {
    step: f64,
    width: usize,
    covers: Vec<bool>,
}

impl Mask {
    fn of(image: &Rgba, step: usize) -> Self {
        let middles = |side: u32| (step / 2..side as usize).step_by(step);
        let covers = middles(image.height()).flat_map(|y| {
            let row = image.row(y as u32);
            middles(image.width()).map(move |x| row[4 * x + 3] >= COVERS)
        });
        Self { step: step as f64, width: middles(image.width()).count(), covers: covers.collect() }
    }

    fn covers(&self, at: Point) -> bool {
        let (x, y) = (at.x / self.step, at.y / self.step);
        x >= 0.0
            && y >= 0.0
            && x < self.width as f64
            && self.covers.get(y as usize * self.width + x as usize).copied().unwrap_or(false)
    }
}

/// Which drawable is seen at every pixel.
struct View {
    width: usize,
    height: usize,
    labels: Vec<u16>,
}

impl View {
    /// Pixels that nothing covers and that cannot be reached from outside.
    fn enclosed(&self) -> Vec<bool> {
        let mut open = vec![false; self.labels.len()];
        let border = (0..self.labels.len()).filter(|i| {
            let (x, y) = (i % self.width, i / self.width);
            x == 0 || y == 0 || x + 1 == self.width || y + 1 == self.height
        });
        for start in border {
            self.flood(start, &mut open, |i| self.labels[i] == NOTHING);
        }
        self.labels.iter().zip(open).map(|(&l, open)| l == NOTHING && !open).collect()
    }

    /// Marks what hangs together with `start` by edges; returns it.
    fn flood(&self, start: usize, seen: &mut [bool], inside: impl Fn(usize) -> bool) -> Vec<usize> {
        if seen[start] || !inside(start) {
            return Vec::new();
        }
        seen[start] = true;
        let (mut found, mut next) = (vec![start], 0);
        while next < found.len() {
            for n in self.beside(found[next]).into_iter().flatten() {
                if !seen[n] && inside(n) {
                    seen[n] = true;
                    found.push(n);
                }
            }
            next += 1;
        }
        found
    }

    fn beside(&self, i: usize) -> [Option<usize>; 4] {
        let (x, y) = (i % self.width, i / self.width);
        [
            (x > 0).then(|| i - 1),
            (x + 1 < self.width).then_some(i + 1),
            (y > 0).then(|| i - self.width),
            (y + 1 < self.height).then_some(i + self.width),
        ]
    }

    /// A mask grown by some pixels in rows, then in columns.
    fn grown(&self, mask: &[bool], by: usize) -> Vec<bool> {
        let spread = |mask: &[bool], step: usize, run: usize, across: usize, stride: usize| {
            let mut out = vec![false; mask.len()];
            for line in 0..across {
                let at = |k: usize| line * stride + k * step;
                let mut last: Option<usize> = None;
                let mut ahead = 0;
                for k in 0..run {
                    while ahead < run && ahead <= k + by {
                        if mask[at(ahead)] {
                            last = Some(ahead);
                        }
                        ahead += 1;
                    }
                    out[at(k)] = last.is_some_and(|l| l + by >= k);
                }
            }
            out
        };
        let rows = spread(mask, 1, self.width, self.height, self.width);
        spread(&rows, self.width, self.height, self.width, 1)
    }

    /// Pixels that opened, by the pair of members beside them. Holes near those at rest count as far as all of them have
    /// grown.
    fn opened(
        &self,
        near: &[bool],
        before: f64,
        member: &dyn Fn(u16) -> usize,
    ) -> BTreeMap<(usize, usize), f64> {
        let enclosed = self.enclosed();
        let mut seen = vec![false; enclosed.len()];
        let (mut far, mut close) = (Vec::new(), Vec::new());
        for start in 0..enclosed.len() {
            let hole = self.flood(start, &mut seen, |i| enclosed[i]);
            if !hole.is_empty() {
                let known = hole.iter().any(|&i| near[i]);
                if known { close.push(hole) } else { far.push(hole) }
            }
        }
        let total = close.iter().map(Vec::len).sum::<usize>() as f64;
        let grown = if total > 0.0 { (total - GROWTH * before).max(0.0) / total } else { 0.0 };
        let mut pairs = BTreeMap::new();
        let counted = far.iter().map(|hole| (hole, 1.0)).chain(close.iter().map(|hole| (hole, grown)));
        for (hole, share) in counted.filter(|c| c.1 > 0.0) {
            *pairs.entry(self.pair(hole, member)).or_insert(0.0) += share * hole.len() as f64;
        }
        pairs
    }

    /// The two members that touch a hole along most pixels.
    fn pair(&self, hole: &[usize], member: &dyn Fn(u16) -> usize) -> (usize, usize) {
        let mut counts: BTreeMap<usize, usize> = BTreeMap::new();
        for n in hole.iter().flat_map(|&i| self.beside(i)).flatten() {
            if self.labels[n] != NOTHING {
                *counts.entry(member(self.labels[n])).or_insert(0) += 1;
            }
        }
        let mut order: Vec<(usize, usize)> = counts.into_iter().collect();
        order.sort_by_key(|&(member, count)| (std::cmp::Reverse(count), member));
        let first = order.first().map_or(0, |o| o.0);
        let second = order.get(1).map_or(first, |o| o.0);
        (first.max(second), first.min(second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(rows: &[&str]) -> View {
        let labels =
            rows.iter().flat_map(|r| r.bytes()).map(|b| if b == b'.' { NOTHING } else { (b - b'a').into() });
        View { width: rows[0].len(), height: rows.len(), labels: labels.collect() }
    }

    #[test]
    fn a_hole_names_its_neighbours() {
        let v = view(&["......", ".aaab.", ".a..b.", ".aabb.", "......"]);
        let enclosed = v.enclosed();
        assert_eq!(enclosed.iter().filter(|&&e| e).count(), 2);
        let none = vec![false; enclosed.len()];
        let want = BTreeMap::from([((1, 0), 2.0)]);
        assert_eq!(v.opened(&none, 0.0, &|l| l.into()), want);
        let all = vec![true; enclosed.len()];
        assert_eq!(v.opened(&all, 2.0, &|l| l.into()), BTreeMap::new(), "it was there at rest");
    }

    #[test]
    fn masks_grow_both_ways() {
        let v = View { width: 80, height: 70, labels: vec![NOTHING; 5600] };
        let mut mask = vec![false; 5600];
        mask[30 * 80 + 40] = true;
        let grown = v.grown(&mask, 16);
        for (x, y, want) in [(40, 30, true), (24, 14, true), (56, 46, true), (23, 30, false), (40, 47, false)]
        {
            assert_eq!(grown[y * 80 + x], want, "{x} {y}");
        }
    }
}
