//! What an update of a bundle gains, loses and changes for those who use it.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

/// The names of a bundle that others may rely on.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Surface {
    /// Parameter id to (min, default, max).
    pub parameters: BTreeMap<String, (f64, f64, f64)>,
    /// Part ids.
    pub parts: BTreeSet<String>,
    /// Drawable ids.
    pub drawables: BTreeSet<String>,
    /// Motions as `group/file`.
    pub motions: BTreeSet<String>,
    /// Expression names.
    pub expressions: BTreeSet<String>,
    /// Hit area names.
    pub hit_areas: BTreeSet<String>,
    /// Members of the parameter groups as `EyeBlink/ParamEyeLOpen`.
    pub groups: BTreeSet<String>,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Change {
    /// `parameter`, `part`, `drawable`, `motion`, `expression`, `hit area` or `group`.
    pub kind: &'static str,
    /// Its id.
    pub id: String,
    /// `gained`, `lost` or `changed`.
    pub change: &'static str,
    /// Ranges, for a changed parameter; empty otherwise.
    pub detail: String,
    /// Something that others may use is gone or reaches less far.
    pub breaking: bool,
}

/// All differences from `old` to `new`, by kind and id.
pub fn diff(old: &Surface, new: &Surface) -> Vec<Change> {
    let mut changes = Vec::new();
    let old_ids: BTreeSet<String> = old.parameters.keys().cloned().collect();
    let new_ids: BTreeSet<String> = new.parameters.keys().cloned().collect();
    compare(&mut changes, "parameter", &old_ids, &new_ids);
    for (id, before) in &old.parameters {
        let Some(after) = new.parameters.get(id).filter(|after| *after != before) else { continue };
        changes.push(Change {
            kind: "parameter",
            id: id.clone(),
            change: "changed",
            detail: format!(
                "{}..{} (default {}) became {}..{} (default {})",
                before.0, before.2, before.1, after.0, after.2, after.1
            ),
            breaking: after.0 > before.0 || after.2 < before.2,
        });
    }
    compare(&mut changes, "part", &old.parts, &new.parts);
    compare(&mut changes, "drawable", &old.drawables, &new.drawables);
    compare(&mut changes, "motion", &old.motions, &new.motions);
    compare(&mut changes, "expression", &old.expressions, &new.expressions);
    compare(&mut changes, "hit area", &old.hit_areas, &new.hit_areas);
    compare(&mut changes, "group", &old.groups, &new.groups);
    changes
}

fn compare(changes: &mut Vec<Change>, kind: &'static str, old: &BTreeSet<String>, new: &BTreeSet<String>) {
    let mut push = |id: &String, change, breaking| {
        changes.push(Change { kind, id: id.clone(), change, detail: String::new(), breaking });
    };
    old.difference(new).for_each(|id| push(id, "lost", true));
    new.difference(old).for_each(|id| push(id, "gained", false));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn losing_breaks_and_gaining_does_not() {
        let mut old = Surface::default();
        old.parameters.insert("ParamA".to_owned(), (-1.0, 0.0, 1.0));
        old.motions.insert("Idle/idle".to_owned());
        let mut new = Surface::default();
        new.parameters.insert("ParamA".to_owned(), (-1.0, 0.0, 0.5));
        new.parameters.insert("ParamB".to_owned(), (0.0, 0.0, 1.0));
        let changes = diff(&old, &new);
        let told: Vec<(&str, &str, bool)> =
            changes.iter().map(|c| (c.id.as_str(), c.change, c.breaking)).collect();
        assert_eq!(
            told,
            [("ParamB", "gained", false), ("ParamA", "changed", true), ("Idle/idle", "lost", true)]
        );
        assert!(diff(&new, &new).is_empty());
    }
}
