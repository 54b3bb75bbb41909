//! Small models whose pictures are known.

use geom::Rect;
use moc3::Version;
use moc3::blend::{AlphaBlend, BlendMode, ColorBlend, ExtendedBlend, Flags};
use moc3::canvas::Canvas;
use moc3::evaluate::Pose;
use moc3::model::{
    Axis, Colors, DrawOrderGroup, DrawOrderObject, Drawable, DrawableKeyform, Model, Parameter,
    ParameterKind, Part, PartKeyform,
};
use preview::{Error, NamedPose, Scene, SheetStyle, View, head_crop, sheet, standard_poses};
use proptest::prelude::*;
use raster::Rgba;

const SIDE: u32 = 16;

/// A model of `SIDE` x `SIDE` canvas pixels with a parameter `P` and no drawables.
fn empty() -> Model {
    let mut model = Model::new(Version::V50, Canvas::centred(SIDE as f32, SIDE as f32));
    model.parameters.push(Parameter {
        id: "P".into(),
        minimum: 0.0,
        maximum: 1.0,
        default: 0.0,
        repeat: false,
        decimals: 3,
        kind: ParameterKind::Normal,
    });
    model.parts.push(Part {
        id: "Part".into(),
        parent: None,
        visible: true,
        enabled: true,
        axes: vec![],
        keyforms: vec![PartKeyform { draw_order: 500.0 }],
        blends: vec![],
    });
    model.groups.push(DrawOrderGroup { objects: vec![], range: None });
    model
}

/// A quad that shows page `texture` whole on a rectangle of the canvas, shifted right by `shift` pixels at P = 1.
fn quad(model: &mut Model, texture: u32, rect: Rect, shift: f64) -> usize {
    let corners = |dx: f64| {
        [(rect.left, rect.top), (rect.right, rect.top), (rect.right, rect.bottom), (rect.left, rect.bottom)]
            .map(|(x, y)| model.canvas.to_units([x + dx, y]))
            .to_vec()
    };
    let keyform =
        |positions| DrawableKeyform { opacity: 1.0, draw_order: 500.0, positions, colors: Colors::NEUTRAL };
    let keyforms = vec![keyform(corners(0.0)), keyform(corners(shift))];
    let at = model.drawables.len();
    model.drawables.push(Drawable {
        id: format!("Quad{at}"),
        parent_part: Some(0),
        parent_deformer: None,
        visible: true,
        enabled: true,
        texture,
        flags: Flags::default(),
        extended_blend: None,
        uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        indices: vec![0, 1, 2, 0, 2, 3],
        masks: vec![],
        axes: vec![Axis { parameter: 0, keys: vec![0.0, 1.0] }],
        keyforms,
        blends: vec![],
    });
    model.groups[0].objects.push(DrawOrderObject::Drawable(at));
    at
}

fn whole() -> Rect {
    Rect::new(0.0, 0.0, f64::from(SIDE), f64::from(SIDE))
}

fn plain(color: [u8; 4]) -> Rgba {
    Rgba::from_pixels(4, 4, color.repeat(16)).unwrap()
}

fn set_all(model: &mut Model, at: usize, change: impl Fn(&mut DrawableKeyform)) {
    model.drawables[at].keyforms.iter_mut().for_each(change);
}

fn render(model: &Model, pages: Vec<Rgba>) -> Rgba {
    Scene::new(model, pages).unwrap().render(&Pose::rest(model), SIDE).unwrap()
}

/// The colour in the middle of the canvas.
#[track_caller]
fn check(model: &Model, pages: &[Rgba], expected: [u8; 4]) {
    let picture = render(model, pages.to_vec());
    let got = picture.get(i64::from(SIDE / 2), i64::from(SIDE / 2));
    let close = got.iter().zip(expected).all(|(&a, b)| a.abs_diff(b) <= 1);
    assert!(close, "{got:?}, expected {expected:?}");
}

#[test]
fn a_page_at_its_own_size_comes_back_exactly() {
    let mut model = empty();
    quad(&mut model, 0, whole(), 0.0);
    let pixels: Vec<u8> =
        (0..SIDE * SIDE).flat_map(|i| [i as u8, (i * 7) as u8, (i * 13) as u8, 255]).collect();
    let page = Rgba::from_pixels(SIDE, SIDE, pixels).unwrap();
    assert_eq!(render(&model, vec![page.clone()]), page);
}

