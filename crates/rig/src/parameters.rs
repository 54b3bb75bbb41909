//! The parameter table and its folders (RIG 10, 1.2).

use std::collections::BTreeSet;

use puppet::{Parameter, ParameterGroup, ParameterId, ParameterKind, Puppet};

use crate::variants::Switches;

/// (id, name, min, max, default, folder)
type Row = (&'static str, &'static str, f64, f64, f64, &'static str);

const TABLE: [Row; 20] = [
    ("ParamAngleX", "Angle X", -45.0, 45.0, 0.0, "ParamGroupFace"),
    ("ParamAngleY", "Angle Y", -30.0, 30.0, 0.0, "ParamGroupFace"),
    ("ParamAngleZ", "Angle Z", -30.0, 30.0, 0.0, "ParamGroupFace"),
    ("ParamEyeLOpen", "Eye L open", 0.0, 1.0, 1.0, "ParamGroupEyes"),
    ("ParamEyeROpen", "Eye R open", 0.0, 1.0, 1.0, "ParamGroupEyes"),
    ("ParamEyeLSmile", "Eye L smile", 0.0, 1.0, 0.0, "ParamGroupEyes"),
    ("ParamEyeRSmile", "Eye R smile", 0.0, 1.0, 0.0, "ParamGroupEyes"),
    ("ParamEyeBallX", "Eyeball X", -1.0, 1.0, 0.0, "ParamGroupEyes"),
    ("ParamEyeBallY", "Eyeball Y", -1.0, 1.0, 0.0, "ParamGroupEyes"),
    ("ParamEyeBallForm", "Eyeball form", -1.0, 1.0, 0.0, "ParamGroupEyes"),
    ("ParamBrowLY", "Brow L Y", -1.0, 1.0, 0.0, "ParamGroupBrows"),
    ("ParamBrowRY", "Brow R Y", -1.0, 1.0, 0.0, "ParamGroupBrows"),
    ("ParamMouthForm", "Mouth form", -1.0, 1.0, 0.0, "ParamGroupMouth"),
    ("ParamMouthOpenY", "Mouth open", 0.0, 1.0, 0.0, "ParamGroupMouth"),
    ("ParamBodyAngleX", "Body X", -10.0, 10.0, 0.0, "ParamGroupBody"),
    ("ParamBodyAngleY", "Body Y", -10.0, 10.0, 0.0, "ParamGroupBody"),
    ("ParamBodyAngleZ", "Body Z", -10.0, 10.0, 0.0, "ParamGroupBody"),
    ("ParamBreath", "Breath", 0.0, 1.0, 0.0, "ParamGroupBody"),
    ("ParamHairFront", "Hair front", -1.0, 1.0, 0.0, "ParamGroupPhysics"),
    ("ParamHairBack", "Hair back", -1.0, 1.0, 0.0, "ParamGroupPhysics"),
];

/// What swings by itself (`hang`): written when something follows.
const HANGING: [(&str, &str); 25] = [
    ("ParamHairBackTip", "Hair back tip"),
    ("ParamHairSideL", "Hair side L"),
    ("ParamHairSideR", "Hair side R"),
    ("ParamHairTail", "Hair tail"),
    ("ParamHairTailTip", "Hair tail tip"),
    ("ParamHairTailL", "Hair tail L"),
    ("ParamHairTailTipL", "Hair tail tip L"),
    ("ParamHairTailR", "Hair tail R"),
    ("ParamHairTailTipR", "Hair tail tip R"),
    ("ParamHairAhoge", "Ahoge"),
    ("ParamRibbon", "Ribbon"),
    ("ParamRibbonL", "Ribbon L"),
    ("ParamRibbonR", "Ribbon R"),
    ("ParamEarringL", "Earring L"),
    ("ParamEarringR", "Earring R"),
    ("ParamEarL", "Ear L"),
    ("ParamEarR", "Ear R"),
    ("ParamNeckwear", "Neckwear"),
    ("ParamArmSwayL", "Arm sway L"),
    ("ParamArmSwayR", "Arm sway R"),
    ("ParamSkirt", "Skirt"),
    ("ParamTail1", "Tail 1"),
    ("ParamTail2", "Tail 2"),
    ("ParamWingL", "Wing L"),
    ("ParamWingR", "Wing R"),
];

const GROUPS: [(&str, &str); 7] = [
    ("ParamGroupFace", "Face"),
    ("ParamGroupEyes", "Eyes"),
    ("ParamGroupBrows", "Brows"),
    ("ParamGroupMouth", "Mouth"),
    ("ParamGroupBody", "Body"),
    ("ParamGroupPhysics", "Physics"),
    ("ParamGroupSwitches", "Switches"),
];

const PAIRS: [(&str, &str); 3] = [
    ("ParamAngleX", "ParamAngleY"),
    ("ParamBodyAngleX", "ParamBodyAngleY"),
    ("ParamEyeBallX", "ParamEyeBallY"),
];

/// Written even when nothing follows them: trackers and motions expect them.
const ALWAYS: [&str; 7] = [
    "ParamAngleX",
    "ParamAngleY",
    "ParamAngleZ",
    "ParamBodyAngleX",
    "ParamBodyAngleY",
    "ParamBodyAngleZ",
    "ParamBreath",
];

/// Adds the parameters that something follows, their folders and pairs; returns the ids of the table left out.
pub(crate) fn add(puppet: &mut Puppet, switches: &Switches) -> Vec<&'static str> {
    let used = used(puppet);
    let keep = |id: &str| ALWAYS.contains(&id) || used.contains(&ParameterId::from(id));
    puppet.parameters = TABLE
        .iter()
        .filter(|row| keep(row.0))
        .map(|&(id, name, min, max, default, group)| Parameter {
            id: id.into(),
            name: name.to_owned(),
            min,
            max,
            default,
            kind: ParameterKind::Normal,
            repeat: false,
            group: group.to_owned(),
        })
        .collect();
    let hanging = HANGING.iter().filter(|row| used.contains(&ParameterId::from(row.0)));
    puppet.parameters.extend(hanging.map(|&(id, name)| Parameter {
        id: id.into(),
        name: name.to_owned(),
        min: -1.0,
        max: 1.0,
        default: 0.0,
        kind: ParameterKind::Normal,
        repeat: false,
        group: "ParamGroupPhysics".to_owned(),
    }));
    puppet.parameters.extend(switches.list.iter().filter(|s| used.contains(&s.parameter)).map(|s| {
        Parameter {
            id: s.parameter.clone(),
            name: s.name.clone(),
            min: 0.0,
            max: s.choices.len() as f64,
            default: 0.0,
            kind: ParameterKind::Normal,
            repeat: false,
            group: "ParamGroupSwitches".to_owned(),
        }
    }));
    let filled = |id: &str| puppet.parameters.iter().any(|p| p.group == id);
    puppet.parameter_groups = GROUPS
        .iter()
        .filter(|(id, _)| filled(id))
        .map(|&(id, name)| ParameterGroup { id: id.to_owned(), name: name.to_owned() })
        .collect();
    puppet.combined =
        PAIRS.iter().filter(|(a, b)| keep(a) && keep(b)).map(|&(a, b)| (a.into(), b.into())).collect();
    TABLE.iter().map(|row| row.0).filter(|id| !keep(id)).collect()
}

fn used(puppet: &Puppet) -> BTreeSet<ParameterId> {
    let mut used = BTreeSet::new();
    let mut see = |axes: &[puppet::Axis]| used.extend(axes.iter().map(|a| a.parameter.clone()));
    for d in &puppet.deformers {
        see(&d.channels.opacity.axes);
        match &d.kind {
            puppet::DeformerKind::Warp(warp) => see(&warp.forms.axes),
            puppet::DeformerKind::Rotation(rotation) => see(&rotation.forms.axes),
        }
    }
    for d in &puppet.drawables {
        see(&d.forms.axes);
        see(&d.channels.opacity.axes);
        see(&d.channels.draw_order.axes);
    }
    used
}
