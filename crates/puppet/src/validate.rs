//! Faults that no packer could write, each with a path. The rig owner widens this.

use std::collections::BTreeSet;

use crate::{DeformerKind, Grid, Puppet};

/// One fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// Where: `drawables/ArtMeshNose/forms`.
    pub path: String,
    /// What.
    pub message: String,
}

/// All faults of a puppet; empty when it can be packed.
pub fn validate(puppet: &Puppet) -> Vec<Fault> {
    let mut faults = Vec::new();
    let known: BTreeSet<&str> = puppet.parameters.iter().map(|p| p.id.as_str()).collect();
    let mut seen = BTreeSet::new();
    for deformer in &puppet.deformers {
        let path = format!("deformers/{}", deformer.id);
        if let Some(parent) = &deformer.parent
            && !seen.contains(parent.as_str())
        {
            faults.push(Fault {
                path: path.clone(),
                message: format!("parent {parent} does not stand before it"),
            });
        }
        if !seen.insert(deformer.id.as_str()) {
            faults.push(Fault { path: path.clone(), message: "id is taken".to_owned() });
        }
        match &deformer.kind {
            DeformerKind::Warp(warp) => {
                let points = (warp.columns + 1) * (warp.rows + 1);
                check_grid(&mut faults, &path, &warp.forms, &known);
                for (i, form) in warp.forms.cells.iter().enumerate() {
                    if form.len() != points || form.iter().any(|p| !p.is_finite()) {
                        let message = format!("needs {points} finite points");
                        faults.push(Fault { path: format!("{path}/forms[{i}]"), message });
                    }
                }
            }
            DeformerKind::Rotation(rotation) => check_grid(&mut faults, &path, &rotation.forms, &known),
        }
        check_grid(&mut faults, &path, &deformer.channels.opacity, &known);
    }
    let mut ids = BTreeSet::new();
    for drawable in &puppet.drawables {
        let path = format!("drawables/{}", drawable.id);
        if !ids.insert(drawable.id.as_str()) {
            faults.push(Fault { path: path.clone(), message: "id is taken".to_owned() });
        }
        if let Some(parent) = &drawable.deformer
            && !seen.contains(parent.as_str())
        {
            faults.push(Fault { path: path.clone(), message: format!("deformer {parent} is not there") });
        }
        check_grid(&mut faults, &path, &drawable.forms, &known);
        let n = drawable.uvs.len();
        if drawable.forms.cells.iter().any(|f| f.len() != n || f.iter().any(|p| !p.is_finite())) {
            faults
                .push(Fault { path: path.clone(), message: format!("every form needs {n} finite vertices") });
        }
        if drawable.triangles.iter().flatten().any(|&i| i as usize >= n) {
            faults.push(Fault { path, message: "a triangle names a vertex that is not there".to_owned() });
        }
    }
    faults
}

fn check_grid<T>(faults: &mut Vec<Fault>, path: &str, grid: &Grid<T>, known: &BTreeSet<&str>) {
    if grid.cells.len() != grid.expected_cells() {
        let message = format!("{} cells for {} key combinations", grid.cells.len(), grid.expected_cells());
        faults.push(Fault { path: path.to_owned(), message });
    }
    for axis in &grid.axes {
        if !known.contains(axis.parameter.as_str()) {
            faults.push(Fault {
                path: path.to_owned(),
                message: format!("parameter {} is not there", axis.parameter),
            });
        }
        if axis.keys.is_empty() || axis.keys.windows(2).any(|w| w[0] >= w[1]) {
            let message = format!("keys of {} are not strictly ascending", axis.parameter);
            faults.push(Fault { path: path.to_owned(), message });
        }
    }
}
