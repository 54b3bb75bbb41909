//! One of several coordinators of a pool: whichever answered last, until it does not.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use tonic::body::Body;
use tonic::codegen::{Service, http};
use tonic::transport::{Channel, Endpoint, Error};

/// Calls go to one coordinator; when its connection fails the next calls go to another. The failed call itself fails:
/// its caller knows whether it may be repeated.
#[derive(Clone)]
pub struct Anyone {
    /// Made when first used, and again whenever it is lost.
    channels: Arc<[Channel]>,
    current: Arc<AtomicUsize>,
    /// The one that is ready, and its place.
    chosen: (usize, Channel),
}

impl Anyone {
    /// Of these, the one at place `first` to begin with. There must be one.
    pub(super) fn new(endpoints: &[Endpoint], first: usize) -> Self {
        let channels: Arc<[Channel]> = endpoints.iter().map(Endpoint::connect_lazy).collect();
        let chosen = (first, channels[first].clone());
        Self { channels, current: Arc::new(AtomicUsize::new(first)), chosen }
    }
}

/// After a call to `failed` that could not be made: on to the next, unless somebody went on already.
fn turn_away(current: &AtomicUsize, failed: usize, count: usize) {
    let next = (failed + 1) % count;
    // Fails when another call has turned away already.
    let _ = current.compare_exchange(failed, next, Ordering::Relaxed, Ordering::Relaxed);
}

impl Service<http::Request<Body>> for Anyone {
    type Response = http::Response<Body>;
    type Error = Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Error>> + Send>>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), Error>> {
        let current = self.current.load(Ordering::Relaxed);
        if current != self.chosen.0 {
            self.chosen = (current, self.channels[current].clone());
        }
        let polled = self.chosen.1.poll_ready(context);
        if let Poll::Ready(Err(_)) = &polled {
            turn_away(&self.current, self.chosen.0, self.channels.len());
        }
        polled
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let (place, channel) = &mut self.chosen;
        let (place, answer) = (*place, channel.call(request));
        let (current, count) = (Arc::clone(&self.current), self.channels.len());
        Box::pin(async move {
            let answered = answer.await;
            if answered.is_err() {
                turn_away(&current, place, count);
            }
            answered
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_of_one_turn_away_once() {
        let current = AtomicUsize::new(1);
        turn_away(&current, 1, 3);
        turn_away(&current, 1, 3);
        assert_eq!(current.load(Ordering::Relaxed), 2);
        turn_away(&current, 2, 3);
        assert_eq!(current.load(Ordering::Relaxed), 0);
        let alone = AtomicUsize::new(0);
        turn_away(&alone, 0, 1);
        assert_eq!(alone.load(Ordering::Relaxed), 0);
    }
}
