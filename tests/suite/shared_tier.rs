//! Two tiers without a farm: a cache of one's own and one that others share, in a folder or an object store.

#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use sandbox::{Said, Sandbox, contents};

/// Builds `mika.psd` with a cache of its own name and the shared one.
#[track_caller]
fn build(sandbox: &Sandbox, own: &str, remote: &str, out: &str) -> Said {
    let store = format!("file://{}", sandbox.path(own).display());
    let args = ["build", "mika.psd", "--out", out, "--json", "--store", &store, "--remote-store", remote];
    let mut command = sandbox.command(&args);
    command.env("AWS_ACCESS_KEY_ID", "test").env("AWS_SECRET_ACCESS_KEY", "test");
    let said = Said::of(command.output().unwrap());
    assert_eq!(said.status, 0, "{}\n{}", said.out, said.err);
    said
}

fn is_all(said: &Said, state: &str) -> bool {
    said.nodes().values().all(|found| found == state)
}

/// What one builds the next one fetches, whoever may write; `remote` is an address without query.
fn check_sharing(sandbox: &Sandbox, remote: &str, query: &str) {
    let with = |mode: &str| {
        let queries: Vec<&str> = [query, mode].into_iter().filter(|query| !query.is_empty()).collect();
        if queries.is_empty() { remote.to_owned() } else { format!("{remote}?{}", queries.join("&")) }
    };
    // A reader finds nothing, and leaves nothing.
    build(sandbox, "reader-1", &with("mode=ro"), "one");
    assert!(is_all(&build(sandbox, "writer", &with(""), "two"), "run"));
    let said = build(sandbox, "reader-2", &with("mode=ro"), "three");
    assert!(is_all(&said, "hit"), "{:?}", said.nodes());
    assert!(said.warnings().iter().all(|code| !code.starts_with("cache")), "{:?}", said.warnings());
    for out in ["two", "three"] {
        assert!(
            contents(&sandbox.path("one/mika")) == contents(&sandbox.path(&format!("{out}/mika"))),
            "{out}"
        );
    }
}

#[test]
fn a_folder_is_shared() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    std::fs::create_dir(sandbox.path("shared")).unwrap();
    check_sharing(&sandbox, &format!("file://{}", sandbox.path("shared").display()), "");
}

#[test]
fn a_shared_folder_that_cannot_be_used_is_done_without_and_told_of() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    sandbox.write("in-the-way", "a file");
    for remote in ["in-the-way/shared", "in-the-way/shared?mode=ro"] {
        let address = format!("file://{}", sandbox.path(remote).display());
        let said = build(&sandbox, "own", &address, "dist");
        assert!(said.err.contains("in-the-way"), "{remote}: {}", said.err);
    }
    assert!(sandbox.path("dist/mika/mika.moc3").is_file());
}

/// An object store for tests; `None` where there is none, or the program was built without object stores.
struct Moto {
    child: Child,
    port: u16,
}

impl Moto {
    fn start(sandbox: &Sandbox) -> Option<Self> {
        let said = sandbox.run(&["cache", "stats", "--store", "s3://bucket"]);
        if said.err.contains("built without object stores") {
            println!("skipped: built without the cargo feature `cloud`");
            return None;
        }
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("moto_server");
        command
            .args(["-H", "127.0.0.1", "-p", &port.to_string()])
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let Ok(child) = command.spawn() else {
            println!("skipped: there is no moto_server");
            return None;
        };
        let moto = Self { child, port };
        let since = Instant::now();
        while moto.put_bucket().is_none() {
            assert!(since.elapsed() < Duration::from_secs(60), "moto_server does not answer");
            std::thread::sleep(Duration::from_millis(100));
        }
        Some(moto)
    }

    fn put_bucket(&self) -> Option<()> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let request = format!(
            "PUT /cache HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nContent-Length: 0\r\nConnection: close\r\n\r\n",
            self.port
        );
        stream.write_all(request.as_bytes()).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        answer.split(' ').nth(1).filter(|status| *status == "200").map(drop)
    }

    fn query(&self) -> String {
        format!("endpoint=http://127.0.0.1:{}&region=us-east-1", self.port)
    }
}

impl Drop for Moto {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn an_object_store_is_shared_and_done_without_when_it_is_down() {
    let sandbox = Sandbox::new();
    sandbox.art("mika.psd", 1);
    let Some(moto) = Moto::start(&sandbox) else { return };
    check_sharing(&sandbox, "s3://cache/main", &moto.query());
    let address = format!("s3://cache/main?{}", moto.query());
    drop(moto);
    let said = build(&sandbox, "late", &address, "dist");
    assert!(is_all(&said, "run") && said.err.contains("unreachable"), "{}", said.err);
    assert!(contents(&sandbox.path("one/mika")) == contents(&sandbox.path("dist/mika")));
}
