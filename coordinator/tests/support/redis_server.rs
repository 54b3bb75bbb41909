//! A Redis of the test's own.

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Runs until dropped; keeps nothing on disk.
pub(crate) struct RedisServer {
    child: Child,
    port: u16,
}

impl RedisServer {
    /// Nothing, and a line that says so, where there is no Redis.
    pub(crate) fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        Self::start_at(port)
    }

    fn start_at(port: u16) -> Option<Self> {
        let child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let Ok(child) = child else {
            println!("skipped: redis-server is not installed");
            return None;
        };
        let server = Self { child, port };
        for _ in 0..200 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(server);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("redis-server does not come up");
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}/0", self.port)
    }

    /// Kills it and starts an empty one in its place.
    #[allow(dead_code, reason = "each test uses its share")]
    pub(crate) fn lose(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        *self = Self::start_at(self.port).unwrap();
    }

    /// Sets a configuration parameter.
    #[allow(dead_code, reason = "each test uses its share")]
    pub(crate) fn set(&self, name: &str, value: &str) {
        let port = self.port.to_string();
        let told =
            Command::new("redis-cli").args(["-p", &port, "CONFIG", "SET", name, value]).output().unwrap();
        assert!(told.status.success());
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
