//! Several poses side by side: the same operations on each lane, in the same order whatever the number of lanes.
//!
//! A lane never looks at another one. When its pose is done the next pose takes its place, so that a hard pose does not
//! hold up its neighbours.

use crate::lane::Lane;
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

/// x and y.
type Pair<V> = [V; 2];

/// A pose as it left its lane.
pub(crate) struct Done {
    /// Index into the poses.
    pub(crate) pose: usize,
    /// Positions of all vertices of the mesh.
    pub(crate) positions: Vec<[f64; 2]>,
    pub(crate) rounds: u32,
    pub(crate) converged: bool,
}

/// The state of all lanes.
struct Lanes<'a, V: Lane> {
    system: &'a System,
    settings: &'a Settings,
    pose: Vec<Option<usize>>,
    rounds: Vec<u32>,
    /// Rounds since each lane was filled or forgot its history.
    known: Vec<usize>,
    /// Rounds of all lanes together: names the slot of the history that is written next.
    clock: usize,
    now: Vec<Pair<V>>,
    pulls: Vec<Pair<V>>,
    rotations: Vec<Pair<V>>,
    /// Right-hand sides, then what the global step gives.
    next: Vec<Pair<V>>,
    residual: Vec<Pair<V>>,
    before: Vec<Pair<V>>,
    /// Differences of successive residuals, and of successive global steps; half the memory in single precision, and
    /// what they foretell is a guess anyway.
    residuals: Vec<[[V::Short; 2]; HISTORY]>,
    steps: Vec<[[V::Short; 2]; HISTORY]>,
    /// Products of residual differences with each other and with the latest residual, by slot.
    products: [[V; HISTORY]; HISTORY],
    onto: [V; HISTORY],
    square: V,
}

/// Takes poses from `take` until there are none, and solves them side by side.
#[inline(always)]
pub(crate) fn stream<V: Lane>(
    system: &System,
    poses: &[Pose],
    settings: &Settings,
    take: &dyn Fn() -> Option<usize>,
) -> Vec<Done> {
    let mut lanes = Lanes::<V>::new(system, settings);
    let mut done = Vec::new();
    for lane in 0..V::COUNT {
        lanes.fill(lane, poses, take);
    }
    while lanes.pose.iter().any(Option::is_some) {
        lanes.turn();
        lanes.sides();
        lanes.forward();
        lanes.backward();
        let moved = lanes.compare();
        lanes.advance();
        for lane in 0..V::COUNT {
            if let Some(result) = lanes.finished(lane, moved.get(lane), poses) {
                done.push(result);
                lanes.fill(lane, poses, take);
            }
        }
    }
    done
}

impl<'a, V: Lane> Lanes<'a, V> {
    fn new(system: &'a System, settings: &'a Settings) -> Self {
        let zeros = |n: usize| vec![[V::ZERO; 2]; n];
        let free = system.free;
        Self {
            system,
            settings,
            pose: vec![None; V::COUNT],
            rounds: vec![0; V::COUNT],
            known: vec![0; V::COUNT],
            clock: 0,
            now: zeros(system.vertices.len()),
            pulls: zeros(free),
            rotations: zeros(system.turned),
            next: zeros(free),
            residual: zeros(free),
            before: zeros(free),
            residuals: vec![[[V::NONE; 2]; HISTORY]; free],
            steps: vec![[[V::NONE; 2]; HISTORY]; free],
            products: [[V::ZERO; HISTORY]; HISTORY],
            onto: [V::ZERO; HISTORY],
            square: V::ZERO,
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
            put(&mut self.now[i], lane, from[*vertex as usize]);
        }
        for i in 0..self.system.free {
            put(&mut self.pulls[i], lane, pull(self.system, pose, i));
        }
    }

