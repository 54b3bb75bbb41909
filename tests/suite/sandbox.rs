//! A folder of its own with art, a cache and the program.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::{Mutex, PoisonError};

use psd::{ColorMode, Document, Layer, LayerKind};
use serde_json::Value;
use tempfile::TempDir;

/// Height of the art in pixels: small, so that suites are fast.
const SIZE: u32 = 512;

/// A folder that disappears when the test ends.
pub(crate) struct Sandbox {
    folder: TempDir,
}

/// What a run of the program said.
pub(crate) struct Said {
    /// Its exit status; 128 + n after signal n.
    pub(crate) status: i32,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

impl Sandbox {
    /// Empty.
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    /// A path inside.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Writes a file, with the folders it needs.
    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, bytes).unwrap();
        path
    }

    /// Puts a drawn character there; each seed is another.
    pub(crate) fn art(&self, name: &str, seed: u64) -> PathBuf {
        self.write(name, sample(seed))
    }

    /// Puts a pipe there that nobody writes to.
    pub(crate) fn pipe(&self, name: &str) -> PathBuf {
        let path = self.path(name);
        assert!(Command::new("mkfifo").arg(&path).status().unwrap().success());
        path
    }

    /// The program in this folder, with a cache of its own and none of the tester's environment.
    pub(crate) fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rigfarm"));
        command.current_dir(self.folder.path()).args(args).stdin(Stdio::null());
        let farm = ["RIGFARM_COORDINATOR", "RIGFARM_TOKEN", "RIGFARM_LOG"];
        for name in ["RIGFARM_STORE", "RIGFARM_REMOTE_STORE", "NO_COLOR"].into_iter().chain(farm) {
            command.env_remove(name);
        }
        command.env("XDG_CACHE_HOME", self.path("cache"));
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, args: &[&str]) -> Said {
        Said::of(self.command(args).output().unwrap())
    }

    /// Runs the program and insists on an exit status.
    #[track_caller]
    pub(crate) fn expect(&self, status: i32, args: &[&str]) -> Said {
        let said = self.run(args);
        assert_eq!(said.status, status, "{args:?}\n{}\n{}", said.out, said.err);
        assert!(!said.err.contains("panicked"), "{args:?}\n{}", said.err);
        said
    }

    /// A delivered JSON file.
    pub(crate) fn json(&self, name: &str) -> Value {
        serde_json::from_slice(&fs::read(self.path(name)).unwrap()).unwrap()
    }
}

impl Said {
    /// What a finished process said.
    pub(crate) fn of(output: Output) -> Self {
        use std::os::unix::process::ExitStatusExt;
        let status = output.status.code().or_else(|| Some(128 + output.status.signal()?));
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        Self { status: status.unwrap_or(-1), out: text(output.stdout), err: text(output.stderr) }
    }

    /// Standard output as JSON lines, all of the wire version that is documented.
    pub(crate) fn events(&self) -> Vec<Value> {
        let events: Vec<Value> = self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        events.iter().for_each(|event| assert_eq!(event["v"], 1, "{event}"));
        events
    }

    /// The state of every node, as the job events tell.
    pub(crate) fn nodes(&self) -> BTreeMap<String, String> {
        let text = |value: &Value| value.as_str().unwrap().to_owned();
        let events = self.events().into_iter().filter(|event| event["event"] == "job");
        events.map(|event| (text(&event["node"]), text(&event["state"]))).collect()
    }

    /// Codes of the warning events.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let events = self.events().into_iter().filter(|event| event["event"] == "warning");
        events.map(|event| event["code"].as_str().unwrap().to_owned()).collect()
    }
}

/// A disk of 256 KiB under `tiny`, as long as it lives.
pub(crate) struct TinyDisk(PathBuf);

impl TinyDisk {
    /// `None` where this user may not mount file systems.
    pub(crate) fn mount(sandbox: &Sandbox) -> Option<Self> {
        let tiny = sandbox.path("tiny");
        fs::create_dir(&tiny).unwrap();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=256k", "tmpfs"]).arg(&tiny).stderr(Stdio::null());
        mount.status().is_ok_and(|status| status.success()).then_some(Self(tiny))
    }
}

impl Drop for TinyDisk {
    fn drop(&mut self) {
        // What stays mounted keeps the folder; the next restart of the machine clears both.
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// Every file below a folder by its path; the key `run` of reports, which may differ between builds, is left out.
pub(crate) fn contents(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
                continue;
            }
            let name = path.strip_prefix(folder).unwrap().to_string_lossy().into_owned();
            let mut bytes = fs::read(&path).unwrap();
            if name.ends_with(".report.json") {
                let mut value: Value = serde_json::from_slice(&bytes).unwrap();
                value.as_object_mut().unwrap().remove("run");
                bytes = value.to_string().into_bytes();
            }
            files.insert(name, bytes);
        }
    }
    files
}

/// A character as a PSD file, drawn once a seed.
pub(crate) fn sample(seed: u64) -> Vec<u8> {
    static DRAWN: Mutex<BTreeMap<u64, Vec<u8>>> = Mutex::new(BTreeMap::new());
    let mut drawn = DRAWN.lock().unwrap_or_else(PoisonError::into_inner);
    let draw = || {
        let document = sample::draw(&sample::Request { seed, size: SIZE });
        psd::write(&document, &psd::WriteOptions::default()).unwrap()
    };
    drawn.entry(seed).or_insert_with(draw).clone()
}

/// The same character with its layers changed.
pub(crate) fn altered(seed: u64, mut change: impl FnMut(&mut Layer)) -> Vec<u8> {
    let mut document = psd::read(&sample(seed), &psd::Limits::default()).unwrap();
    fn all(layers: &mut [Layer], change: &mut dyn FnMut(&mut Layer)) {
        for layer in layers {
            change(layer);
            if let LayerKind::Group(children) = &mut layer.kind {
                all(children, change);
            }
        }
    }
    all(&mut document.layers, &mut change);
    psd::write(&document, &psd::WriteOptions::default()).unwrap()
}

/// A file of these layers on a small canvas.
pub(crate) fn file_of(layers: Vec<Layer>) -> Vec<u8> {
    let document =
        Document { width: 64, height: 64, mode: ColorMode::Rgb, depth: 8, layers, notices: Vec::new() };
    psd::write(&document, &psd::WriteOptions::default()).unwrap()
}

/// The folder of the shared data, if it is there.
pub(crate) fn shared_data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shared/data");
    let data = std::env::var_os("RIGFARM_DATA").map_or(beside, PathBuf::from);
    data.join("characters").is_dir().then_some(data)
}
