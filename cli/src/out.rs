//! Lines for people and programs.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

use crate::failure::Failure;

/// Why standard output could not be written, the first time.
static LOST: OnceLock<String> = OnceLock::new();

/// One line for people on standard output.
pub(crate) fn line(text: impl Display) {
    bytes_out(format!("{}\n", visible(&text.to_string())).as_bytes());
}

/// One line for programs on standard output.
pub(crate) fn json(value: impl Display) {
    bytes_out(format!("{value}\n").as_bytes());
}

/// Bytes as they are on standard output.
pub(crate) fn bytes_out(bytes: &[u8]) {
    let mut stdout = io::stdout().lock();
    if let Err(error) = stdout.write_all(bytes).and_then(|()| stdout.flush())
        && error.kind() != ErrorKind::BrokenPipe
    {
        // The first one counts. Whoever reads a pipe may stop reading at any time.
        let _ = LOST.set(error.to_string());
    }
}

/// A command whose output is not whole has not succeeded.
///
/// # Errors
/// Failed, with the reason.
pub(crate) fn all_written() -> Result<(), Failure> {
    // Flushes what may be left.
    bytes_out(b"");
    match LOST.get() {
        None => Ok(()),
        Some(reason) => Err(Failure::failed(format!("standard output: {reason}"))),
    }
}

/// One line for people on standard output, formatted.
macro_rules! say {
    ($($part:tt)*) => { $crate::out::line(format_args!($($part)*)) };
}
pub(crate) use say;

/// One line for people on standard error.
pub(crate) fn note(text: impl Display) {
    painted(visible(&text.to_string()));
}

/// One line on standard error, whose colours are wanted and whose names went through [`visible`].
pub(crate) fn painted(text: impl Display) {
    let _ = writeln!(io::stderr().lock(), "{text}");
}

/// Text without control characters and those that turn the direction of reading: names of layers and files may hold any,
/// and a terminal would obey them. Each is written as its escape.
pub(crate) fn visible(text: &str) -> Cow<'_, str> {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    if !text.contains(is_hidden) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        match is_hidden(c) {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// What a word means, shown as a colour where colours are shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tone {
    Good,
    Warning,
    Bad,
    Faint,
}

/// Colours for standard error: only on a terminal, and not when `NO_COLOR` is set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Palette {
    colours: bool,
}

impl Palette {
    /// As the environment asks.
    pub(crate) fn of_stderr() -> Self {
        let wanted = |name: &str| std::env::var_os(name).is_none_or(|value| value.is_empty());
        let dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
        Self { colours: std::io::stderr().is_terminal() && wanted("NO_COLOR") && !dumb }
    }

    /// The text in the tone's colour, or as it is.
    pub(crate) fn paint(self, tone: Tone, text: &str) -> String {
        let code = match tone {
            Tone::Good => 32,
            Tone::Warning => 33,
            Tone::Bad => 31,
            Tone::Faint => 2,
        };
        if self.colours { format!("\x1b[{code}m{text}\x1b[0m") } else { text.to_owned() }
    }
}

/// Seconds as people say them: `0.04 s`, `3.2 s`, `41 s`, `3 min 5 s`, `2 h 10 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let whole = seconds.round() as u64;
    match seconds {
        s if s < 1.0 => format!("{s:.2} s"),
        s if s < 10.0 => format!("{s:.1} s"),
        s if s < 99.5 => format!("{whole} s"),
        s if s < 5970.0 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// Bytes as people say them: `512 B`, `1.5 MB`, `20 GB` (powers of 1000).
pub(crate) fn bytes(count: u64) -> String {
    let mut value = count as f64;
    let mut unit = "B";
    for larger in ["kB", "MB", "GB", "TB"] {
        if value < 999.5 {
            break;
        }
        value /= 1000.0;
        unit = larger;
    }
    if unit == "B" || value >= 99.5 { format!("{value:.0} {unit}") } else { format!("{value:.1} {unit}") }
}

/// `1 job`, `2 jobs`.
pub(crate) fn counted(count: usize, one: &str) -> String {
    if count == 1 { format!("1 {one}") } else { format!("{count} {one}s") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_shown() {
        for (text, expected) in [
            ("前髪 é ~", "前髪 é ~"),
            ("a\r\nb\tc", r"a\r\nb\tc"),
            ("\x1b[31mred\x07", r"\u{1b}[31mred\u{7}"),
            ("\u{9b}31m\u{202e}gpj", r"\u{9b}31m\u{202e}gpj"),
        ] {
            assert_eq!(visible(text), expected);
        }
    }

    #[test]
    fn amounts_as_people_say_them() {
        let said: Vec<String> =
            [0.04, 3.21, 41.2, 185.0, 7800.0].iter().map(|seconds| duration(*seconds)).collect();
        assert_eq!(said, ["0.04 s", "3.2 s", "41 s", "3 min 5 s", "2 h 10 min"]);
        let said: Vec<String> = [0, 512, 1_500_000, 20_000_000_000, 999_900].map(bytes).into();
        assert_eq!(said, ["0 B", "512 B", "1.5 MB", "20.0 GB", "1.0 MB"]);
    }
}
