//! Alternatives as parts of a pose file: one of a group shows, motions choose which, the runtime fades.

use puppet::{Part, PartId, PoseGroup, Puppet};

use crate::layer::Scene;

/// Adds the parts of alternatives and their groups to a puppet whose drawables name them; the picture as drawn is the
/// one that shows at rest.
pub(crate) fn add(scene: &Scene<'_>, puppet: &mut Puppet) {
    for switch in scene.switches.list.iter().filter(|s| !s.parts.is_empty()) {
        let used = |id: &PartId| puppet.drawables.iter().any(|d| d.part.as_ref() == Some(id));
        let shown: Vec<(usize, PartId)> =
            switch.parts.iter().cloned().enumerate().filter(|(_, id)| used(id)).collect();
        for (at, id) in &shown {
            let choice = at.checked_sub(1).and_then(|i| switch.choices.get(i));
            puppet.parts.push(Part {
                id: id.clone(),
                name: choice.map_or_else(|| switch.name.clone(), |c| format!("{} {c}", switch.name)),
                parent: None,
                visible: *at == 0,
            });
        }
        if shown.len() > 1 {
            let members = shown.into_iter().map(|(_, id)| (id, Vec::new())).collect();
            puppet.poses.push(PoseGroup { members });
        }
    }
}