    /// The local step: the rotation that best maps each vertex's rest spokes to those of now.
    #[inline(always)]
    fn turn(&mut self) {
        for (i, rotation) in self.rotations.iter_mut().enumerate() {
            let [x, y] = self.now[i];
            let [u, v] = self.system.sums[i];
            let mut cosine = x * u + y * v;
            let mut sine = y * u - x * v;
            for spoke in self.system.spokes_of(i) {
                let [x, y] = self.now[spoke.to as usize];
                let [u, v] = spoke.edge;
                cosine = cosine - (x * u + y * v);
                sine = sine - (y * u - x * v);
            }
            let scale = (cosine * cosine + sine * sine).larger(V::TINY).inverse_root();
            *rotation = [cosine * scale, sine * scale];
        }
    }

    /// Right-hand sides: what pulls, and rest edges turned by the mean of both ends' rotations.
    #[inline(always)]
    fn sides(&mut self) {
        for (i, next) in self.next.iter_mut().enumerate() {
            let [cosine, sine] = self.rotations[i];
            let [u, v] = self.system.sums[i];
            let mut x = cosine * u - sine * v;
            let mut y = sine * u + cosine * v;
            for spoke in self.system.spokes_of(i) {
                let [cosine, sine] = self.rotations[spoke.to as usize];
                let [u, v] = spoke.edge;
                x = x + (cosine * u - sine * v);
                y = y + (sine * u + cosine * v);
            }
            let pull = self.pulls[i];
            *next = [pull[0] + x * 0.5, pull[1] + y * 0.5];
        }
    }

    /// The global step's first half, in place: the factor.
    #[inline(always)]
    fn forward(&mut self) {
        let factor = &self.system.factor;
        for i in 0..self.next.len() {
            let (done, rest) = self.next.split_at_mut(i);
            let [mut x, mut y] = rest[0];
            let row = &factor.rows[factor.start[i]..factor.start[i + 1]];
            for (entry, known) in row.iter().zip(&done[factor.first[i]..]) {
                x = x - known[0] * *entry;
                y = y - known[1] * *entry;
            }
            let scale = factor.reciprocal[i];
            rest[0] = [x * scale, y * scale];
        }
    }

    /// The second half: its transpose.
    #[inline(always)]
    fn backward(&mut self) {
        let factor = &self.system.factor;
        for i in (0..self.next.len()).rev() {
            let (done, rest) = self.next.split_at_mut(i);
            let scale = factor.reciprocal[i];
            let [x, y] = [rest[0][0] * scale, rest[0][1] * scale];
            rest[0] = [x, y];
            let row = &factor.rows[factor.start[i]..factor.start[i + 1]];
            for (entry, other) in row.iter().zip(&mut done[factor.first[i]..]) {
                *other = [other[0] - x * *entry, other[1] - y * *entry];
            }
        }
    }

    /// Residuals and their differences enter the history; gives the squared longest move of each lane.
    #[inline(always)]
    fn compare(&mut self) -> V {
        let slot = self.clock % HISTORY;
        let mut moved = V::ZERO;
        let mut square = V::ZERO;
        let mut products = [V::ZERO; HISTORY];
        let mut onto = V::ZERO;
        for i in 0..self.next.len() {
            let (next, now, before) = (self.next[i], self.now[i], self.before[i]);
            let residual = [next[0] - now[0], next[1] - now[1]];
            let newest = [residual[0] - self.residual[i][0], residual[1] - self.residual[i][1]].map(V::short);
            self.residual[i] = residual;
            self.before[i] = next;
            self.steps[i][slot] = [next[0] - before[0], next[1] - before[1]].map(V::short);
            self.residuals[i][slot] = newest;
            let newest = newest.map(V::long);
            for (product, column) in products.iter_mut().zip(&self.residuals[i]) {
                *product = *product + (newest[0] * V::long(column[0]) + newest[1] * V::long(column[1]));
            }
            onto = onto + (newest[0] * residual[0] + newest[1] * residual[1]);
            let length = residual[0] * residual[0] + residual[1] * residual[1];
            square = square + length;
            moved = moved.larger(length);
        }
        self.remember(slot, products, onto, square);
        moved
    }

