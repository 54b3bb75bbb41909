//! Axis-aligned rectangles, float and integer.

use serde::{Deserialize, Serialize};

use crate::Point;

/// A rectangle; `right` and `bottom` are exclusive edges (so `width = right - left`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rect {
    /// Left edge.
    pub left: f64,
    /// Top edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Bottom edge.
    pub bottom: f64,
}

impl Rect {
    /// From the four edges.
    pub const fn new(left: f64, top: f64, right: f64, bottom: f64) -> Self {
        Self { left, top, right, bottom }
    }
    /// The box of some points; `None` without any.
    pub fn bounding(points: impl IntoIterator<Item = Point>) -> Option<Self> {
        points.into_iter().fold(None, |acc: Option<Self>, p| {
            let one = Self::new(p.x, p.y, p.x, p.y);
            Some(acc.map_or(one, |r| r.union(one)))
        })
    }
    /// Width, negative when inverted.
    pub fn width(&self) -> f64 {
        self.right - self.left
    }
    /// Height, negative when inverted.
    pub fn height(&self) -> f64 {
        self.bottom - self.top
    }
    /// Centre.
    pub fn center(&self) -> Point {
        Point::new((self.left + self.right) / 2.0, (self.top + self.bottom) / 2.0)
    }
    /// Smallest box holding both.
    pub fn union(&self, o: Self) -> Self {
        Self::new(
            self.left.min(o.left),
            self.top.min(o.top),
            self.right.max(o.right),
            self.bottom.max(o.bottom),
        )
    }
    /// Union of many boxes; `None` without any.
    pub fn union_all(rects: impl IntoIterator<Item = Self>) -> Option<Self> {
        rects.into_iter().fold(None, |acc: Option<Self>, r| Some(acc.map_or(r, |a| a.union(r))))
    }
    /// Every side moved outwards by the fraction `f` of the width (x) or height (y): total growth is `2f` (RIG section 0).
    pub fn expand(&self, f: f64) -> Self {
        let (dx, dy) = (self.width() * f, self.height() * f);
        Self::new(self.left - dx, self.top - dy, self.right + dx, self.bottom + dy)
    }
    /// Position of `p` in this frame: (0,0) top left, (1,1) bottom right; sides below 1e-4 count as 1e-4 (RIG section 0).
    pub fn norm(&self, p: Point) -> Point {
        Point::new((p.x - self.left) / self.width().max(1e-4), (p.y - self.top) / self.height().max(1e-4))
    }
    /// The point at frame position `(u, v)`: inverse of [`Rect::norm`].
    pub fn at(&self, u: f64, v: f64) -> Point {
        Point::new(self.left + u * self.width(), self.top + v * self.height())
    }
    /// `p` lies inside or on an edge.
    pub fn contains(&self, p: Point) -> bool {
        p.x >= self.left && p.x <= self.right && p.y >= self.top && p.y <= self.bottom
    }
    /// The common area; `None` when there is none.
    pub fn intersection(&self, o: &Self) -> Option<Self> {
        let r = Self::new(
            self.left.max(o.left),
            self.top.max(o.top),
            self.right.min(o.right),
            self.bottom.min(o.bottom),
        );
        (r.width() > 0.0 && r.height() > 0.0).then_some(r)
    }
    /// The corners: top left, top right, bottom right, bottom left.
    pub fn corners(&self) -> [Point; 4] {
        [
            Point::new(self.left, self.top),
            Point::new(self.right, self.top),
            Point::new(self.right, self.bottom),
            Point::new(self.left, self.bottom),
        ]
    }
}

/// A rectangle of whole pixels; `right` and `bottom` are exclusive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct IntRect {
    /// Left edge.
    pub left: i32,
    /// Top edge.
    pub top: i32,
    /// Right edge, exclusive.
    pub right: i32,
    /// Bottom edge, exclusive.
    pub bottom: i32,
}

impl IntRect {
    /// From the four edges.
    pub const fn new(left: i32, top: i32, right: i32, bottom: i32) -> Self {
        Self { left, top, right, bottom }
    }
    /// Width in pixels; 0 when inverted or empty. Never overflows.
    pub fn width(&self) -> u32 {
        (i64::from(self.right) - i64::from(self.left)).clamp(0, i64::from(u32::MAX)) as u32
    }
    /// Height in pixels; 0 when inverted or empty. Never overflows.
    pub fn height(&self) -> u32 {
        (i64::from(self.bottom) - i64::from(self.top)).clamp(0, i64::from(u32::MAX)) as u32
    }
    /// Number of pixels.
    pub fn area(&self) -> u64 {
        u64::from(self.width()) * u64::from(self.height())
    }
    /// Holds no pixel.
    pub fn is_empty(&self) -> bool {
        self.width() == 0 || self.height() == 0
    }
    /// Smallest rectangle holding both; an empty one does not count.
    pub fn union(&self, o: Self) -> Self {
        if self.is_empty() {
            return o;
        }
        if o.is_empty() {
            return *self;
        }
        Self::new(
            self.left.min(o.left),
            self.top.min(o.top),
            self.right.max(o.right),
            self.bottom.max(o.bottom),
        )
    }
    /// The common pixels; `None` when there are none.
    pub fn intersection(&self, o: &Self) -> Option<Self> {
        let r = Self::new(
            self.left.max(o.left),
            self.top.max(o.top),
            self.right.min(o.right),
            self.bottom.min(o.bottom),
        );
        (!r.is_empty()).then_some(r)
    }
    /// The same edges as floats.
    pub fn to_rect(&self) -> Rect {
        Rect::new(f64::from(self.left), f64::from(self.top), f64::from(self.right), f64::from(self.bottom))
    }
}