#[test]
fn pages_repeat_beyond_their_edges() {
    let mut model = empty();
    let at = quad(&mut model, 0, whole(), 0.0);
    model.drawables[at].uvs.iter_mut().for_each(|uv| *uv = [uv[0] * 2.0 - 1.0, uv[1] * 2.0]);
    let pixels: Vec<u8> = (0..64u8).flat_map(|i| [i, i * 2, 255 - i, 255]).collect();
    let page = Rgba::from_pixels(8, 8, pixels).unwrap();
    let picture = render(&model, vec![page.clone()]);
    for (x, y) in [(0, 0), (7, 3), (8, 8), (15, 15), (3, 12)] {
        assert_eq!(picture.get(x, y), page.get(x % 8, y % 8), "{x} {y}");
    }
}

#[test]
fn parameters_move_things() {
    let mut model = empty();
    quad(&mut model, 0, Rect::new(2.0, 4.0, 6.0, 8.0), 5.0);
    let scene = Scene::new(&model, vec![plain([9, 8, 7, 255])]).unwrap();
    let bounds = |value| {
        let pose = scene.pose([("P", value)]).unwrap();
        let r = scene.render(&pose, SIDE).unwrap().opaque_bounds(255).unwrap();
        (r.left, r.top, r.right, r.bottom)
    };
    assert_eq!(bounds(0.0), (2, 4, 6, 8));
    assert_eq!(bounds(0.6), (5, 4, 9, 8));
    assert_eq!(bounds(9.0), (7, 4, 11, 8));
    assert!(matches!(scene.pose([("Q", 0.0)]), Err(Error::NoParameter(id)) if id == "Q"));
}

#[test]
fn colours_blend_as_told() {
    let pages = [plain([200, 100, 50, 255]), plain([100, 200, 250, 128])];
    let over = |blend, change: &dyn Fn(&mut DrawableKeyform)| {
        let mut model = empty();
        quad(&mut model, 0, whole(), 0.0);
        let top = quad(&mut model, 1, whole(), 0.0);
        model.drawables[top].flags = Flags::new(blend, false);
        set_all(&mut model, top, change);
        model
    };
    let same = |_: &mut DrawableKeyform| {};
    check(&over(BlendMode::Normal, &same), &pages, [150, 150, 150, 255]);
    check(&over(BlendMode::Additive, &same), &pages, [250, 200, 175, 255]);
    check(&over(BlendMode::Multiplicative, &same), &pages, [139, 89, 50, 255]);
    check(&over(BlendMode::Normal, &|k| k.opacity = 0.5), &pages, [175, 125, 100, 255]);
    let tinted = |k: &mut DrawableKeyform| {
        k.colors = Colors { multiply: [0.5, 1.0, 0.0], screen: [0.0, 0.5, 1.0] };
    };
    check(&over(BlendMode::Normal, &tinted), &pages, [125, 164, 153, 255]);
}

/// One opaque colour over another, each mode of version 5.3, as the official renderer draws it.
#[test]
fn modes_of_version_5_3_mix_as_told() {
    let mixed = |color: ColorBlend, expected: [u8; 3]| {
        let pages = [plain([200, 100, 50, 255]), plain([100, 200, 40, 255])];
        let [r, g, b] = expected;
        check(&over(color, AlphaBlend::Over), &pages, [r, g, b, 255]);
    };
    mixed(ColorBlend::AddCompatible, [255, 255, 90]);
    mixed(ColorBlend::Add, [255, 255, 90]);
    mixed(ColorBlend::AddGlow, [255, 255, 90]);
    mixed(ColorBlend::Darken, [100, 100, 40]);
    mixed(ColorBlend::Multiply, [78, 78, 8]);
    mixed(ColorBlend::ColorBurn, [115, 57, 0]);
    mixed(ColorBlend::LinearBurn, [45, 45, 0]);
    mixed(ColorBlend::Lighten, [200, 200, 50]);
    mixed(ColorBlend::Screen, [222, 222, 82]);
    mixed(ColorBlend::ColorDodge, [255, 255, 59]);
    mixed(ColorBlend::Overlay, [188, 157, 16]);
    mixed(ColorBlend::SoftLight, [191, 134, 22]);
    mixed(ColorBlend::HardLight, [157, 188, 16]);
    mixed(ColorBlend::LinearLight, [145, 245, 0]);
    mixed(ColorBlend::Hue, [75, 169, 19]);
    mixed(ColorBlend::Color, [72, 172, 12]);
    mixed(ColorBlend::Normal, [100, 200, 40]);
}

