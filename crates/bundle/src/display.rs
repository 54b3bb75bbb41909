//! cdi3: names and folders for viewers (MOC3_FORMAT 8.6).

use puppet::Puppet;
use serde_json::{Value, json};

use crate::Language;

/// The display document.
pub(crate) fn cdi3(puppet: &Puppet, language: Language) -> Value {
    let parameters: Vec<Value> = puppet
        .parameters
        .iter()
        .map(|p| json!({"Id": p.id.as_str(), "GroupId": p.group, "Name": language.name(p.id.as_str(), &p.name)}))
        .collect();
    let groups: Vec<Value> = puppet
        .parameter_groups
        .iter()
        .map(|g| json!({"Id": g.id, "GroupId": "", "Name": language.name(&g.id, &g.name)}))
        .collect();
    let parts: Vec<Value> = puppet
        .parts
        .iter()
        .map(|p| json!({"Id": p.id.as_str(), "Name": language.name(p.id.as_str(), &p.name)}))
        .collect();
    let combined: Vec<Value> = puppet.combined.iter().map(|(x, y)| json!([x.as_str(), y.as_str()])).collect();
    json!({
        "Version": 3,
        "Parameters": parameters,
        "ParameterGroups": groups,
        "Parts": parts,
        "CombinedParameters": combined,
    })
}
