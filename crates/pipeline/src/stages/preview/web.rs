//! One page that shows all pictures without any other file.

use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use puppet::Puppet;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:110rem;padding:0 1rem;\
color:#222;background:#f6f6f4}h1{font-size:1.3rem}h2{font-size:1rem;margin:2rem 0 .5rem}\
img{max-width:100%;background:#fff;border:1px solid #ddd;border-radius:6px}\
table{border-collapse:collapse}td,th{padding:.15rem .8rem .15rem 0;text-align:left}\
@media(prefers-color-scheme:dark){body{color:#ddd;background:#1c1c1e}img{border-color:#444}}";

/// The page: pictures inside it, then the parameters.
pub(super) fn page(pictures: &[(&str, &[u8])], puppet: &Puppet) -> String {
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\
         <meta name=\"viewport\" content=\"width=device-width\"><title>Preview</title>\
         <style>{STYLE}</style></head><body>\n<h1>Preview</h1>\n"
    );
    for (heading, bytes) in pictures {
        let data = STANDARD.encode(bytes);
        let _ = writeln!(
            page,
            "<h2>{heading}</h2>\n<img alt=\"{heading}\" src=\"data:image/png;base64,{data}\">"
        );
    }
    page.push_str("<h2>Parameters</h2>\n<table><tr><th>Id</th><th>Range</th><th>At rest</th></tr>\n");
    for p in &puppet.parameters {
        let id = escape(p.id.as_str());
        let _ = writeln!(page, "<tr><td>{id}</td><td>{} … {}</td><td>{}</td></tr>", p.min, p.max, p.default);
    }
    page.push_str("</table>\n</body></html>\n");
    page
}

fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;")
}
