//! Alternatives: layers of which one shows at a time, and hidden layers, become switch parameters.

use artwork::Variant;
use parts::{Cast, Member, Tag};
use puppet::{Axis, Grid, ParameterId, PartId};

use crate::settings::{Alternatives, HiddenLayers};
use crate::{Settings, ids};

/// One switch parameter.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Switch {
    pub(crate) parameter: ParameterId,
    pub(crate) name: String,
    /// Names of the values 1, 2, …; value 0 is the picture as drawn.
    pub(crate) choices: Vec<String>,
    /// Which of them show closed eyes.
    pub(crate) closes_eyes: Vec<bool>,
    /// Parts of the values 0, 1, 2, … when a pose file shows them instead of the parameter; empty otherwise.
    pub(crate) parts: Vec<PartId>,
}

/// When a member shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Shown {
    pub(crate) switch: usize,
    /// Value at which it shows.
    pub(crate) at: usize,
}

/// All switches and who depends on them.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Switches {
    pub(crate) list: Vec<Switch>,
    /// Per member of the cast.
    pub(crate) of_member: Vec<Option<Shown>>,
    /// Members that never show.
    pub(crate) dropped: Vec<bool>,
}

impl Switches {
    /// Opacity of a member by its switch.
    pub(crate) fn opacity(&self, member: usize) -> Grid<f64> {
        let Some(shown) = self.of_member.get(member).copied().flatten() else { return Grid::constant(1.0) };
        let Some(switch) = self.list.get(shown.switch).filter(|s| s.parts.is_empty()) else {
            return Grid::constant(1.0);
        };
        let keys: Vec<f64> = (0..=switch.choices.len()).map(|k| k as f64).collect();
        Grid::build(vec![Axis { parameter: switch.parameter.clone(), keys }], |k| {
            if k[0] == shown.at as f64 { 1.0 } else { 0.0 }
        })
    }
    /// The part of a member that a pose file shows.
    pub(crate) fn part(&self, member: usize) -> Option<&PartId> {
        let shown = self.state(member)?;
        self.list.get(shown.switch)?.parts.get(shown.at)
    }
    /// The switch state of a member; `None` when it always shows.
    pub(crate) fn state(&self, member: usize) -> Option<Shown> {
        self.of_member.get(member).copied().flatten()
    }
}

/// Finds the switches of a cast.
pub(crate) fn find(cast: &Cast, settings: &Settings) -> Switches {
    let n = cast.members.len();
    let mut found = Switches { list: Vec::new(), of_member: vec![None; n], dropped: vec![false; n] };
    let exempt: Vec<bool> = (0..n).map(|i| exempt(cast, i)).collect();
    let mut sets: Vec<&[String]> = Vec::new();
    for (i, m) in cast.members.iter().enumerate() {
        if let Some(v) = &m.variant
            && !exempt[i]
            && !m.background
            && !sets.contains(&v.set.as_slice())
        {
            sets.push(&v.set);
        }
    }
    for set in sets {
        add_set(cast, settings, &mut found, set, &exempt);
    }
    for (i, m) in cast.members.iter().enumerate() {
        if m.visible || exempt[i] || m.background || m.variant.is_some() {
            continue;
        }
        add_hidden(&mut found, settings, i, m);
    }
    found
}

/// More switches than anybody can use; further hidden layers stay hidden.
const MAX_SWITCHES: usize = 256;

