//! The layout: tile sizes, locks, pins and a budget to places on pages.

use std::collections::BTreeMap;

use canonical::Canonical;
use serde::{Deserialize, Serialize};

use crate::max_rects::{Area, Heuristic, Page};

/// Steps of the shared scale search.
const FIT_STEPS: u32 = 4096;
/// Largest page side.
const MAX_SIDE: u32 = 16_384;

/// The budget.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, Canonical)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Side of the square pages in pixels, clamped to 256..=16384; grows to hold the largest tile.
    pub page_size: u32,
    /// Pages before tiles shrink.
    pub max_pages: u32,
    /// Pixels kept free around each tile, clamped to 0..=32: neighbours end up twice as far apart.
    pub padding: u32,
}

impl Default for Settings {
    fn default() -> Self {
        Self { page_size: 4096, max_pages: 8, padding: 8 }
    }
}

/// A tile to be placed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// Tile id.
    pub id: String,
    /// Raster width in pixels, at least 1.
    pub width: u32,
    /// Raster height in pixels, at least 1.
    pub height: u32,
    /// Density multiplier, 1 for the raster's own size.
    pub density: f64,
    /// Keeps its size when others shrink.
    pub lock: bool,
    /// Fixed place: page, x, y.
    pub pin: Option<(u32, u32, u32)>,
}

/// Where every tile lies.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Layout {
    /// Side of every page in pixels.
    pub page_size: u32,
    /// Number of pages.
    pub pages: u32,
    /// Padding that was used.
    pub padding: u32,
    /// Shared scale of the unlocked tiles, 1 when none had to shrink; a multiple of 1/4096.
    pub fit: f64,
    /// One place per item, sorted by tile id.
    pub placements: Vec<Placement>,
    /// What could not be kept.
    pub notices: Vec<Notice>,
}

/// A tile's place.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Placement {
    /// Tile id.
    pub tile: String,
    /// Page index.
    pub page: u32,
    /// Left edge of its pixels on the page.
    pub x: u32,
    /// Top edge.
    pub y: u32,
    /// Width on the page.
    pub width: u32,
    /// Height on the page.
    pub height: u32,
}

/// Something the budget forced.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Notice {
    /// Tiles shrank to this scale.
    Shrunk(f64),
    /// Locks and pins did not fit and were dropped.
    LocksDropped,
    /// Even the smallest scale did not fit; full size on more pages than the budget.
    OverBudget(u32),
}

/// Lays tiles out (DOCUMENT_LAYER 10.1): fewest pages, then lowest last page; shrinks unlocked tiles by one shared
/// factor when `max_pages` would be exceeded. The order of `items` does not matter.
pub fn layout(items: &[Item], settings: &Settings) -> Layout {
    let mut items: Vec<Item> = items.to_vec();
    items.sort_by(|a, b| (b.height, b.width).cmp(&(a.height, a.width)).then_with(|| a.id.cmp(&b.id)));
    let padding = settings.padding.min(32);
    let budget =
        Budget { side: page_side(&items, settings, padding), max_pages: settings.max_pages.max(1), padding };
    let mut notices = Vec::new();
    let (fit, sheet) = search(&items, &budget).unwrap_or_else(|| {
        if items.iter().any(|i| i.lock || i.pin.is_some()) {
            for item in &mut items {
                (item.lock, item.pin) = (false, None);
            }
            notices.push(Notice::LocksDropped);
        }
        search(&items, &budget).unwrap_or_else(|| {
            let sheet = best(&items, 1.0, &Budget { max_pages: u32::MAX, ..budget });
            let sheet = sheet.unwrap_or_default();
            notices.push(Notice::OverBudget(sheet.pages));
            (1.0, sheet)
        })
    });
    if fit < 1.0 {
        notices.push(Notice::Shrunk(fit));
    }
    let mut placements: Vec<Placement> = sheet
        .places
        .into_iter()
        .map(|(index, (page, area))| Placement {
            tile: items[index].id.clone(),
            page,
            x: area.x + padding,
            y: area.y + padding,
            width: area.width - 2 * padding,
            height: area.height - 2 * padding,
        })
        .collect();
    placements.sort_by(|a, b| a.tile.cmp(&b.tile));
    Layout { page_size: budget.side, pages: sheet.pages, padding, fit, placements, notices }
}

#[derive(Clone, Copy)]
struct Budget {
    side: u32,
    max_pages: u32,
    padding: u32,
}

/// One solution: item index to page and padded area.
#[derive(Default)]
struct Sheet {
    pages: u32,
    last_height: u32,
    places: BTreeMap<usize, (u32, Area)>,
}

fn page_side(items: &[Item], settings: &Settings, padding: u32) -> u32 {
    let budget = settings.page_size.clamp(256, MAX_SIDE);
    let largest = items.iter().map(|i| i.width.max(i.height)).max().unwrap_or(1);
    let needed = largest.saturating_add(2 * padding).min(MAX_SIDE);
    if needed <= budget { budget } else { needed.next_power_of_two().min(MAX_SIDE) }
}

