//! A farm of real processes on this machine, each ended by its number.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use crate::sandbox::Sandbox;

/// A process whose standard error is read; killed when dropped.
pub(crate) struct Process {
    child: Child,
    said: Arc<Said>,
}

#[derive(Default)]
struct Said {
    lines: Mutex<(Vec<String>, bool)>,
    more: Condvar,
}

impl Process {
    /// Starts a command.
    pub(crate) fn start(mut command: Command) -> Self {
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        let said = Arc::new(Said::default());
        let lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let hears = Arc::clone(&said);
        std::thread::spawn(move || {
            for line in lines.map_while(Result::ok) {
                hears.lines.lock().unwrap().0.push(line);
                hears.more.notify_all();
            }
            hears.lines.lock().unwrap().1 = true;
            hears.more.notify_all();
        });
        Self { child, said }
    }

    /// Waits for a line with these words; it is a failure when the process ends without it.
    #[track_caller]
    pub(crate) fn says(&self, words: &str) -> String {
        self.says_after(0, words).1
    }

    /// The same behind the line at a place; with the place behind the line found.
    #[track_caller]
    pub(crate) fn says_after(&self, from: usize, words: &str) -> (usize, String) {
        let mut lines = self.said.lines.lock().unwrap();
        loop {
            let found = lines.0.iter().enumerate().skip(from).find(|(_, line)| line.contains(words));
            if let Some((place, line)) = found {
                return (place + 1, line.clone());
            }
            assert!(!lines.1, "ended without saying {words:?}:\n{}", lines.0.join("\n"));
            let (next, waited) = self.said.more.wait_timeout(lines, Duration::from_secs(120)).unwrap();
            assert!(!waited.timed_out(), "did not say {words:?}:\n{}", next.0.join("\n"));
            lines = next;
        }
    }

    /// Everything said so far.
    pub(crate) fn said(&self) -> String {
        self.said.lines.lock().unwrap().0.join("\n")
    }

    /// Waits for its end, not longer than this; whether it goes on.
    pub(crate) fn lasts(&self, at_most: Duration) -> bool {
        let lines = self.said.lines.lock().unwrap();
        let waited = self.said.more.wait_timeout_while(lines, at_most, |lines| !lines.1);
        waited.unwrap().1.timed_out()
    }

    /// Sends a signal by name.
    pub(crate) fn signal(&self, name: &str) {
        let id = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &id]).status().unwrap().success());
    }

    /// Waits for the end; the exit status, 128 + n after signal n.
    pub(crate) fn ends(mut self) -> i32 {
        use std::os::unix::process::ExitStatusExt;
        let status = self.child.wait().unwrap();
        status.code().or_else(|| Some(128 + status.signal()?)).unwrap_or(-1)
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A coordinator.
pub(crate) struct Coordinator {
    pub(crate) process: Process,
    /// Where it is, as a URL.
    pub(crate) url: String,
}

impl Coordinator {
    /// Starts one over a store in the sandbox's folder `farm`, on any port.
    pub(crate) fn start(sandbox: &Sandbox, flags: &[&str]) -> Self {
        Self::listening(sandbox, "127.0.0.1:0", flags)
    }

    /// The same on an address.
    pub(crate) fn listening(sandbox: &Sandbox, listen: &str, flags: &[&str]) -> Self {
        let store = store(sandbox);
        Self::over(sandbox, listen, &[&["--store", &store], flags].concat())
    }

    /// The same with a store among the flags.
    pub(crate) fn over(sandbox: &Sandbox, listen: &str, flags: &[&str]) -> Self {
        let args = [&["coordinator", "--listen", listen], flags].concat();
        let process = Process::start(sandbox.command(&args));
        let line = process.says("listening on ");
        process.says(" ready");
        let at = line.find("127.0.0.1:").unwrap();
        let address: String =
            line[at..].chars().take_while(|c| c.is_ascii_digit() || matches!(c, '.' | ':')).collect();
        let scheme = if line.contains("https://") { "https" } else { "http" };
        Self { process, url: format!("{scheme}://{}", address.trim_end_matches(['.', ':'])) }
    }

    /// Its address without scheme.
    pub(crate) fn address(&self) -> &str {
        self.url.split_once("://").unwrap().1
    }
}

/// The farm's store as an address.
pub(crate) fn store(sandbox: &Sandbox) -> String {
    format!("file://{}", sandbox.path("farm").display())
}

/// A worker of one slot with no folder of its own.
pub(crate) fn worker(sandbox: &Sandbox, url: &str, flags: &[&str]) -> Process {
    let base = ["worker", "--coordinator", url, "--slots", "1", "--threads", "1", "--cache", "none"];
    Process::start(sandbox.command(&[&base, flags].concat()))
}

/// A port that nobody listens on.
pub(crate) fn free_port() -> u16 {
    std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// A Redis of its own in the sandbox; `None` where there is no `redis-server`.
pub(crate) struct Redis {
    child: Child,
    port: u16,
    /// Whether it keeps a log of what it is told: `yes` or `no`.
    appends: &'static str,
    pub(crate) url: String,
}

impl Redis {
    /// One that keeps nothing on disk.
    pub(crate) fn start(sandbox: &Sandbox) -> Option<Self> {
        Self::start_with(sandbox, "no")
    }

    /// One that keeps a log (`yes`) or none (`no`).
    pub(crate) fn start_with(sandbox: &Sandbox, appends: &'static str) -> Option<Self> {
        let port = free_port();
        let child = Self::spawn(sandbox, port, appends)?;
        Some(Self { child, port, appends, url: format!("redis://127.0.0.1:{port}") })
    }

    fn spawn(sandbox: &Sandbox, port: u16, appends: &str) -> Option<Child> {
        let mut command = Command::new("redis-server");
        command.args(["--bind", "127.0.0.1", "--save", "", "--appendonly", appends, "--port"]);
        command.arg(port.to_string()).current_dir(sandbox.path(""));
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
        while std::net::TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert_eq!(child.try_wait().unwrap(), None, "redis-server ended at once");
            std::thread::sleep(Duration::from_millis(20));
        }
        Some(child)
    }

    /// Kills it and starts one in its place, which has kept what the old one had written, or is empty.
    pub(crate) fn kill_and_start(&mut self, sandbox: &Sandbox, is_emptied: bool) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        if is_emptied {
            let _ = std::fs::remove_dir_all(sandbox.path("appendonlydir"));
        }
        self.child = Self::spawn(sandbox, self.port, self.appends).unwrap();
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