    /// Products of the newest difference; lanes whose residual ran away forget.
    fn remember(&mut self, slot: usize, products: [V; HISTORY], onto: V, square: V) {
        for (other, product) in products.into_iter().enumerate() {
            self.onto[other] = self.onto[other] + product;
            self.products[slot][other] = product;
            self.products[other][slot] = product;
        }
        self.onto[slot] = onto;
        for (lane, known) in self.known.iter_mut().enumerate() {
            if square.get(lane) > RUNAWAY * self.square.get(lane) {
                *known = 0;
            }
        }
        self.square = square;
    }

    /// The next positions: the global step, less what the history says is still to come (Anderson acceleration).
    #[inline(always)]
    fn advance(&mut self) {
        // By age, as sums must not depend on when a lane was filled.
        let mut shares = [V::ZERO; HISTORY];
        for lane in 0..V::COUNT {
            let columns = self.known[lane].min(HISTORY);
            self.known[lane] += 1;
            for (share, value) in shares.iter_mut().zip(self.shares(lane, columns)) {
                share.set(lane, value);
            }
        }
        let slots: [usize; HISTORY] = std::array::from_fn(|age| self.slot(age));
        for (i, now) in self.now[..self.system.free].iter_mut().enumerate() {
            let [mut x, mut y] = self.next[i];
            for (share, slot) in shares.iter().zip(slots) {
                let step = self.steps[i][slot];
                x = x - V::long(step[0]) * *share;
                y = y - V::long(step[1]) * *share;
            }
            *now = [x, y];
        }
        self.clock += 1;
    }

    /// The slot of the column that is `age` rounds old.
    fn slot(&self, age: usize) -> usize {
        (self.clock + HISTORY - age) % HISTORY
    }

    /// Shares of the newest `columns` columns, newest first: least squares by Cholesky with a small ridge.
    fn shares(&self, lane: usize, columns: usize) -> [f64; HISTORY] {
        let mut shares = [0.0; HISTORY];
        let mut lower = [[0.0; HISTORY]; HISTORY];
        let product = |a: usize, b: usize| self.products[self.slot(a)][self.slot(b)].get(lane);
        let ridge = RIDGE * (0..columns).map(|a| product(a, a)).sum::<f64>();
        for i in 0..columns {
            for j in 0..=i {
                let known: f64 = lower[i].iter().zip(&lower[j]).take(j).map(|(a, b)| a * b).sum();
                let value = product(i, j) - known;
                if i != j {
                    lower[i][j] = value / lower[j][j];
                } else if value + ridge > 0.0 {
                    lower[i][i] = (value + ridge).sqrt();
                } else {
                    // Nothing to learn from, or not a number.
                    return [0.0; HISTORY];
                }
            }
            let known: f64 = lower[i].iter().zip(&shares).take(i).map(|(a, b)| a * b).sum();
            shares[i] = (self.onto[self.slot(i)].get(lane) - known) / lower[i][i];
        }
        for i in (0..columns).rev() {
            let known: f64 = (i + 1..columns).map(|k| lower[k][i] * shares[k]).sum();
            shares[i] = (shares[i] - known) / lower[i][i];
        }
        shares
    }

    /// The pose of a lane when it is done.
    fn finished(&mut self, lane: usize, moved: f64, poses: &[Pose]) -> Option<Done> {
        let pose = self.pose[lane]?;
        self.rounds[lane] += 1;
        let aim = self.settings.tolerance * CAUTION;
        let converged = moved < aim * aim;
        if !converged && self.rounds[lane] < self.settings.rounds {
            return None;
        }
        let mut positions = poses[pose].guides.clone();
        for (vertex, [x, y]) in self.system.vertices.iter().zip(&self.next) {
            positions[*vertex as usize] = [x.get(lane), y.get(lane)];
        }
        Some(Done { pose, positions, rounds: self.rounds[lane], converged })
    }
}

fn put<V: Lane>(pair: &mut Pair<V>, lane: usize, value: [f64; 2]) {
    pair[0].set(lane, value[0]);
    pair[1].set(lane, value[1]);
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