/// The largest scale that keeps to the budget; `None` when not even 1/4096 does.
fn search(items: &[Item], budget: &Budget) -> Option<(f64, Sheet)> {
    let at = |step: u32| f64::from(step) / f64::from(FIT_STEPS);
    if let Some(sheet) = best(items, 1.0, budget) {
        return Some((1.0, sheet));
    }
    let mut found = best(items, at(1), budget).map(|s| (at(1), s))?;
    let (mut low, mut high) = (1, FIT_STEPS);
    while high - low > 1 {
        let middle = low.midpoint(high);
        match best(items, at(middle), budget) {
            Some(sheet) => (found, low) = ((at(middle), sheet), middle),
            None => high = middle,
        }
    }
    Some(found)
}

/// Size on the page with padding on both sides.
fn padded(item: &Item, fit: f64, padding: u32) -> (u32, u32) {
    let scale = item.density * if item.lock || item.pin.is_some() { 1.0 } else { fit };
    let side = |raster: u32| {
        let pixels = (f64::from(raster) * scale).round().clamp(1.0, f64::from(u32::MAX / 4));
        pixels as u32 + 2 * padding
    };
    (side(item.width), side(item.height))
}

/// The best of three orders and two heuristics; a later one wins only when strictly better.
fn best(items: &[Item], fit: f64, budget: &Budget) -> Option<Sheet> {
    let sizes: Vec<(u32, u32)> = items.iter().map(|i| padded(i, fit, budget.padding)).collect();
    if sizes.iter().any(|&(w, h)| w > budget.side || h > budget.side) {
        return None;
    }
    let pinned = place_pins(items, &sizes, budget)?;
    let mut winner: Option<Sheet> = None;
    for order in orders(&sizes) {
        for heuristic in [Heuristic::BestShortSide, Heuristic::BottomLeft] {
            let Some(sheet) = fill(items, &sizes, &order, heuristic, &pinned, budget) else { continue };
            let better =
                winner.as_ref().is_none_or(|w| (sheet.pages, sheet.last_height) < (w.pages, w.last_height));
            if better {
                winner = Some(sheet);
            }
        }
    }
    winner
}

/// Area, long side and height first; ties keep the input order.
fn orders(sizes: &[(u32, u32)]) -> [Vec<usize>; 3] {
    let by = |key: &dyn Fn((u32, u32)) -> (u64, u64)| {
        let mut order: Vec<usize> = (0..sizes.len()).collect();
        order.sort_by_key(|&i| std::cmp::Reverse(key(sizes[i])));
        order
    };
    [
        by(&|(w, h)| (u64::from(w) * u64::from(h), u64::from(h))),
        by(&|(w, h)| (u64::from(w.max(h)), u64::from(w.min(h)))),
        by(&|(w, h)| (u64::from(h), u64::from(w))),
    ]
}

/// Pages with the pinned tiles in place; `None` when a pin is outside the budget or two overlap.
fn place_pins(items: &[Item], sizes: &[(u32, u32)], budget: &Budget) -> Option<Sheet> {
    let mut sheet = Sheet::default();
    for (index, item) in items.iter().enumerate() {
        let Some((page, x, y)) = item.pin else { continue };
        let (width, height) = sizes[index];
        let area =
            Area { x: x.checked_sub(budget.padding)?, y: y.checked_sub(budget.padding)?, width, height };
        let inside = u64::from(area.x) + u64::from(width) <= u64::from(budget.side)
            && u64::from(area.y) + u64::from(height) <= u64::from(budget.side);
        let free = sheet.places.values().all(|(p, other)| *p != page || !other.overlaps(&area));
        if page >= budget.max_pages || !inside || !free {
            return None;
        }
        sheet.places.insert(index, (page, area));
        sheet.pages = sheet.pages.max(page + 1);
    }
    Some(sheet)
}

fn fill(
    items: &[Item],
    sizes: &[(u32, u32)],
    order: &[usize],
    heuristic: Heuristic,
    pinned: &Sheet,
    budget: &Budget,
) -> Option<Sheet> {
    let mut pages: Vec<Page> = (0..pinned.pages).map(|_| Page::new(budget.side)).collect();
    let mut places = pinned.places.clone();
    for (page, area) in pinned.places.values() {
        pages[*page as usize].occupy(*area);
    }
    for &index in order.iter().filter(|&&i| items[i].pin.is_none()) {
        let (width, height) = sizes[index];
        let found = pages
            .iter_mut()
            .enumerate()
            .find_map(|(n, page)| page.insert(width, height, heuristic).map(|area| (n as u32, area)));
        let place = match found {
            Some(place) => place,
            None if pages.len() as u64 >= u64::from(budget.max_pages) => return None,
            None => {
                let mut page = Page::new(budget.side);
                let area = page.insert(width, height, heuristic)?;
                pages.push(page);
                (pages.len() as u32 - 1, area)
            }
        };
        places.insert(index, place);
    }
    let last_height = pages.last().map_or(0, Page::used_height);
    Some(Sheet { pages: pages.len() as u32, last_height, places })
}

#[cfg(test)]
#[path = "fit_tests.rs"]
mod tests;