#[test]
fn coverage_of_version_5_3_mixes_as_told() {
    let pages = [plain([200, 100, 50, 153]), plain([100, 200, 40, 102])];
    let drawn =
        |alpha: AlphaBlend, expected: [u8; 4]| check(&over(ColorBlend::Lighten, alpha), &pages, expected);
    drawn(AlphaBlend::Over, [179, 153, 48, 194]);
    drawn(AlphaBlend::Atop, [200, 140, 50, 153]);
    drawn(AlphaBlend::Out, [200, 100, 50, 92]);
    drawn(AlphaBlend::ConjointOver, [200, 167, 50, 153]);
    drawn(AlphaBlend::DisjointOver, [160, 140, 46, 255]);
}

/// Page 1 over page 0, both on the whole canvas.
fn over(color: ColorBlend, alpha: AlphaBlend) -> Model {
    let mut model = empty();
    quad(&mut model, 0, whole(), 0.0);
    let top = quad(&mut model, 1, whole(), 0.0);
    model.drawables[top].extended_blend = Some(ExtendedBlend { color, alpha });
    model
}

#[test]
fn straight_alpha_comes_out() {
    let mut model = empty();
    quad(&mut model, 0, whole(), 0.0);
    check(&model, &[plain([200, 100, 50, 64])], [200, 100, 50, 64]);
    set_all(&mut model, 0, |k| k.opacity = 0.5);
    check(&model, &[plain([200, 100, 50, 64])], [200, 100, 50, 32]);
}

#[test]
fn masks_unite_and_ignore_their_own_opacity() {
    let pages = [plain([255, 0, 0, 255]), plain([0, 0, 0, 255]), plain([0, 0, 0, 128])];
    let clipped = |masks: &[u32], inverted: bool| {
        let mut model = empty();
        let at: Vec<usize> = masks.iter().map(|&page| quad(&mut model, page, whole(), 0.0)).collect();
        at.iter().for_each(|&m| set_all(&mut model, m, |k| k.opacity = 0.0));
        let top = quad(&mut model, 0, whole(), 0.0);
        model.drawables[top].masks = at;
        model.drawables[top].flags = Flags::new(BlendMode::Normal, inverted);
        model
    };
    check(&clipped(&[1], false), &pages, [255, 0, 0, 255]);
    check(&clipped(&[1], true), &pages, [0, 0, 0, 0]);
    check(&clipped(&[2], false), &pages, [255, 0, 0, 128]);
    check(&clipped(&[2], true), &pages, [255, 0, 0, 127]);
    check(&clipped(&[2, 2], false), &pages, [255, 0, 0, 191]);
}

#[test]
fn a_mask_cuts_where_it_lies() {
    let mut model = empty();
    let mask = quad(&mut model, 0, Rect::new(3.0, 5.0, 9.0, 12.0), 0.0);
    set_all(&mut model, mask, |k| k.opacity = 0.0);
    let top = quad(&mut model, 0, whole(), 0.0);
    model.drawables[top].masks = vec![mask];
    let r = render(&model, vec![plain([1, 2, 3, 255])]).opaque_bounds(1).unwrap();
    assert_eq!((r.left, r.top, r.right, r.bottom), (3, 5, 9, 12));
}

#[test]
fn back_faces_are_culled_unless_double_sided() {
    let mut model = empty();
    quad(&mut model, 0, whole(), 0.0);
    // Clockwise on screen is what the Core's y-up space calls clockwise too: a back face.
    model.drawables[0].flags = Flags(0);
    check(&model, &[plain([5, 6, 7, 255])], [0, 0, 0, 0]);
    model.drawables[0].indices = vec![2, 1, 0, 3, 2, 0];
    check(&model, &[plain([5, 6, 7, 255])], [5, 6, 7, 255]);
}

