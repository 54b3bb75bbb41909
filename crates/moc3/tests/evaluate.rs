//! Rules of evaluation that the vectors do not show; expected values are the Core's.

mod shared;

use moc3::Version;
use moc3::blend::Flags;
use moc3::canvas::Canvas;
use moc3::evaluate::{Evaluator, Pose};
use moc3::model::*;

#[test]
fn blend_shapes_add_to_whole_draw_orders() {
    let model = two_drawables();
    let cases = [
        ([0.0, 0.0, 0.0], 500, [1, 0]),
        ([1.0, 0.0, 0.0], 510, [1, 0]),
        ([1.5, 0.0, 0.0], 516, [1, 0]),
        ([0.5, 0.0, 0.0], 505, [1, 0]),
        ([1.0, 1.0, 0.0], 521, [1, 0]),
        ([0.0, 1.0, 0.0], 510, [1, 0]),
        ([0.0, 0.0, -1.0], 496, [0, 1]),
        ([0.0, 0.0, -0.5], 498, [0, 1]),
        ([1.0, 1.0, -1.0], 517, [1, 0]),
        ([0.0, 0.0, 1.0], 1000, [1, 0]),
        ([1.5, 0.5, -0.5], 519, [1, 0]),
    ];
    let evaluator = Evaluator::new(&model).unwrap();
    for (parameters, draw_order, render_orders) in cases {
        let frame = evaluator.evaluate(&Pose { parameters: parameters.to_vec(), part_opacities: Vec::new() });
        assert_eq!(frame.drawables[0].draw_order, draw_order, "at {parameters:?}");
        assert_eq!(
            frame.drawables.iter().map(|d| d.render_order).collect::<Vec<_>>(),
            render_orders,
            "at {parameters:?}"
        );
    }
}

#[test]
fn hidden_objects_sort_at_the_minimum_of_their_group() {
    let pose = Pose { parameters: vec![0.0, 0.0, -1.0], part_opacities: Vec::new() };
    type Change = fn(&mut Model);
    let cases: [(Change, [i32; 2]); 3] = [
        (|_| {}, [0, 1]),
        (|model| model.parts[0].enabled = false, [1, 0]),
        (|model| model.groups[0].range = Some(DrawOrderRange { min: -9, max: 1000 }), [0, 1]),
    ];
    for (number, (change, expected)) in cases.into_iter().enumerate() {
        let mut model = two_drawables();
        change(&mut model);
        let frame = Evaluator::new(&model).unwrap().evaluate(&pose);
        let orders: Vec<_> = frame.drawables.iter().map(|drawable| drawable.render_order).collect();
        assert_eq!(orders, expected, "case {number}");
    }
}

#[test]
fn what_is_missing_from_a_pose_is_at_rest() {
    for seed in 0..40 {
        let model = shared::generate::model(seed);
        let evaluator = Evaluator::new(&model).unwrap();
        let rest = Pose { part_opacities: vec![1.0; model.parts.len()], ..Pose::rest(&model) };
        let empty = Pose { parameters: Vec::new(), part_opacities: Vec::new() };
        let lost = Pose { parameters: vec![f32::NAN; 9], part_opacities: vec![f32::NAN; 9] };
        let expected = evaluator.evaluate(&rest).drawables;
        assert_eq!(evaluator.evaluate(&empty).drawables, expected, "seed {seed}");
        assert_eq!(evaluator.evaluate(&lost).drawables, expected, "seed {seed}");
    }
}

/// One drawable with three blend shapes, one in a part that one of them moves from 500 to 510 (not 511).
fn two_drawables() -> Model {
    let parameter = |id: &str, minimum, maximum| Parameter {
        id: id.into(),
        minimum,
        maximum,
        default: 0.0,
        repeat: false,
        decimals: 3,
        kind: ParameterKind::BlendShape,
    };
    let form = |opacity, draw_order, colors| DrawableKeyform {
        opacity,
        draw_order,
        positions: vec![[0.0, 0.0], [0.1 * opacity, 0.0], [0.0, 0.1 * opacity]],
        colors,
    };
    let blend = |parameter, keys: &[f32], base, orders: &[f32]| Blend {
        parameter,
        keys: keys.to_vec(),
        base,
        deltas: orders.iter().map(|order| form(0.0, *order, Colors::ZERO)).collect(),
        limits: Vec::new(),
    };
    let drawable = |id: &str, parent_part, draw_order, blends| Drawable {
        id: id.into(),
        parent_part,
        parent_deformer: None,
        visible: true,
        enabled: true,
        texture: 0,
        flags: Flags::default(),
        extended_blend: None,
        uvs: vec![[0.0; 2]; 3],
        indices: vec![0, 1, 2],
        masks: Vec::new(),
        axes: Vec::new(),
        keyforms: vec![form(1.0, draw_order, Colors::NEUTRAL)],
        blends,
    };
    let blends = vec![
        blend(0, &[0.0, 1.0, 2.0], 0, &[0.0, 10.6, 21.4]),
        blend(1, &[0.0, 1.0], 0, &[0.0, 10.6]),
        blend(2, &[-1.0, 0.0, 1.0], 1, &[-3.7, 0.0, 1000.0]),
    ];
    let order = |draw_order| PartKeyform { draw_order };
    let part_blend = Blend {
        parameter: 1,
        keys: vec![0.0, 1.0],
        base: 0,
        deltas: vec![order(0.0), order(10.6)],
        limits: vec![],
    };
    let mut model = Model::new(Version::V50, Canvas::centred(100.0, 100.0));
    model.parameters = vec![parameter("A", 0.0, 2.0), parameter("B", 0.0, 1.0), parameter("C", -1.0, 1.0)];
    model.parts = vec![Part {
        id: "Part".into(),
        parent: None,
        visible: true,
        enabled: true,
        axes: Vec::new(),
        keyforms: vec![order(500.7)],
        blends: vec![part_blend],
    }];
    model.drawables =
        vec![drawable("Own", None, 500.7, blends), drawable("Inside", Some(0), 500.0, Vec::new())];
    let inside = DrawOrderObject::Part { part: 0, group: Some(1) };
    model.groups = vec![
        DrawOrderGroup { objects: vec![inside, DrawOrderObject::Drawable(0)], range: None },
        DrawOrderGroup { objects: vec![DrawOrderObject::Drawable(1)], range: None },
    ];
    model
}
