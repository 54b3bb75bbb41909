use proptest::prelude::*;

use super::*;

fn item(id: &str, width: u32, height: u32) -> Item {
    Item { id: id.to_owned(), width, height, density: 1.0, lock: false, pin: None }
}

#[track_caller]
fn check_sound(items: &[Item], layout: &Layout) {
    assert_eq!(layout.placements.len(), items.len());
    for (i, a) in layout.placements.iter().enumerate() {
        let p = layout.padding;
        assert!(a.page < layout.pages && a.x >= p && a.y >= p);
        assert!(a.x + a.width + p <= layout.page_size && a.y + a.height + p <= layout.page_size, "{a:?}");
        for b in &layout.placements[i + 1..] {
            let apart = a.page != b.page
                || a.x + a.width + 2 * p <= b.x
                || b.x + b.width + 2 * p <= a.x
                || a.y + a.height + 2 * p <= b.y
                || b.y + b.height + 2 * p <= a.y;
            assert!(apart, "{a:?} and {b:?} are too near");
        }
    }
}

#[test]
fn nothing_is_no_page() {
    let layout = layout(&[], &Settings::default());
    assert_eq!((layout.pages, layout.placements.len()), (0, 0));
}

#[test]
fn the_page_grows_to_the_next_power_of_two() {
    let items = [item("a", 5000, 10)];
    let layout = layout(&items, &Settings::default());
    assert_eq!((layout.page_size, layout.fit), (8192, 1.0));
    check_sound(&items, &layout);
}

#[test]
fn tiles_shrink_together_and_locked_ones_do_not() {
    let settings = Settings { page_size: 256, max_pages: 1, padding: 2 };
    let mut items: Vec<Item> = (0..5).map(|i| item(&format!("t{i}"), 120, 120)).collect();
    items[4].lock = true;
    let layout = layout(&items, &settings);
    check_sound(&items, &layout);
    assert!(layout.fit < 1.0 && layout.notices == [Notice::Shrunk(layout.fit)], "{layout:?}");
    let locked = layout.placements.iter().find(|p| p.tile == "t4").unwrap();
    assert_eq!(locked.width, 120);
    assert_eq!(layout.pages, 1);
}

#[test]
fn pins_stay_and_impossible_ones_are_dropped_with_a_notice() {
    let settings = Settings { page_size: 256, max_pages: 1, padding: 2 };
    let mut items = vec![item("a", 50, 50), item("b", 60, 60)];
    items[0].pin = Some((0, 100, 90));
    let good = layout(&items, &settings);
    check_sound(&items, &good);
    assert_eq!((good.placements[0].x, good.placements[0].y), (100, 90));
    items[0].pin = Some((0, 250, 0));
    let dropped = layout(&items, &settings);
    check_sound(&items, &dropped);
    assert_eq!(dropped.notices, [Notice::LocksDropped]);
}

#[test]
fn what_never_fits_overflows_with_a_notice() {
    let settings = Settings { page_size: 256, max_pages: 1, padding: 32 };
    let items: Vec<Item> = (0..40).map(|i| item(&format!("t{i:02}"), 100, 100)).collect();
    let layout = layout(&items, &settings);
    check_sound(&items, &layout);
    assert_eq!(layout.notices, [Notice::OverBudget(layout.pages)]);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn any_sizes_are_placed_apart_and_the_input_order_does_not_matter(
        sizes in prop::collection::vec((1u32..700, 1u32..700), 0..60),
        padding in 0u32..12,
        seed in any::<u64>(),
    ) {
        let items: Vec<Item> = sizes.iter().enumerate().map(|(i, &(w, h))| item(&format!("t{i:03}"), w, h)).collect();
        let settings = Settings { page_size: 1024, max_pages: 8, padding };
        let one = layout(&items, &settings);
        check_sound(&items, &one);
        let mut shuffled = items.clone();
        shuffled.sort_by_key(|i| canonical_order(&i.id, seed));
        prop_assert_eq!(one, layout(&shuffled, &settings));
    }
}

fn canonical_order(id: &str, seed: u64) -> u64 {
    id.bytes().fold(seed, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0100_0000_01b3))
}
