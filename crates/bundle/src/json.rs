//! JSON as every Cubism framework reads it (MOC3_FORMAT 8.0).
//!
//! Their parser is not a full JSON parser: one value per line with the comma directly behind it, no exponents, no `\u`
//! escapes, UTF-8 as it is. Numbers are plain decimals with at most six places.

use serde_json::Value;

/// The document's text: tabs, one value per line, a newline at the end. Control characters in strings are dropped.
pub fn to_text(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value, 0);
    out.push('\n');
    out
}

/// A number of at most six decimal places; what is not finite becomes 0.
pub fn number(value: f64) -> Value {
    let rounded = (value * 1e6).round() / 1e6;
    let plain = if rounded == 0.0 || !rounded.is_finite() { 0.0 } else { rounded };
    if plain.fract() == 0.0 && plain.abs() < 9e15 { Value::from(plain as i64) } else { Value::from(plain) }
}

fn write_value(out: &mut String, value: &Value, depth: usize) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(b) => out.push_str(if *b { "true" } else { "false" }),
        Value::Number(n) => write_number(out, n),
        Value::String(s) => write_string(out, s),
        Value::Array(items) => write_sequence(out, depth, ['[', ']'], items.iter(), |out, item| {
            write_value(out, item, depth + 1);
        }),
        Value::Object(map) => write_sequence(out, depth, ['{', '}'], map.iter(), |out, (key, item)| {
            write_string(out, key);
            out.push_str(": ");
            write_value(out, item, depth + 1);
        }),
    }
}

fn write_sequence<T>(
    out: &mut String,
    depth: usize,
    [open, close]: [char; 2],
    items: impl ExactSizeIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    let count = items.len();
    for (i, item) in items.enumerate() {
        out.push('\n');
        (0..=depth).for_each(|_| out.push('\t'));
        write(out, item);
        if i + 1 < count {
            out.push(',');
        }
    }
    if count > 0 {
        out.push('\n');
        (0..depth).for_each(|_| out.push('\t'));
    }
    out.push(close);
}

fn write_number(out: &mut String, n: &serde_json::Number) {
    if n.is_f64() {
        let text = format!("{:.6}", n.as_f64().unwrap_or(0.0));
        let text = text.trim_end_matches('0').trim_end_matches('.');
        out.push_str(if text == "-0" { "0" } else { text });
    } else {
        out.push_str(&n.to_string());
    }
}

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if (c as u32) < 0x20 || c == '\u{7f}' => {}
            c => out.push(c),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(value: Value, expected: &str) {
        assert_eq!(to_text(&value), format!("{expected}\n"));
        assert_eq!(
            serde_json::from_str::<Value>(expected).map(|v| to_text(&v)).unwrap(),
            format!("{expected}\n")
        );
    }

    #[test]
    fn one_value_a_line_without_exponents_or_escapes() {
        check(json!({}), "{}");
        check(json!({"a": [], "b": 1}), "{\n\t\"a\": [],\n\t\"b\": 1\n}");
        check(
            json!({"n": [number(1e-9), number(-0.5), number(2.0)]}),
            "{\n\t\"n\": [\n\t\t0,\n\t\t-0.5,\n\t\t2\n\t]\n}",
        );
        check(json!({"s": "髪 \"x\" \\"}), "{\n\t\"s\": \"髪 \\\"x\\\" \\\\\"\n}");
    }

    #[test]
    fn control_characters_are_dropped_and_odd_numbers_are_zero() {
        assert_eq!(to_text(&json!("a\u{0}\u{1b}b")), "\"ab\"\n");
        assert_eq!(to_text(&number(f64::NAN)), "0\n");
        assert_eq!(to_text(&json!(1.5e-12)), "0\n");
    }
}
