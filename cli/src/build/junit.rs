//! A JUnit report: one test case a character.

use std::fmt::Write;

use crate::build::row::{Row, RowState};

/// The report's text.
pub(crate) fn text(rows: &[Row], seconds: f64) -> String {
    let count = |state: RowState| rows.iter().filter(|row| row.state == state).count();
    let mut out = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    let _ = writeln!(
        out,
        "<testsuites><testsuite name=\"rigfarm\" tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{seconds:.3}\">",
        rows.len(),
        count(RowState::Faulty),
        count(RowState::Failed),
        count(RowState::Cancelled),
    );
    for row in rows {
        let name = escaped(&row.character.name);
        let _ = write!(out, "<testcase classname=\"rigfarm\" name=\"{name}\" time=\"{:.3}\">", row.seconds);
        match (&row.error, row.state) {
            (_, RowState::Cancelled) => out.push_str("<skipped message=\"cancelled\"/>"),
            (Some((code, message)), _) => {
                let _ = write!(out, "<error type=\"{}\" message=\"{}\"/>", escaped(code), escaped(message));
            }
            (None, RowState::Faulty) => {
                let first = escaped(row.faults.first().map_or("", String::as_str));
                let all = escaped(&row.faults.join("\n"));
                let _ = write!(out, "<failure message=\"{first}\">{all}</failure>");
            }
            (None, _) => {}
        }
        let warnings: Vec<String> = (row.warnings.iter().filter(|w| w.level != "info"))
            .map(|w| format!("{} [{}]: {}", w.code, w.layer, w.message))
            .collect();
        if !warnings.is_empty() {
            let _ = write!(out, "<system-out>{}</system-out>", escaped(&warnings.join("\n")));
        }
        out.push_str("</testcase>\n");
    }
    out.push_str("</testsuite></testsuites>\n");
    out
}

/// Text as XML may hold it: characters that XML 1.0 has no way to write become U+FFFD.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\n' => out.push_str("&#10;"),
            '\t' => out.push(c),
            c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_escaped() {
        assert_eq!(escaped("a<b>&\"c\"\0\n"), "a&lt;b&gt;&amp;&quot;c&quot;\u{fffd}&#10;");
    }
}
