//! Alternatives: PSDTool radio sets (`*name`) and hidden layers beside shown ones.

use std::collections::BTreeMap;

use crate::{Layer, Note, Variant, notes};

/// Marks every layer that is one of several alternatives. `eyes` are the layers' own eyes.
pub(crate) fn mark(layers: &mut [Layer], eyes: &[bool], out: &mut Vec<Note>) {
    mark_radio_sets(layers, out);
    mark_hidden(layers, eyes);
}

/// A radio alternative of a layer: itself, or the innermost folder around it, whose name begins with `*`.
fn radio(layer: &Layer) -> Option<(Vec<String>, String)> {
    if layer.name.starts_with('*') {
        return Some((layer.path.clone(), layer.name.clone()));
    }
    let depth = layer.path.iter().rposition(|name| name.starts_with('*'))?;
    Some((layer.path[..depth].to_vec(), layer.path[depth].clone()))
}

fn mark_radio_sets(layers: &mut [Layer], out: &mut Vec<Note>) {
    // Alternatives of each set, and whether one of their layers shows.
    let mut sets: BTreeMap<Vec<String>, BTreeMap<String, bool>> = BTreeMap::new();
    for layer in layers.iter() {
        if let Some((set, name)) = radio(layer) {
            *sets.entry(set).or_default().entry(name).or_default() |= layer.visible;
        }
    }
    for layer in layers.iter_mut() {
        let Some((set, name)) = radio(layer) else { continue };
        if sets.get(&set).is_some_and(|alternatives| alternatives.len() > 1) {
            layer.variant = Some(Variant { set, name: plain_name(&name) });
        }
    }
    for (set, alternatives) in &sets {
        let shown = alternatives.values().filter(|&&shown| shown).count();
        if shown > 1 {
            let message = format!(
                "{shown} alternatives of `{}` are shown at once, as saved; one is meant",
                set.join("/")
            );
            out.push(notes::warning("alternatives-together", None, message, "layers.visible"));
        }
    }
}

/// `*name:flipx` without its marks.
fn plain_name(name: &str) -> String {
    let name = name.trim_start_matches(['*', '!']);
    name.split_once(':').map_or(name, |(plain, _)| plain).trim().to_owned()
}

/// A hidden layer beside shown ones of its folder is an alternative; so is the shown one that it would replace.
fn mark_hidden(layers: &mut [Layer], eyes: &[bool]) {
    let mut folders: BTreeMap<Vec<String>, Vec<usize>> = BTreeMap::new();
    for (index, layer) in layers.iter().enumerate() {
        folders.entry(layer.path.clone()).or_default().push(index);
    }
    for (folder, members) in folders {
        let shown: Vec<usize> = members.iter().copied().filter(|&i| layers[i].visible).collect();
        let hidden: Vec<usize> = members.iter().copied().filter(|&i| !eyes[i]).collect();
        for &index in &hidden {
            if layers[index].variant.is_none() {
                let name = plain_name(&layers[index].name);
                layers[index].variant = Some(Variant { set: folder.clone(), name });
            }
        }
        let replaced: Vec<usize> = shown
            .into_iter()
            .filter(|&i| layers[i].variant.is_none())
            .filter(|&i| hidden.iter().any(|&h| replaces(&layers[h], &layers[i])))
            .collect();
        // In the root a hidden layer may be anything (a sketch): only folders tell what replaces what.
        if let ([one], false) = (replaced.as_slice(), folder.is_empty()) {
            let name = plain_name(&layers[*one].name);
            layers[*one].variant = Some(Variant { set: folder.clone(), name });
        }
    }
}

/// Boxes that share a fifth of their union show the same thing.
fn replaces(a: &Layer, b: &Layer) -> bool {
    let common = a.bounds.intersection(&b.bounds).map_or(0, |r| r.area());
    let union = a.bounds.area() + b.bounds.area() - common;
    common * 5 >= union
}
