//! Several poses side by side: the same operations on each lane, in the same order whatever the number of lanes.
//!
//! A lane never looks at another one. When its pose is done the next pose takes its place, so that a hard pose does not
//! hold up its neighbours.

#![expect(
    clippy::needless_range_loop,
    reason = "one index runs over several arrays, which is what becomes one instruction"
)]

use crate::solver::{Pose, Settings};
use crate::system::System;

/// How many earlier rounds a step is extrapolated from.
pub(crate) const HISTORY: usize = 4;
/// A round whose residual is this much longer (squared) than the one before forgets the history.
const RUNAWAY: f64 = 4.0;
/// Ridge of the extrapolation's normal equations, as part of their trace.
const RIDGE: f64 = 1e-11;

/// A round may move a vertex by this part of the tolerance when the pose is taken for done: what is left is up to fifty
/// times the last move (measured with weak guides and bends of two radians).
const CAUTION: f64 = 0.1;

/// One number in each lane.
type Lane<const L: usize> = [f64; L];
/// x and y in each lane.
type Pair<const L: usize> = [Lane<L>; 2];

/// A pose as it left its lane.
#[derive(Default)]
pub(crate) struct Done {
    /// Index into the poses.
    pub(crate) pose: usize,
    /// Positions of the unknowns.
    pub(crate) unknowns: Vec<[f64; 2]>,
    pub(crate) rounds: u32,
    pub(crate) converged: bool,
}

/// The state of `L` lanes.
struct Lanes<'a, const L: usize> {
    system: &'a System,
    settings: &'a Settings,
    pose: [Option<usize>; L],
    rounds: [u32; L],
    /// Rounds since the lane was filled or forgot its history.
    known: [usize; L],
    /// Rounds of all lanes together: names the slot of the history that is written next.
    clock: usize,
    now: Vec<Pair<L>>,
    pulls: Vec<Pair<L>>,
    rotations: Vec<Pair<L>>,
    /// Right-hand sides, then what the global step gives.
    next: Vec<Pair<L>>,
    residual: Vec<Pair<L>>,
    before: Vec<Pair<L>>,
    /// Differences of successive residuals, and of successive global steps: `HISTORY` of each per unknown.
    history: Vec<[[Pair<L>; 2]; HISTORY]>,
    /// Products of residual differences with each other and with the latest residual, by slot.
    products: [[Lane<L>; HISTORY]; HISTORY],
    onto: [Lane<L>; HISTORY],
    square: Lane<L>,
}

/// Takes poses from `take` until there are none, and solves them in `L` lanes.
#[inline(always)]
pub(crate) fn stream<const L: usize>(
    system: &System,
    poses: &[Pose],
    settings: &Settings,
    take: &dyn Fn() -> Option<usize>,
) -> Vec<Done> {
    let mut lanes = Lanes::<L>::new(system, settings);
    let mut done = Vec::new();
    for lane in 0..L {
        lanes.fill(lane, poses, take);
    }
    while lanes.pose.iter().any(Option::is_some) {
        lanes.turn();
        lanes.sides();
        lanes.solve();
        let moved = lanes.compare();
        lanes.advance();
        for lane in 0..L {
            if let Some(result) = lanes.finished(lane, moved[lane]) {
                done.push(result);
                lanes.fill(lane, poses, take);
            }
        }
    }
    done
}

impl<'a, const L: usize> Lanes<'a, L> {
    fn new(system: &'a System, settings: &'a Settings) -> Self {
        let zeros = |n: usize| vec![[[0.0; L]; 2]; n];
        let free = system.free;
        Self {
            system,
            settings,
            pose: [None; L],
            rounds: [0; L],
            known: [0; L],
            clock: 0,
            now: zeros(system.vertices.len()),
            pulls: zeros(free),
            rotations: zeros(system.turned),
            next: zeros(free),
            residual: zeros(free),
            before: zeros(free),
            history: vec![[[[[0.0; L]; 2]; 2]; HISTORY]; free],
            products: [[[0.0; L]; HISTORY]; HISTORY],
            onto: [[0.0; L]; HISTORY],
            square: [0.0; L],
        }
    }

    /// Puts the next pose into a lane.
    fn fill(&mut self, lane: usize, poses: &[Pose], take: &dyn Fn() -> Option<usize>) {
        self.pose[lane] = take();
        let Some(pose) = self.pose[lane].map(|i| &poses[i]) else { return };
        self.rounds[lane] = 0;
        self.known[lane] = 0;
        let start = pose.start.as_ref().unwrap_or(&pose.guides);
        for (i, vertex) in self.system.vertices.iter().enumerate() {
            let from = if i < self.system.free { start } else { &pose.guides };
            for k in 0..2 {
                self.now[i][k][lane] = from[*vertex as usize][k];
            }
        }
        for i in 0..self.system.free {
            let pull = pull(self.system, pose, i);
            for k in 0..2 {
                self.pulls[i][k][lane] = pull[k];
            }
        }
    }

