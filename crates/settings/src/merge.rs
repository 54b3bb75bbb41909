//! Sources to one table, checked against the schema.

use toml::{Table, Value};

use crate::nearest::nearest;
use crate::{Error, Settings, warning_code};

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

/// Merges sources, lowest precedence first, then `--set key=value` pairs. Each is checked alone, so that an error names the
/// one at fault.
///
/// # Errors
/// [`Error::Syntax`], [`Error::Unknown`] with the nearest known key, [`Error::Value`] for wrong kinds and ranges,
/// [`Error::Code`] for warning codes that no warning has.
pub fn load(sources: &[Source], sets: &[String]) -> Result<Settings, Error> {
    let schema = Settings::schema();
    let mut merged = Table::new();
    let mut add = |origin: &str, mut table: Table| {
        spell_runtime(&mut table);
        check(origin, &table, &schema, "")?;
        settings(origin, table.clone())?;
        merge(&mut merged, table);
        Ok(())
    };
    for source in sources {
        let mut table = parse(source)?;
        table.remove("extends");
        add(&source.origin, table)?;
    }
    for set in sets {
        add(&format!("--set {set}"), parse_set(set)?)?;
    }
    settings("settings", merged)
}

fn settings(origin: &str, table: Table) -> Result<Settings, Error> {
    let wrong = |message| Error::Value { origin: origin.to_owned(), message };
    let mut settings: Settings = Value::Table(table).try_into().map_err(|e| wrong(one_line(&e)))?;
    settings.validate().map_err(wrong)?;
    for code in &mut settings.checks.fail_on {
        *code = warning_code(&format!("{origin}: checks.fail_on"), code)?.to_owned();
    }
    Ok(settings)
}

/// `runtime = 5.0` means `"5.0"`, and so does `runtime = 5`.
fn spell_runtime(table: &mut Table) {
    let export = table.get_mut("export").and_then(Value::as_table_mut);
    if let Some(runtime) = export.and_then(|export| export.get_mut("runtime")) {
        let number = runtime.as_float().or(runtime.as_integer().map(|whole| whole as f64));
        if let Some(number) = number {
            *runtime = Value::String(format!("{number:.1}"));
        }
    }
}

fn parse(source: &Source) -> Result<Table, Error> {
    source.text.parse::<Table>().map_err(|e| {
        let before = source.text.get(..e.span().map_or(0, |span| span.start)).unwrap_or_default();
        let (line, column) =
            (before.matches('\n').count() + 1, before.chars().rev().take_while(|c| *c != '\n').count() + 1);
        syntax(source, &format!("line {line}, column {column}: {}", e.message()))
    })
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

/// Every key must be in the schema, with a value of its kind; a schema table with the single key `*` takes any name.
fn check(origin: &str, table: &Table, schema: &Table, path: &str) -> Result<(), Error> {
    for (key, value) in table {
        let dotted = if path.is_empty() { quote(key) } else { format!("{path}.{}", quote(key)) };
        let Some(known) = schema.get(key).or_else(|| schema.get("*")) else {
            let nearest = nearest(key, schema.keys().map(String::as_str));
            let nearest = nearest.map(|n| if path.is_empty() { n.to_owned() } else { format!("{path}.{n}") });
            return Err(Error::Unknown { origin: origin.to_owned(), key: dotted, nearest });
        };
        if let (Value::Table(inner), Value::Table(known)) = (value, known) {
            check(origin, inner, known, &dotted)?;
        } else if !is_of_kind(value, known) {
            let message = format!("{dotted} must be {}, not {value}", kind(known));
            return Err(Error::Value { origin: origin.to_owned(), message });
        }
    }
    Ok(())
}

fn is_of_kind(value: &Value, known: &Value) -> bool {
    value.same_type(known) || (known.is_float() && value.is_integer())
}

fn kind(known: &Value) -> &'static str {
    match known {
        Value::Float(_) => "a number",
        Value::Integer(_) => "a whole number",
        Value::Boolean(_) => "true or false",
        Value::Array(_) => "a list",
        Value::Table(_) => "a table",
        Value::String(_) | Value::Datetime(_) => "text in quotes",
    }
}

fn quote(key: &str) -> String {
    let bare = key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
    if bare { key.to_owned() } else { format!("\"{key}\"") }
}

#[cfg(test)]
#[path = "merge_tests.rs"]
mod tests;
