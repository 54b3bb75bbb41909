//! An S3 server of the test's own: moto, from PyPI, where it is installed.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use super::peers::peer;

/// The bucket that is there from the start.
pub const BUCKET: &str = "farm";
/// How long the server may take to come up, in steps.
const STEPS: u32 = 300;
const STEP: Duration = Duration::from_millis(100);

/// Runs until dropped; keeps everything in memory.
#[derive(Debug)]
pub struct S3Server {
    child: Child,
    port: u16,
}

impl S3Server {
    /// Nothing, and a line that says so, where there is none.
    pub fn start() -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").and_then(|free| free.local_addr()).ok()?.port();
        let mut command = Command::new(peer("s3/bin/moto_server"));
        command.args(["-H", "127.0.0.1", "-p", &port.to_string()]);
        let Ok(child) = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn() else {
            println!("skipped: there is no moto_server (./dev test installs it)");
            return None;
        };
        let mut server = Self { child, port };
        for _ in 0..STEPS {
            if server.request("PUT", BUCKET).is_ok_and(|answer| answer.contains(" 200 ")) {
                return Some(server);
            }
            if let Ok(Some(status)) = server.child.try_wait() {
                println!("skipped: moto_server does not run: {status}");
                return None;
            }
            std::thread::sleep(STEP);
        }
        println!("skipped: moto_server does not come up");
        None
    }

    /// The address of a store in a bucket, with whatever credentials.
    pub fn address(&self, bucket: &str, prefix: &str) -> String {
        let endpoint = format!("http%3A%2F%2F127.0.0.1%3A{}", self.port);
        format!(
            "s3://{bucket}/{prefix}?endpoint={endpoint}&region=us-east-1\
             &access_key_id=test&secret_access_key=test"
        )
    }

    /// Ends it as a crash would; it is not there any more.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    fn request(&self, method: &str, path: &str) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port))?;
        stream.set_read_timeout(Some(Duration::from_secs(10)))?;
        let request = format!(
            "{method} /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        );
        stream.write_all(request.as_bytes())?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer)?;
        Ok(answer)
    }
}

impl Drop for S3Server {
    fn drop(&mut self) {
        self.kill();
    }
}