    /// The local step: the rotation that best maps each vertex's rest spokes to those of now.
    #[inline(always)]
    fn turn(&mut self) {
        for i in 0..self.system.turned {
            let here = self.now[i];
            let sum = self.system.sums[i];
            let mut cosine = [0.0; L];
            let mut sine = [0.0; L];
            for l in 0..L {
                cosine[l] = sum[0] * here[0][l] + sum[1] * here[1][l];
                sine[l] = sum[0] * here[1][l] - sum[1] * here[0][l];
            }
            for spoke in self.system.spokes_of(i) {
                let there = &self.now[spoke.to as usize];
                let [u, v] = spoke.edge;
                for l in 0..L {
                    cosine[l] -= u * there[0][l] + v * there[1][l];
                    sine[l] -= u * there[1][l] - v * there[0][l];
                }
            }
            let rotation = &mut self.rotations[i];
            for l in 0..L {
                let length = (cosine[l] * cosine[l] + sine[l] * sine[l]).sqrt();
                let scale = 1.0 / length;
                rotation[0][l] = if length > 1e-30 { cosine[l] * scale } else { 1.0 };
                rotation[1][l] = if length > 1e-30 { sine[l] * scale } else { 0.0 };
            }
        }
    }

    /// Right-hand sides: what pulls, and rest edges turned by the mean of both ends' rotations.
    #[inline(always)]
    fn sides(&mut self) {
        for i in 0..self.system.free {
            let own = &self.rotations[i];
            let [u, v] = self.system.sums[i];
            let mut x = [0.0; L];
            let mut y = [0.0; L];
            for l in 0..L {
                x[l] = own[0][l] * u - own[1][l] * v;
                y[l] = own[1][l] * u + own[0][l] * v;
            }
            for spoke in self.system.spokes_of(i) {
                let other = &self.rotations[spoke.to as usize];
                let [u, v] = spoke.edge;
                for l in 0..L {
                    x[l] += other[0][l] * u - other[1][l] * v;
                    y[l] += other[1][l] * u + other[0][l] * v;
                }
            }
            let (pull, next) = (&self.pulls[i], &mut self.next[i]);
            for l in 0..L {
                next[0][l] = pull[0][l] + 0.5 * x[l];
                next[1][l] = pull[1][l] + 0.5 * y[l];
            }
        }
    }

    /// The global step, in place.
    #[inline(always)]
    fn solve(&mut self) {
        let factor = &self.system.factor;
        for i in 0..self.next.len() {
            let (done, rest) = self.next.split_at_mut(i);
            let [mut x, mut y] = rest[0];
            let row = &factor.rows[factor.start[i]..factor.start[i + 1]];
            for (entry, known) in row.iter().zip(&done[factor.first[i]..]) {
                for l in 0..L {
                    x[l] -= entry * known[0][l];
                    y[l] -= entry * known[1][l];
                }
            }
            let scale = factor.reciprocal[i];
            for l in 0..L {
                rest[0][0][l] = x[l] * scale;
                rest[0][1][l] = y[l] * scale;
            }
        }
        for i in (0..self.next.len()).rev() {
            let (done, rest) = self.next.split_at_mut(i);
            let scale = factor.reciprocal[i];
            for l in 0..L {
                rest[0][0][l] *= scale;
                rest[0][1][l] *= scale;
            }
            let [x, y] = &rest[0];
            let row = &factor.rows[factor.start[i]..factor.start[i + 1]];
            for (entry, other) in row.iter().zip(&mut done[factor.first[i]..]) {
                for l in 0..L {
                    other[0][l] -= entry * x[l];
                    other[1][l] -= entry * y[l];
                }
            }
        }
    }

    /// Residuals and their differences enter the history; gives the squared longest move of each lane.
    #[inline(always)]
    fn compare(&mut self) -> Lane<L> {
        let slot = self.clock % HISTORY;
        let mut moved = [0.0; L];
        let mut square = [0.0; L];
        let mut products = [[0.0; L]; HISTORY];
        let mut onto = [0.0; L];
        for i in 0..self.system.free {
            let history = &mut self.history[i];
            let mut residual = [[0.0; L]; 2];
            for k in 0..2 {
                for l in 0..L {
                    residual[k][l] = self.next[i][k][l] - self.now[i][k][l];
                    history[slot][0][k][l] = residual[k][l] - self.residual[i][k][l];
                    history[slot][1][k][l] = self.next[i][k][l] - self.before[i][k][l];
                }
            }
            let newest = history[slot][0];
            for (product, column) in products.iter_mut().zip(history.iter()) {
                for l in 0..L {
                    product[l] += newest[0][l] * column[0][0][l] + newest[1][l] * column[0][1][l];
                }
            }
            for l in 0..L {
                onto[l] += newest[0][l] * residual[0][l] + newest[1][l] * residual[1][l];
                let length = residual[0][l] * residual[0][l] + residual[1][l] * residual[1][l];
                square[l] += length;
                moved[l] = if length > moved[l] { length } else { moved[l] };
            }
            self.residual[i] = residual;
            self.before[i] = self.next[i];
        }
        self.remember(slot, &products, onto, square);
        moved
    }

