//! `/metrics`, `/healthz` and `/readyz` over HTTP/1, for those who watch over processes.

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

use crate::metrics::Metrics;

/// Longest request head that is read.
const HEAD: usize = 8 * 1024;
/// How long one exchange may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// Answers until told to stop.
pub(crate) async fn serve(
    listener: TcpListener,
    metrics: Arc<Metrics>,
    ready: watch::Receiver<bool>,
    mut stop: watch::Receiver<bool>,
) {
    loop {
        let stream = tokio::select! {
            accepted = listener.accept() => accepted,
            _ = stop.wait_for(|stop| *stop) => return,
        };
        match stream {
            Ok((stream, _)) => {
                let (metrics, ready) = (Arc::clone(&metrics), ready.clone());
                // Whoever hangs up early is not answered.
                tokio::spawn(async move {
                    let _ = tokio::time::timeout(PATIENCE, answer(stream, &metrics, &ready)).await;
                });
            }
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection for metrics");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

async fn answer(
    mut stream: TcpStream,
    metrics: &Metrics,
    ready: &watch::Receiver<bool>,
) -> std::io::Result<()> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") && head.len() < HEAD {
        if stream.read_buf(&mut head).await? == 0 {
            break;
        }
    }
    let line = head.split(|&byte| byte == b'\r').next().unwrap_or_default();
    let path = line.split(|&byte| byte == b' ').nth(1).unwrap_or_default();
    let (status, body) = match path {
        b"/metrics" => ("200 OK", metrics.render()),
        b"/healthz" => ("200 OK", "ok\n".to_owned()),
        b"/readyz" if *ready.borrow() => ("200 OK", "ready\n".to_owned()),
        b"/readyz" => ("503 Service Unavailable", "no leader, or the journal does not answer\n".to_owned()),
        _ => ("404 Not Found", "ask for /metrics, /healthz or /readyz\n".to_owned()),
    };
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: text/plain; version=0.0.4\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}
