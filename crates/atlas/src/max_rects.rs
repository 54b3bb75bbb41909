//! MaxRects on square pages: integer, deterministic ties (DOCUMENT_LAYER 10.1).

/// A rectangle of page pixels, all edges non-negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Area {
    pub(crate) x: u32,
    pub(crate) y: u32,
    pub(crate) width: u32,
    pub(crate) height: u32,
}

impl Area {
    fn right(&self) -> u32 {
        self.x + self.width
    }
    pub(crate) fn bottom(&self) -> u32 {
        self.y + self.height
    }
    pub(crate) fn overlaps(&self, o: &Self) -> bool {
        self.x < o.right() && o.x < self.right() && self.y < o.bottom() && o.y < self.bottom()
    }
    fn contains(&self, o: &Self) -> bool {
        o.x >= self.x && o.y >= self.y && o.right() <= self.right() && o.bottom() <= self.bottom()
    }
}

/// How the best free rectangle is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Heuristic {
    /// Least left over on the tighter side, then on the other.
    BestShortSide,
    /// Lowest bottom edge, then leftmost.
    BottomLeft,
}

/// One page while it is being filled.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    free: Vec<Area>,
    used_height: u32,
}

impl Page {
    pub(crate) fn new(side: u32) -> Self {
        Self { free: vec![Area { x: 0, y: 0, width: side, height: side }], used_height: 0 }
    }

    pub(crate) fn used_height(&self) -> u32 {
        self.used_height
    }

    /// Takes a place for a rectangle; `None` when there is no room.
    pub(crate) fn insert(&mut self, width: u32, height: u32, heuristic: Heuristic) -> Option<Area> {
        let place = self
            .free
            .iter()
            .filter(|f| f.width >= width && f.height >= height)
            .map(|f| Area { x: f.x, y: f.y, width, height })
            .zip(self.free.iter().filter(|f| f.width >= width && f.height >= height))
            .min_by_key(|(place, free)| rank(place, free, heuristic))
            .map(|(place, _)| place)?;
        self.occupy(place);
        Some(place)
    }

    /// Marks an area as taken, whatever was free there.
    pub(crate) fn occupy(&mut self, taken: Area) {
        self.used_height = self.used_height.max(taken.bottom());
        let mut fresh = Vec::new();
        self.free.retain(|free| {
            if !free.overlaps(&taken) {
                return true;
            }
            split(free, &taken, &mut fresh);
            false
        });
        let old = self.free.len();
        self.free.append(&mut fresh);
        prune(&mut self.free, old);
    }
}

/// Smaller is better: the heuristic's two numbers, then upper, then left.
fn rank(place: &Area, free: &Area, heuristic: Heuristic) -> (u32, u32, u32, u32) {
    match heuristic {
        Heuristic::BestShortSide => {
            let (dx, dy) = (free.width - place.width, free.height - place.height);
            (dx.min(dy), dx.max(dy), place.y, place.x)
        }
        Heuristic::BottomLeft => (place.bottom(), place.x, place.y, place.x),
    }
}

/// The maximal free rectangles left of `free` around `taken`.
fn split(free: &Area, taken: &Area, out: &mut Vec<Area>) {
    if taken.x > free.x {
        out.push(Area { width: taken.x - free.x, ..*free });
    }
    if taken.right() < free.right() {
        out.push(Area { x: taken.right(), width: free.right() - taken.right(), ..*free });
    }
    if taken.y > free.y {
        out.push(Area { height: taken.y - free.y, ..*free });
    }
    if taken.bottom() < free.bottom() {
        out.push(Area { y: taken.bottom(), height: free.bottom() - taken.bottom(), ..*free });
    }
}

/// Drops rectangles inside others; those before `old` were pruned among themselves already.
fn prune(free: &mut Vec<Area>, old: usize) {
    let mut i = old;
    while i < free.len() {
        let inside =
            (0..free.len()).any(|j| j != i && free[j].contains(&free[i]) && (j < i || free[j] != free[i]));
        if inside {
            free.remove(i);
        } else {
            i += 1;
        }
    }
}
