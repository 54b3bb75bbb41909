//! Reading files that somebody named: regular ones of bounded size, never pipes or devices.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::Path;

/// The bytes of a regular file of at most `most` bytes.
///
/// # Errors
/// What the system says, or that it is no file, or how large it is.
pub(crate) fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let (file, len) = open(path, most)?;
    let mut bytes = Vec::with_capacity(usize::try_from(len).unwrap_or(0));
    // It may grow meanwhile.
    file.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Opens a regular file of at most `most` bytes; also gives its length.
///
/// # Errors
/// As [`read`].
pub(crate) fn open(path: &Path, most: u64) -> io::Result<(File, u64)> {
    // Asked before opening: opening a pipe waits for its writer.
    must_be_file(&fs::metadata(path)?)?;
    let file = File::open(path)?;
    let known = file.metadata()?;
    must_be_file(&known)?;
    match known.len() {
        len if len > most => Err(io::Error::other(format!("is {len} bytes long, at most {most} are read"))),
        len => Ok((file, len)),
    }
}

fn must_be_file(known: &fs::Metadata) -> io::Result<()> {
    if known.is_file() { Ok(()) } else { Err(io::Error::other("is not a file")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_within_the_bound_are_read() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, b"12345").unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::RUSR | rustix::fs::Mode::WUSR;
        rustix::fs::mknodat(rustix::fs::CWD, &pipe, rustix::fs::FileType::Fifo, mode, 0).unwrap();
        let check = |path: &Path, most: u64, expected: &str| {
            let said = match read(path, most) {
                Ok(bytes) => String::from_utf8(bytes).unwrap(),
                Err(error) => error.to_string(),
            };
            assert!(said.contains(expected), "{said}");
        };
        check(&file, 5, "12345");
        check(&file, 4, "is 5 bytes long, at most 4 are read");
        check(&pipe, 5, "is not a file");
        check(folder.path(), 5, "is not a file");
        check(Path::new("/dev/zero"), 5, "is not a file");
        check(&folder.path().join("absent"), 5, "No such file");
    }
}