#[test]
fn draw_order_decides() {
    let mut model = empty();
    let first = quad(&mut model, 0, whole(), 0.0);
    quad(&mut model, 1, whole(), 0.0);
    let pages = [plain([1, 1, 1, 255]), plain([2, 2, 2, 255])];
    let at = |model: &Model| render(model, pages.to_vec()).get(8, 8)[0];
    assert_eq!(at(&model), 2);
    set_all(&mut model, first, |k| k.draw_order = 600.0);
    assert_eq!(at(&model), 1);
}

#[test]
fn smaller_pictures_average() {
    let mut model = empty();
    quad(&mut model, 0, whole(), 0.0);
    let checker: Vec<u8> = (0..SIDE * SIDE)
        .flat_map(|i| if (i + i / SIDE).is_multiple_of(2) { [255; 4] } else { [0, 0, 0, 255] })
        .collect();
    let scene = Scene::new(&model, vec![Rgba::from_pixels(SIDE, SIDE, checker).unwrap()]).unwrap();
    for side in [1, 2, 4, 8] {
        let picture = scene.render(&Pose::rest(&model), side).unwrap();
        assert_eq!((picture.width(), picture.height()), (side, side));
        assert!(picture.pixels().chunks_exact(4).all(|p| p[0].abs_diff(128) <= 1), "{side}: {picture:?}");
    }
}

#[test]
fn the_narrower_side_decides_how_much_is_averaged() {
    let striped = |along: u32| {
        let pixel =
            |i: u32| if (i % SIDE * along + i / SIDE * (1 - along)).is_multiple_of(2) { 255 } else { 0 };
        let pixels: Vec<u8> = (0..SIDE * SIDE).flat_map(|i| [pixel(i), 0, 0, 255]).collect();
        Rgba::from_pixels(SIDE, SIDE, pixels).unwrap()
    };
    for (rect, along) in [(Rect::new(0.0, 0.0, 16.0, 4.0), 1), (Rect::new(0.0, 0.0, 4.0, 16.0), 0)] {
        let mut model = empty();
        quad(&mut model, 0, rect, 0.0);
        let shades = [(1, 1), (2, 2)].map(|(x, y)| render(&model, vec![striped(along)]).get(x, y)[0]);
        assert_eq!(shades, [128, 128], "{rect:?}");
    }
}

#[test]
fn sides_through_the_middle_of_pixels_are_inside_on_the_left_and_above() {
    let mut model = empty();
    quad(&mut model, 0, Rect::new(2.5, 3.5, 6.5, 7.5), 0.0);
    let r = render(&model, vec![plain([1, 2, 3, 255])]).opaque_bounds(1).unwrap();
    assert_eq!((r.left, r.top, r.right, r.bottom), (2, 3, 6, 7));
}

#[test]
fn smooth_pictures_have_shares_of_pixels() {
    let mut model = empty();
    quad(&mut model, 0, Rect::new(4.0, 0.0, 8.5, 9.5), 0.0);
    let scene = Scene::new(&model, vec![plain([200, 100, 50, 255])]).unwrap();
    let view = View { crop: scene.canvas(), width: SIDE, height: SIDE };
    let picture = scene.render_smooth(&Pose::rest(&model), &view).unwrap();
    let alphas = [(3, 2), (4, 2), (7, 9), (8, 8), (8, 9), (9, 2)].map(|(x, y)| picture.get(x, y)[3]);
    assert_eq!(alphas, [0, 255, 128, 128, 64, 0]);
    assert_eq!(picture.get(8, 9), [200, 100, 50, 64]);
    let large = View { width: 9000, ..view };
    assert!(matches!(scene.render_smooth(&Pose::rest(&model), &large), Err(Error::Size { .. })));
}

#[test]
fn views_cut_the_canvas() {
    let mut model = empty();
    quad(&mut model, 0, Rect::new(4.0, 4.0, 8.0, 8.0), 0.0);
    let scene = Scene::new(&model, vec![plain([1, 2, 3, 255])]).unwrap();
    let pose = Pose::rest(&model);
    let view = View { crop: Rect::new(4.0, 2.0, 12.0, 10.0), width: 16, height: 16 };
    let r = scene.render_view(&pose, &view).unwrap().opaque_bounds(255).unwrap();
    assert_eq!((r.left, r.top, r.right, r.bottom), (0, 4, 8, 12));
    assert_eq!(scene.bounds(&pose, |_| true), Some(Rect::new(4.0, 4.0, 8.0, 8.0)));
    assert_eq!(scene.bounds(&pose, |_| false), None);
    for (width, height) in [(0, 5), (5, 0), (20_000, 5)] {
        let wrong = scene.render_view(&pose, &View { width, height, ..view });
        assert!(matches!(wrong, Err(Error::Size { .. })), "{width} x {height}");
    }
}

