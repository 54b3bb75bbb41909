//! Sources to one table, checked against the schema.

use toml::{Table, Value};

use crate::{Error, Settings};

/// One text of settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// File name or flag, for messages.
    pub origin: String,
    /// TOML.
    pub text: String,
}

/// The file that a source extends, if it names one (`extends = "studio.toml"`, relative to the source's folder).
///
/// # Errors
/// When the text is not TOML or the value is not a string.
pub fn extends(source: &Source) -> Result<Option<String>, Error> {
    match parse(source)?.get("extends") {
        None => Ok(None),
        Some(Value::String(path)) => Ok(Some(path.clone())),
        Some(_) => Err(syntax(source, "`extends` must be a file name in quotes")),
    }
}

/// Merges sources, lowest precedence first, then `--set key=value` pairs.
///
/// # Errors
/// [`Error::Syntax`], [`Error::Unknown`] with the nearest known key, [`Error::Value`] for wrong kinds and ranges.
pub fn load(sources: &[Source], sets: &[String]) -> Result<Settings, Error> {
    let schema = Settings::schema();
    let mut merged = Table::new();
    for source in sources {
        let mut table = parse(source)?;
        table.remove("extends");
        check_keys(&source.origin, &table, &schema, "")?;
        merge(&mut merged, table);
    }
    for set in sets {
        let table = parse_set(set)?;
        check_keys("--set", &table, &schema, "")?;
        merge(&mut merged, table);
    }
    spell_runtime(&mut merged);
    let settings: Settings = Value::Table(merged).try_into().map_err(|e| Error::Value(one_line(&e)))?;
    settings.validate()?;
    Ok(settings)
}

/// `runtime = 5.0` means `"5.0"`.
fn spell_runtime(merged: &mut Table) {
    let export = merged.get_mut("export").and_then(Value::as_table_mut);
    if let Some(runtime) = export.and_then(|export| export.get_mut("runtime"))
        && let Some(number) = runtime.as_float()
    {
        *runtime = Value::String(format!("{number:.1}"));
    }
}

fn parse(source: &Source) -> Result<Table, Error> {
    source.text.parse::<Table>().map_err(|e| syntax(source, &e.to_string()))
}

fn syntax(source: &Source, message: &str) -> Error {
    Error::Syntax { origin: source.origin.clone(), message: message.trim().to_owned() }
}

fn one_line(error: &toml::de::Error) -> String {
    error.to_string().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `key=value`: the value as TOML when it is, else as a string.
fn parse_set(set: &str) -> Result<Table, Error> {
    let source = |text: String| Source { origin: format!("--set {set}"), text };
    let Some((key, value)) = split_set(set) else {
        return Err(syntax(&source(String::new()), "must be key=value, as in --set rig.head_strength=1.2"));
    };
    parse(&source(format!("{key} = {value}")))
        .or_else(|_| parse(&source(format!("{key} = {}", Value::String(value.to_owned())))))
}

/// At the first `=` outside quotes.
fn split_set(set: &str) -> Option<(&str, &str)> {
    let mut quoted = false;
    let at = set.char_indices().find(|&(_, c)| {
        quoted ^= c == '"';
        c == '=' && !quoted
    })?;
    Some((set[..at.0].trim(), set[at.0 + 1..].trim()))
}

fn merge(base: &mut Table, over: Table) {
    for (key, value) in over {
        match (base.get_mut(&key), value) {
            (Some(Value::Table(old)), Value::Table(new)) => merge(old, new),
            (_, value) => {
                base.insert(key, value);
            }
        }
    }
}

/// Every key must be in the schema; a schema table with the single key `*` takes any name.
fn check_keys(origin: &str, table: &Table, schema: &Table, path: &str) -> Result<(), Error> {
    for (key, value) in table {
        let dotted = if path.is_empty() { key.clone() } else { format!("{path}.{}", quote(key)) };
        let Some(known) = schema.get(key).or_else(|| schema.get("*")) else {
            let nearest = nearest(key, schema.keys());
            let nearest = nearest.map(|n| if path.is_empty() { n.clone() } else { format!("{path}.{n}") });
            return Err(Error::Unknown { origin: origin.to_owned(), key: dotted, nearest });
        };
        if let (Value::Table(inner), Value::Table(known)) = (value, known) {
            check_keys(origin, inner, known, &dotted)?;
        }
    }
    Ok(())
}

fn quote(key: &str) -> String {
    let bare = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { format!("\"{key}\"") }
}

/// The known key with the fewest edits, when at most a third of its letters differ.
fn nearest<'a>(key: &str, known: impl Iterator<Item = &'a String>) -> Option<&'a String> {
    known
        .map(|k| (edits(key, k), k))
        .filter(|(distance, k)| *distance <= k.chars().count().div_ceil(3))
        .min()
        .map(|(_, k)| k)
}

/// Levenshtein distance.
fn edits(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &cb) in b.iter().enumerate() {
            let substitution = diagonal + usize::from(ca != cb);
            diagonal = row[j + 1];
            row[j + 1] = substitution.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
