//! One page that shows all pictures and the report without any other file.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use bundle::report::{LayerRow, Warning};
use puppet::Puppet;

use super::closeup::Told;

const STYLE: &str = include_str!("web.css");
/// Changes between light and dark, beginning with what the reader's system has.
const SCRIPT: &str = "document.querySelector('button').onclick=()=>{const d=document.documentElement.dataset;\
const dark=d.theme?d.theme==='dark':matchMedia('(prefers-color-scheme:dark)').matches;d.theme=dark?'light':'dark'}";

/// A picture's heading and its PNG.
type Shown<'a> = (&'a str, &'a [u8]);

/// What the page shows.
pub(super) struct Page<'a> {
    /// Side by side at the top.
    pub(super) motion: &'a [Shown<'a>],
    /// Large pictures, one below the other.
    pub(super) sheets: &'a [Shown<'a>],
    /// The report.
    pub(super) told: &'a Told,
    /// The parameters.
    pub(super) puppet: &'a Puppet,
}

impl Page<'_> {
    /// The whole document.
    pub(super) fn text(&self) -> String {
        let mut page = format!(
            "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
             <meta name=\"viewport\" content=\"width=device-width\"><title>Preview</title>\n\
             <style>\n{STYLE}</style></head><body>\n<header><h1>Preview</h1><nav>\
             <a href=\"#poses\">Poses</a><a href=\"#notes\">Notes</a><a href=\"#layers\">Layers</a>\
             <a href=\"#audits\">Audits</a><a href=\"#parameters\">Parameters</a></nav>\
             <button type=\"button\">Light / dark</button></header>\n<div class=\"row\">\n"
        );
        for (heading, png) in self.motion {
            let _ = writeln!(
                page,
                "<figure>{}<figcaption>{heading}</figcaption></figure>",
                image(heading, Some(png))
            );
        }
        page.push_str("</div>\n<section id=\"poses\">\n");
        for (heading, png) in self.sheets {
            let _ = writeln!(page, "<h2>{heading}</h2>\n{}", image(heading, Some(png)));
        }
        page.push_str("</section>\n");
        self.notes(&mut page);
        self.layers(&mut page);
        self.audits(&mut page);
        self.parameters(&mut page);
        let _ = writeln!(page, "<script>{SCRIPT}</script>\n</body></html>");
        page
    }

    fn notes(&self, page: &mut String) {
        table(page, "notes", "What deserves attention", &["", "Level", "What", "Setting that changes it"]);
        for (warning, picture) in &self.told.warnings {
            let Warning { code, level, message, setting, .. } = warning;
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td class=\"{level}\">{level}</td><td>{}<br><small><code>{}</code></small></td>\
                 <td><code>{}</code></td></tr>",
                image(code, picture.as_deref()),
                escape(message),
                escape(code),
                escape(setting),
            );
        }
        close(page, self.told.warnings.is_empty(), "Nothing.");
    }

    fn layers(&self, page: &mut String) {
        let columns = ["", "Layer", "Taken for", "Became", "Notes"];
        table(page, "layers", "Layers, bottom to top", &columns);
        for (row, picture) in &self.told.layers {
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td>{}<br><small>{}</small></td><td>{} {}<br><small>{}</small></td>\
                 <td><code>{}</code></td><td>{}</td></tr>",
                image(&row.name, picture.as_deref()),
                escape(&row.name),
                escape(&row.path),
                escape(&row.tag.replace('_', " ")),
                escape(&row.side),
                certainty(row.confidence),
                if row.became.is_empty() { "nothing".to_owned() } else { escape(&row.became.join(" ")) },
                self.notes_of(row),
            );
        }
        close(page, self.told.layers.is_empty(), "None.");
    }

    /// Why a layer became what it did, and the settings that change it.
    fn notes_of(&self, row: &LayerRow) -> String {
        let mut cell = String::new();
        let told = self.told.warnings.iter().map(|(warning, _)| warning);
        for warning in told.filter(|w| super::closeup::concerns(row, &w.layer)) {
            let _ = write!(
                cell,
                "{} <small><code>{}</code></small><br>",
                escape(&warning.message),
                escape(&warning.setting)
            );
        }
        cell
    }

    fn audits(&self, page: &mut String) {
        table(page, "audits", "Audits of the finished file", &["", "Audit", "Passed", "Worst", "Where"]);
        for (audit, picture) in &self.told.audits {
            let (class, word) = if audit.ok { ("info", "yes") } else { ("no", "no") };
            let _ = writeln!(
                page,
                "<tr><td>{}</td><td>{}</td><td class=\"{class}\">{word}</td><td class=\"n\">{:.4}</td>\
                 <td><code>{}</code></td></tr>",
                image(&audit.name, picture.as_deref()),
                escape(&audit.name),
                audit.worst,
                escape(&audit.r#where),
            );
        }
        close(page, self.told.audits.is_empty(), "None.");
    }

    fn parameters(&self, page: &mut String) {
        table(page, "parameters", "Parameters", &["Id", "Range", "At rest"]);
        for p in &self.puppet.parameters {
            let _ = writeln!(
                page,
                "<tr><td><code>{}</code></td><td class=\"n\">{} … {}</td><td class=\"n\">{}</td></tr>",
                escape(p.id.as_str()),
                p.min,
                p.max,
                p.default
            );
        }
        close(page, self.puppet.parameters.is_empty(), "None.");
    }
}

fn certainty(confidence: f64) -> &'static str {
    match confidence {
        c if c >= 0.95 => "sure",
        c if c >= 0.6 => "likely",
        c if c > 0.0 => "a guess",
        _ => "not known",
    }
}

fn table(page: &mut String, id: &str, heading: &str, columns: &[&str]) {
    let _ = write!(page, "<section id=\"{id}\"><h2>{heading}</h2>\n<table><tr>");
    columns.iter().for_each(|column| {
        let _ = write!(page, "<th>{column}</th>");
    });
    page.push_str("</tr>\n");
}

fn close(page: &mut String, is_empty: bool, word: &str) {
    page.push_str("</table>\n");
    if is_empty {
        let _ = writeln!(page, "<p>{word}</p>");
    }
    page.push_str("</section>\n");
}

fn image(name: &str, png: Option<&[u8]>) -> String {
    let Some(png) = png else { return String::new() };
    format!("<img alt=\"{}\" src=\"data:image/png;base64,{}\">", escape(name), STANDARD.encode(png))
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use bundle::report::Audit;

    use super::*;

    #[test]
    fn names_of_layers_are_text_not_markup() {
        let hostile = "<script>\"x\"&</script>".to_owned();
        let warning = Warning { layer: hostile.clone(), message: hostile.clone(), ..Warning::default() };
        let row = LayerRow { id: format!("{hostile}:l"), name: hostile.clone(), ..LayerRow::default() };
        let audit = Audit { r#where: hostile, ..Audit::default() };
        let told = Told {
            layers: vec![(row, Some(vec![1, 2]))],
            warnings: vec![(warning, None)],
            audits: vec![(audit, None)],
        };
        let puppet = Puppet::default();
        let page = Page { motion: &[], sheets: &[("Poses", b"png")], told: &told, puppet: &puppet }.text();
        assert_eq!(page.matches("<script>").count(), 1, "its own");
        // The note stands in its own table and with the piece of its layer; name, picture and place add one each.
        assert_eq!(page.matches("&lt;script&gt;&quot;x&quot;&amp;&lt;/script&gt;").count(), 5);
        assert!(page.contains("data:image/png;base64,cG5n"));
    }
}
