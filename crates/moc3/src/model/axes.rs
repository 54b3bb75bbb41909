//! Axes shared between objects: parameter bindings and keyform bindings (MOC3_FORMAT 6.1).

use std::collections::BTreeMap;

use super::{Axis, Model};

/// The distinct axes of a model and the distinct lists of them.
pub(crate) struct AxisTable<'m> {
    /// Parameter bindings: parameter and keys, grouped by parameter, in order of first use inside a group.
    pub(crate) bindings: Vec<(usize, &'m [f32])>,
    /// Keyform bindings in order of first use, the empty one first: indices into [`Self::bindings`].
    pub(crate) grids: Vec<Vec<usize>>,
    /// Keyform binding of each part.
    pub(crate) parts: Vec<usize>,
    /// Keyform binding of each deformer.
    pub(crate) deformers: Vec<usize>,
    /// Keyform binding of each drawable.
    pub(crate) drawables: Vec<usize>,
    /// Keyform binding of each glue.
    pub(crate) glues: Vec<usize>,
}

impl<'m> AxisTable<'m> {
    /// Collects the axes of all objects: parts, deformers, drawables, glues.
    pub(crate) fn new(model: &'m Model) -> Self {
        let mut grids = Grids::default();
        grids.add(&[]);
        let mut table = Self {
            parts: model.parts.iter().map(|part| grids.add(&part.axes)).collect(),
            deformers: model.deformers.iter().map(|deformer| grids.add(&deformer.axes)).collect(),
            drawables: model.drawables.iter().map(|drawable| grids.add(&drawable.axes)).collect(),
            glues: model.glues.iter().map(|glue| grids.add(&glue.axes)).collect(),
            bindings: Vec::new(),
            grids: Vec::new(),
        };
        let (bindings, place) = group_by_parameter(grids.bindings.values, |binding| binding.0);
        table.bindings = bindings.into_iter().map(|(parameter, keys)| (parameter, keys.0)).collect();
        table.grids = grids.grids.values;
        table.grids.iter_mut().flatten().for_each(|binding| *binding = place[*binding]);
        table
    }
}

/// Sorts by parameter, keeping the order inside; also gives the new place of each old one.
pub(crate) fn group_by_parameter<T>(values: Vec<T>, parameter: impl Fn(&T) -> usize) -> (Vec<T>, Vec<usize>) {
    let mut sorted: Vec<_> = values.into_iter().enumerate().collect();
    sorted.sort_by_key(|(_, value)| parameter(value));
    let mut place = vec![0; sorted.len()];
    for (new, (old, _)) in sorted.iter().enumerate() {
        place[*old] = new;
    }
    (sorted.into_iter().map(|(_, value)| value).collect(), place)
}

/// Numbers distinct values in order of first use.
pub(crate) struct Interner<T> {
    /// The values by number.
    pub(crate) values: Vec<T>,
    numbers: BTreeMap<T, usize>,
}

impl<T> Default for Interner<T> {
    fn default() -> Self {
        Self { values: Vec::new(), numbers: BTreeMap::new() }
    }
}

impl<T: Ord + Clone> Interner<T> {
    /// The number of `value`.
    pub(crate) fn add(&mut self, value: T) -> usize {
        if let Some(number) = self.numbers.get(&value) {
            return *number;
        }
        self.values.push(value.clone());
        self.numbers.insert(value, self.values.len() - 1);
        self.values.len() - 1
    }
}

/// Keys compared bit by bit.
#[derive(Clone, Copy)]
pub(crate) struct Keys<'m>(pub(crate) &'m [f32]);

impl Keys<'_> {
    fn bits(&self) -> impl Iterator<Item = u32> {
        self.0.iter().map(|key| key.to_bits())
    }
}

impl PartialEq for Keys<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Keys<'_> {}

impl PartialOrd for Keys<'_> {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Keys<'_> {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.bits().cmp(other.bits())
    }
}

#[derive(Default)]
struct Grids<'m> {
    bindings: Interner<(usize, Keys<'m>)>,
    grids: Interner<Vec<usize>>,
}

impl<'m> Grids<'m> {
    fn add(&mut self, axes: &'m [Axis]) -> usize {
        let grid = axes.iter().map(|axis| self.bindings.add((axis.parameter, Keys(&axis.keys)))).collect();
        self.grids.add(grid)
    }
}