#[test]
fn a_canvas_keeps_its_shape_on_any_picture() {
    let mut model = empty();
    quad(&mut model, 0, Rect::new(0.0, 0.0, 8.0, 16.0), 0.0);
    let scene = Scene::new(&model, vec![plain([1, 2, 3, 255])]).unwrap();
    let check = |width: u32, height: u32, expected: (i32, i32, i32, i32)| {
        let view = View { crop: scene.canvas(), width, height };
        let picture = scene.render_view(&Pose::rest(&model), &view).unwrap();
        let r = picture.opaque_bounds(255).unwrap();
        assert_eq!((r.left, r.top, r.right, r.bottom), expected, "{width} x {height}");
    };
    check(16, 16, (0, 0, 8, 16));
    check(24, 16, (4, 0, 12, 16));
    check(16, 20, (0, 2, 8, 18));
}

#[test]
fn a_part_alone_is_drawn_whole() {
    let mut model = empty();
    let mask = quad(&mut model, 1, Rect::new(0.0, 0.0, 2.0, 2.0), 0.0);
    let part = quad(&mut model, 0, Rect::new(4.0, 2.0, 8.0, 8.0), 0.0);
    model.drawables[part].masks = vec![mask];
    set_all(&mut model, part, |k| k.opacity = 0.0);
    let scene = Scene::new(&model, vec![plain([1, 2, 3, 255]), plain([9; 4])]).unwrap();
    let pose = Pose::rest(&model);
    let is_part = |d: &Drawable| d.id == "Quad1";
    assert_eq!(scene.extent(&pose, is_part), Some(Rect::new(4.0, 2.0, 8.0, 8.0)));
    assert_eq!(scene.extent(&pose, |_| false), None);
    let view = View { crop: scene.canvas(), width: SIDE, height: SIDE };
    let r = scene.render_alone(&pose, &view, is_part).unwrap().opaque_bounds(1).unwrap();
    assert_eq!((r.left, r.top, r.right, r.bottom), (4, 2, 8, 8));
    assert_eq!(scene.render_view(&pose, &view).unwrap().get(5, 5), [0; 4]);
}

#[test]
fn missing_pages_are_named() {
    let mut model = empty();
    quad(&mut model, 3, whole(), 0.0);
    let error = Scene::new(&model, vec![plain([0; 4])]).unwrap_err();
    assert_eq!(error.to_string(), "Quad0 uses texture page 3, but there are only 1");
    assert!(matches!(Scene::new(&model, vec![Rgba::new(0, 0); 4]), Err(Error::EmptyPage(0))));
}

#[test]
fn threads_do_not_matter() {
    let (model, pages) = crowd();
    let scene = Scene::new(&model, pages).unwrap();
    let with = |n| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(n).build().unwrap();
        pool.install(|| scene.render(&Pose::rest(&model), 200).unwrap())
    };
    let one = with(1);
    assert_eq!(one, with(2));
    assert_eq!(one, with(7));
    assert_eq!(one, with(3));
}

/// Turned and overlapping quads with all kinds of blending and masks.
fn crowd() -> (Model, Vec<Rgba>) {
    let mut model = empty();
    for i in 0..12u32 {
        let x = f64::from(i * 5 % 11);
        let at = quad(&mut model, i % 3, Rect::new(x, x * 0.7, x + 6.3, x * 0.7 + 7.9), 0.0);
        let tilt = 0.1 * i as f32;
        set_all(&mut model, at, |k| k.positions.iter_mut().for_each(|p| p[1] += tilt * p[0]));
        let blend = [BlendMode::Normal, BlendMode::Additive, BlendMode::Multiplicative][i as usize % 3];
        model.drawables[at].flags = Flags::new(blend, i % 4 == 0);
        if i > 3 && i % 2 == 0 {
            model.drawables[at].masks = vec![at - 1, at - 3];
        }
    }
    let noise = |k: u32| {
        let bytes = (0..64 * 64 * 4).map(|i: u32| (i.wrapping_mul(2_654_435_761 + k) >> 24) as u8).collect();
        Rgba::from_pixels(64, 64, bytes).unwrap()
    };
    (model, vec![noise(1), noise(2), noise(3)])
}

