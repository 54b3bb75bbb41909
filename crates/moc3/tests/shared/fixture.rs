//! A small valid model that uses everything, without a single warning.

use moc3::Version;
use moc3::blend::{ExtendedBlend, Flags};
use moc3::canvas::Canvas;
use moc3::model::*;

/// Two parts, a warp, a rotation in it, two drawables, a glue, blend shapes, an offscreen.
pub fn full() -> Model {
    let mut model = Model::new(Version::V53, Canvas::centred(1000.0, 1400.0));
    model.parameters = vec![
        parameter("ParamAngleX", -30.0, 30.0, ParameterKind::Normal),
        parameter("ParamOpen", -1.0, 1.0, ParameterKind::Normal),
        parameter("ParamSmile", -1.0, 1.0, ParameterKind::BlendShape),
    ];
    model.parts = vec![part("PartRoot", None), part("PartHead", Some(0))];
    model.deformers = vec![warp(), rotation()];
    model.drawables = vec![drawable("ArtMeshFace", Vec::new()), drawable("ArtMeshNose", vec![0])];
    model.glues = vec![glue()];
    let inside = DrawOrderObject::Part { part: 1, group: Some(1) };
    model.groups = vec![
        DrawOrderGroup { objects: vec![DrawOrderObject::Drawable(0), inside], range: None },
        DrawOrderGroup { objects: vec![DrawOrderObject::Drawable(1)], range: None },
    ];
    let form = OffscreenKeyform { opacity: 0.5, colors: Colors::NEUTRAL };
    model.offscreens = vec![Offscreen {
        owner: 1,
        flags: Flags::default(),
        blend: ExtendedBlend::default(),
        masks: vec![0],
        keyforms: vec![Some(form)],
    }];
    model
}

fn parameter(id: &str, minimum: f32, maximum: f32, kind: ParameterKind) -> Parameter {
    Parameter { id: id.into(), minimum, maximum, default: 0.0, repeat: false, decimals: 3, kind }
}

fn part(id: &str, parent: Option<usize>) -> Part {
    Part {
        id: id.into(),
        parent,
        visible: true,
        enabled: true,
        axes: Vec::new(),
        keyforms: vec![PartKeyform { draw_order: 500.0 }],
        blends: Vec::new(),
    }
}

fn blend<K>(deltas: [K; 3]) -> Vec<Blend<K>> {
    let points = vec![LimitPoint { value: -1.0, weight: 0.5 }, LimitPoint { value: 1.0, weight: 1.0 }];
    vec![Blend {
        parameter: 2,
        keys: vec![-1.0, 0.0, 1.0],
        base: 1,
        deltas: deltas.into(),
        limits: vec![Limit { parameter: 1, points }],
    }]
}

fn warp() -> Deformer {
    let lattice =
        |shift: f32| (0..6).map(|at| [(at % 3) as f32 * 0.2 + shift, (at / 3) as f32 * 0.3]).collect();
    let form = |shift| WarpKeyform { opacity: 1.0, positions: lattice(shift), colors: Colors::NEUTRAL };
    let delta =
        |reach: f32| WarpKeyform { opacity: 0.0, positions: vec![[reach; 2]; 6], colors: Colors::ZERO };
    Deformer {
        id: "DeformFace".into(),
        parent_part: Some(0),
        parent: None,
        visible: true,
        enabled: true,
        axes: vec![Axis { parameter: 0, keys: vec![-30.0, 0.0, 30.0] }],
        kind: DeformerKind::Warp(Warp {
            rows: 1,
            columns: 2,
            bilinear: true,
            keyforms: vec![form(-0.1), form(0.0), form(0.1)],
            blends: blend([delta(0.01), delta(0.0), delta(0.02)]),
        }),
    }
}

fn rotation() -> Deformer {
    let form = |angle| RotationKeyform {
        opacity: 1.0,
        angle,
        origin: [0.5; 2],
        scale: 0.001,
        reflect_x: false,
        reflect_y: false,
        colors: Colors::NEUTRAL,
    };
    let delta = |angle| RotationKeyform {
        opacity: 0.0,
        scale: 0.0,
        origin: [0.0; 2],
        colors: Colors::ZERO,
        ..form(angle)
    };
    Deformer {
        id: "DeformNose".into(),
        parent_part: Some(1),
        parent: Some(0),
        visible: true,
        enabled: true,
        axes: vec![Axis { parameter: 1, keys: vec![-1.0, 1.0] }],
        kind: DeformerKind::Rotation(Rotation {
            base_angle: 0.0,
            keyforms: vec![form(-10.0), form(10.0)],
            blends: blend([delta(5.0), delta(0.0), delta(-5.0)]),
        }),
    }
}

fn drawable(id: &str, masks: Vec<usize>) -> Drawable {
    let corners = [[-100.0, -100.0], [100.0, -100.0], [100.0, 100.0], [-100.0, 100.0]];
    let form = |draw_order| DrawableKeyform {
        opacity: 1.0,
        draw_order,
        positions: corners.to_vec(),
        colors: Colors::NEUTRAL,
    };
    let delta = |reach: f32| DrawableKeyform {
        opacity: 0.0,
        draw_order: 0.0,
        positions: vec![[reach; 2]; 4],
        colors: Colors::ZERO,
    };
    Drawable {
        id: id.into(),
        parent_part: Some(1),
        parent_deformer: Some(1),
        visible: true,
        enabled: true,
        texture: 0,
        flags: Flags::default(),
        extended_blend: None,
        uvs: vec![[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        indices: vec![0, 1, 2, 0, 2, 3],
        masks,
        axes: vec![
            Axis { parameter: 0, keys: vec![-30.0, 30.0] },
            Axis { parameter: 1, keys: vec![-1.0, 0.0, 1.0] },
        ],
        keyforms: [500.0, 510.0, 500.0, 510.0, 500.0, 510.0].map(form).into(),
        blends: blend([delta(1.0), delta(0.0), delta(-2.0)]),
    }
}

fn glue() -> Glue {
    let pair = |vertex| GluePair { vertex_a: vertex, vertex_b: vertex, weight_a: 0.5, weight_b: 0.5 };
    Glue {
        id: "GlueNose".into(),
        drawable_a: 0,
        drawable_b: 1,
        pairs: vec![pair(0), pair(2)],
        axes: Vec::new(),
        keyforms: vec![GlueKeyform { intensity: 1.0 }],
        blends: blend([-0.5, 0.0, -0.1].map(|intensity| GlueKeyform { intensity })),
    }
}