    /// Products of the newest difference; lanes whose residual ran away forget.
    fn remember(&mut self, slot: usize, products: &[Lane<L>; HISTORY], onto: Lane<L>, square: Lane<L>) {
        for (other, product) in products.iter().enumerate() {
            for l in 0..L {
                self.onto[other][l] += product[l];
            }
            self.products[slot][other] = *product;
            self.products[other][slot] = *product;
        }
        self.onto[slot] = onto;
        for l in 0..L {
            if square[l] > RUNAWAY * self.square[l] {
                self.known[l] = 0;
            }
        }
        self.square = square;
    }

    /// The next positions: the global step, less what the history says is still to come (Anderson acceleration).
    #[inline(always)]
    fn advance(&mut self) {
        let mut shares = [[0.0; L]; HISTORY];
        for l in 0..L {
            let columns = self.known[l].min(HISTORY);
            self.known[l] += 1;
            let shares_of_lane = self.shares(l, columns);
            for (age, share) in shares_of_lane.into_iter().enumerate() {
                shares[(self.clock + HISTORY - age) % HISTORY][l] = share;
            }
        }
        for i in 0..self.system.free {
            let mut next = self.next[i];
            for (share, column) in shares.iter().zip(&self.history[i]) {
                for k in 0..2 {
                    for l in 0..L {
                        next[k][l] -= share[l] * column[1][k][l];
                    }
                }
            }
            self.now[i] = next;
        }
        self.clock += 1;
    }

    /// Shares of the newest `columns` columns, newest first: least squares by Cholesky with a small ridge.
    fn shares(&self, lane: usize, columns: usize) -> [f64; HISTORY] {
        let slot = |age: usize| (self.clock + HISTORY - age) % HISTORY;
        let mut l = [[0.0; HISTORY]; HISTORY];
        let trace: f64 = (0..columns).map(|a| self.products[slot(a)][slot(a)][lane]).sum();
        let mut x = [0.0; HISTORY];
        for i in 0..columns {
            for j in 0..=i {
                let mut value = self.products[slot(i)][slot(j)][lane];
                for k in 0..j {
                    value -= l[i][k] * l[j][k];
                }
                if i == j {
                    value += RIDGE * trace;
                    if value.is_nan() || value <= 0.0 {
                        return [0.0; HISTORY];
                    }
                    l[i][i] = value.sqrt();
                } else {
                    l[i][j] = value / l[j][j];
                }
            }
            let mut value = self.onto[slot(i)][lane];
            for k in 0..i {
                value -= l[i][k] * x[k];
            }
            x[i] = value / l[i][i];
        }
        for i in (0..columns).rev() {
            for k in i + 1..columns {
                x[i] -= l[k][i] * x[k];
            }
            x[i] /= l[i][i];
        }
        x
    }

    /// The pose of a lane when it is done.
    fn finished(&mut self, lane: usize, moved: f64) -> Option<Done> {
        let pose = self.pose[lane]?;
        self.rounds[lane] += 1;
        let aim = self.settings.tolerance * CAUTION;
        let converged = moved < aim * aim;
        if !converged && self.rounds[lane] < self.settings.rounds {
            return None;
        }
        let unknowns = self.next.iter().map(|p| [p[0][lane], p[1][lane]]).collect();
        Some(Done { pose, unknowns, rounds: self.rounds[lane], converged })
    }
}

/// What draws unknown `i` whatever the rotations are: its guide and its fixed neighbours.
pub(crate) fn pull(system: &System, pose: &Pose, i: usize) -> [f64; 2] {
    let guide = pose.guides[system.vertices[i] as usize];
    let mut pull = guide.map(|g| system.penalties[i] * g);
    for spoke in system.spokes_of(i).iter().filter(|s| s.to as usize >= system.free) {
        let there = pose.guides[system.vertices[spoke.to as usize] as usize];
        pull = [pull[0] + spoke.weight * there[0], pull[1] + spoke.weight * there[1]];
    }
    pull
}
