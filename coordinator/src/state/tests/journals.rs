//! What happened once happens again: from a journal, from a snapshot, from Redis.

use std::sync::Arc;

use proptest::prelude::*;

use super::model::Farm;
use crate::journal::{Claim, Journal, Memory, MemoryPlace, Redis};
use crate::ledger::{Entry, Ledger, Order, encode_entry};
use crate::state::{Costs, Event};

#[path = "../../../tests/support/redis_server.rs"]
mod redis_server;

use redis_server::RedisServer;

type History = Vec<(u64, Event, String)>;

fn history(steps: Vec<(u8, u8, u8)>) -> History {
    let mut farm = Farm::new();
    steps.into_iter().for_each(|step| farm.step(step));
    farm.history
}

/// Submissions with books, all else as it is.
fn entry(event: Event) -> Entry {
    match event {
        Event::Submit(submission) => Entry::Submit(Order {
            request: format!("request {}", submission.build.0).into(),
            title: "title".into(),
            tenant: Arc::clone(&submission.tenant),
            band: submission.band,
            read_cache: submission.read_cache,
            characters: submission.characters,
        }),
        event => Entry::Happen(event),
    }
}

fn direct(history: &History) -> Ledger {
    let mut ledger = Ledger::new(Farm::config(), Costs::default());
    for (now_ms, event, expected) in history {
        let (_, effects) = ledger.apply(entry(event.clone()), *now_ms);
        assert_eq!(format!("{effects:?}"), *expected);
    }
    ledger
}

/// Applies the history through a journal; every `reload`th event by a leader that knows only what was kept, and every
/// `save`th kept as a snapshot.
async fn through<J: Journal>(mut journal: J, history: &History, reload: usize, save: usize) -> Ledger {
    assert!(matches!(journal.claim().await, Ok(Claim::Ours { .. })));
    let mut ledger = Ledger::restore(&journal.load().await.unwrap(), Farm::config()).unwrap();
    for (number, (now_ms, event, expected)) in history.iter().enumerate() {
        let mut batch = Vec::new();
        encode_entry(&mut batch, &entry(event.clone()), *now_ms);
        let (_, effects) = ledger.apply(entry(event.clone()), *now_ms);
        assert_eq!(format!("{effects:?}"), *expected, "event {number}: {event:?}");
        journal.append(&batch).await.unwrap();
        if number % save == save - 1 {
            journal.save(&ledger.encode()).await.unwrap();
        }
        if number % reload == reload - 1 {
            ledger = Ledger::restore(&journal.load().await.unwrap(), Farm::config()).unwrap();
        }
    }
    journal.release().await;
    ledger
}

/// All there is in a ledger, whoever shares what.
fn told(mut ledger: Ledger) -> String {
    ledger.take_touched();
    format!("{ledger:?}")
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn a_ledger_survives_every_reload(
        steps in prop::collection::vec(any::<(u8, u8, u8)>(), 1..60),
        reload in 1_usize..4,
        save in 1_usize..20,
    ) {
        let history = history(steps);
        let ledger = direct(&history);
        let journal = Memory::shared(MemoryPlace::default(), "here");
        let reloaded = runtime().block_on(through(journal, &history, reload, save));
        prop_assert_eq!(told(reloaded), told(ledger));
    }

    #[test]
    fn damaged_journals_do_no_harm(
        steps in prop::collection::vec(any::<(u8, u8, u8)>(), 1..20),
        at in any::<prop::sample::Index>(),
        flip in 1_u8..,
    ) {
        let mut snapshot = direct(&history(steps)).encode();
        let at = at.index(snapshot.len());
        snapshot[at] ^= flip;
        let _ = Ledger::decode(&snapshot);
        prop_assert!(Ledger::decode(&snapshot[..at]).is_err());
    }
}

#[test]
fn redis_tells_the_same() {
    let Some(server) = RedisServer::start() else { return };
    let mut runner = proptest::test_runner::TestRunner::new(ProptestConfig::with_cases(6));
    let steps = (prop::collection::vec(any::<(u8, u8, u8)>(), 1..60), 1_usize..10, 5_usize..30);
    let pool = std::cell::Cell::new(0);
    runner
        .run(&steps, |(steps, reload, save)| {
            let history = history(steps);
            pool.set(pool.get() + 1);
            let reloaded = runtime().block_on(async {
                let journal = Redis::new(&server.url(), &format!("pool{}", pool.get()), "here").unwrap();
                through(journal, &history, reload, save).await
            });
            prop_assert_eq!(told(reloaded), told(direct(&history)));
            Ok(())
        })
        .unwrap();
}