#[test]
fn the_head_is_found_by_name() {
    let mut model = empty();
    quad(&mut model, 0, whole(), 0.0);
    let crop = |model: &Model| head_crop(&Scene::new(model, vec![plain([1; 4])]).unwrap());
    assert_eq!(crop(&model), whole());
    let face = quad(&mut model, 0, Rect::new(4.0, 2.0, 12.0, 10.0), 0.0);
    model.drawables[face].id = "ArtMeshFace".into();
    let around = crop(&model);
    assert!((around.left - 2.8).abs() < 1e-5 && (around.bottom - 11.2).abs() < 1e-5, "{around:?}");
}

#[test]
fn sheets_place_their_cells() {
    let mut model = empty();
    quad(&mut model, 0, Rect::new(0.0, 0.0, 8.0, 16.0), 8.0);
    let scene = Scene::new(&model, vec![plain([10, 20, 30, 255])]).unwrap();
    let pose = |name: &str, value| NamedPose { name: name.into(), values: vec![("P".into(), value)] };
    let poses = [pose("a", 0.0), pose("b", 1e9), pose("unknown", f32::NAN)];
    let backdrop = Some([255, 255, 255]);
    let style = SheetStyle { crop: scene.canvas(), cell: SIDE, columns: 2, labels: false, backdrop };
    let picture = sheet(&scene, &poses, &style).unwrap();
    assert_eq!((picture.width(), picture.height()), (32, 32));
    let (figure, paper) = ([10, 20, 30, 255], [255; 4]);
    let got = [(4, 8), (12, 8), (20, 8), (28, 8), (4, 24), (20, 24)].map(|(x, y)| picture.get(x, y));
    assert_eq!(got, [figure, paper, paper, figure, figure, paper]);
    assert_eq!(standard_poses().len(), 19);
    let names: std::collections::BTreeSet<String> = standard_poses().into_iter().map(|p| p.name).collect();
    assert_eq!(names.len(), 19);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A fan of triangles around a point covers every pixel of its square exactly once, wherever the point is.
    #[test]
    fn neighbours_share_no_pixel_and_leave_none(x in 1..32u32, y in 1..32u32) {
        // Halves of pixels, so that edges often run through pixel centres.
        let (x, y) = (f64::from(x) / 2.0, f64::from(y) / 2.0);
        let mut model = empty();
        quad(&mut model, 0, whole(), 0.0);
        let middle = model.canvas.to_units([x, y]);
        set_all(&mut model, 0, |k| k.positions.push(middle));
        model.drawables[0].uvs.push([0.5, 0.5]);
        model.drawables[0].indices = vec![0, 1, 4, 1, 2, 4, 2, 3, 4, 3, 0, 4];
        let picture = render(&model, vec![plain([255, 255, 255, 100])]);
        prop_assert!(picture.pixels().chunks_exact(4).all(|p| p[3] == 100), "{:?}", picture.alpha());
    }

    /// Wild positions and texture coordinates give some picture, never a panic.
    #[test]
    fn wild_numbers_are_survived(
        wild in prop::collection::vec(prop_oneof![-1e3f32..1e3, Just(f32::NAN), Just(f32::INFINITY), Just(1e30)], 16),
        side in 1u32..40,
    ) {
        let mut model = empty();
        quad(&mut model, 0, whole(), 0.0);
        for (i, w) in wild.chunks_exact(4).enumerate() {
            set_all(&mut model, 0, |k| k.positions[i] = [w[0], w[1]]);
            model.drawables[0].uvs[i] = [w[2], w[3]];
        }
        let scene = Scene::new(&model, vec![plain([1, 2, 3, 4])]).unwrap();
        let picture = scene.render(&Pose::rest(&model), side).unwrap();
        prop_assert_eq!(picture.width(), side);
    }
}