/// Eye and mouth art that the standard parameters already switch.
fn exempt(cast: &Cast, index: usize) -> bool {
    let member = &cast.members[index];
    match (member.tag, &member.variant) {
        (Tag::EyeClose | Tag::MouthOpen | Tag::MouthClose, None) => true,
        (_, None) => false,
        (tag, Some(variant)) => {
            let tags = |wanted: Tag| {
                cast.members
                    .iter()
                    .enumerate()
                    .find(|(_, m)| {
                        m.tag == wanted && m.variant.as_ref().is_some_and(|v| v.set == variant.set)
                    })
                    .map(|(i, m)| (i, m.variant.as_ref().map(|v| v.name.as_str())))
            };
            let first = |wanted: Tag| {
                tags(wanted).is_some_and(|(i, name)| i == index || name == Some(variant.name.as_str()))
            };
            // Closed eyes are drawn one a side: the first of each side counts.
            let first_of_side = || {
                let same = |m: &&Member| {
                    let set = m.variant.as_ref().map(|v| &v.set);
                    m.tag == Tag::EyeClose && m.side == member.side && set == Some(&variant.set)
                };
                cast.members.iter().find(same).is_some_and(|m| m.id == member.id)
            };
            match tag {
                Tag::EyeClose => first(Tag::EyeClose) || first_of_side(),
                Tag::MouthOpen => first(Tag::MouthOpen) && tags(Tag::MouthClose).is_some(),
                Tag::MouthClose => first(Tag::MouthClose) && tags(Tag::MouthOpen).is_some(),
                Tag::Irides | Tag::Eyewhite | Tag::Eyelash => {
                    member.visible && tags(Tag::EyeClose).is_some() && only_two(cast, variant)
                }
                _ => false,
            }
        }
    }
}

fn only_two(cast: &Cast, variant: &Variant) -> bool {
    let mut names: Vec<&str> = Vec::new();
    for v in cast.members.iter().filter_map(|m| m.variant.as_ref()).filter(|v| v.set == variant.set) {
        if !names.contains(&v.name.as_str()) {
            names.push(&v.name);
        }
    }
    names.len() == 2
}

fn add_set(cast: &Cast, settings: &Settings, found: &mut Switches, set: &[String], exempt: &[bool]) {
    let members: Vec<(usize, &Member, &Variant)> = cast
        .members
        .iter()
        .enumerate()
        .filter_map(|(i, m)| m.variant.as_ref().map(|v| (i, m, v)))
        .filter(|(i, m, v)| v.set == set && !exempt[*i] && !m.background)
        .collect();
    let shown = |name: &str| members.iter().any(|(_, m, v)| v.name == name && m.visible);
    let mut others: Vec<&str> = Vec::new();
    for (_, _, v) in &members {
        if !shown(&v.name) && !others.contains(&v.name.as_str()) {
            others.push(&v.name);
        }
    }
    if others.is_empty() {
        return;
    }
    if settings.hidden == HiddenLayers::Drop || found.list.len() >= MAX_SWITCHES {
        for (i, m, _) in &members {
            found.dropped[*i] = !m.visible;
        }
        return;
    }
    let switch = found.list.len();
    for (i, _, v) in &members {
        let at = others.iter().position(|o| *o == v.name).map_or(0, |k| k + 1);
        found.of_member[*i] = Some(Shown { switch, at });
    }
    let closes = |name: &&str| members.iter().any(|(_, m, v)| v.name == **name && m.tag == Tag::EyeClose);
    let title = set.last().cloned().unwrap_or_else(|| "Alternative".to_owned());
    let parameter = ids::switch_id(&title, found.list.iter().map(|s| s.parameter.as_str()));
    found.list.push(Switch {
        closes_eyes: others.iter().map(closes).collect(),
        parts: match settings.alternatives {
            Alternatives::Switch => Vec::new(),
            Alternatives::Pose => (0..=others.len()).map(|at| ids::pose_part(&parameter, at)).collect(),
        },
        choices: others.iter().map(|o| (*o).to_owned()).collect(),
        name: title,
        parameter,
    });
}

fn add_hidden(found: &mut Switches, settings: &Settings, index: usize, member: &Member) {
    if settings.hidden == HiddenLayers::Drop || found.list.len() >= MAX_SWITCHES {
        found.dropped[index] = true;
        return;
    }
    let switch = found.list.len();
    found.of_member[index] = Some(Shown { switch, at: 1 });
    found.list.push(Switch {
        parameter: ids::switch_id(&member.name, found.list.iter().map(|s| s.parameter.as_str())),
        name: member.name.clone(),
        choices: vec![member.name.clone()],
        closes_eyes: vec![false],
        parts: Vec::new(),
    });
}
