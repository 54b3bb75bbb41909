//! Entries in Redis, so that any of several coordinators can lead.
//!
//! Four keys, all in one cluster slot: `{f:POOL}:lead` is the leader's epoch and address and runs out unless renewed;
//! `:head` has the last epoch and the journal's position; `:journal` is the list of batches since `:snapshot`. Every
//! write checks epoch and position in the same script, so a deposed leader writes nothing and a repeated batch is kept
//! once. Redis may lose all of it: the leader writes it again from memory.

use std::time::{Duration, Instant};

use ::redis::aio::{ConnectionManager, ConnectionManagerConfig};
use ::redis::{Client, ErrorKind, RedisError, Script, Value, cmd, from_redis_value};
use tokio::task::JoinHandle;

use super::{Claim, Journal, JournalError, Kept, Since};

/// How long a lead lasts without renewal.
const LEAD_MS: u64 = 3_000;
/// How often it is renewed.
const RENEW: Duration = Duration::from_secs(1);
/// How long followers leave an emptied pool to its leader, who still has everything in memory.
const YIELD: Duration = Duration::from_secs(4);
/// How long Redis may take for an answer. Its client's own half second is too short for a snapshot.
const RESPONSE: Duration = Duration::from_secs(30);
const CONNECT: Duration = Duration::from_secs(2);
/// The oldest Redis whose scripts and lists behave as needed.
const OLDEST: u32 = 7;

/// The journal of one pool.
#[derive(Debug)]
pub struct Redis {
    connection: ConnectionManager,
    address: String,
    names: Names,
    scripts: Scripts,
    epoch: u64,
    /// Batches and snapshots written so far in the pool's life, as far as this coordinator knows.
    position: u64,
    /// Whether this coordinator has ever seen the pool in use, and since when it is empty.
    seen: bool,
    empty_since: Option<Instant>,
    keeper: Option<JoinHandle<()>>,
    /// Redis's clock in microseconds at one moment of ours.
    clock: Option<(Instant, u64)>,
    is_checked: bool,
}

#[derive(Debug)]
struct Names {
    lead: String,
    head: String,
    journal: String,
    snapshot: String,
}

#[derive(Debug)]
struct Scripts {
    claim: Script,
    append: Script,
    save: Script,
    renew: Script,
}

impl Redis {
    /// The journal of `pool` at `redis://HOST:PORT/DB` (`rediss://` over TLS), for a coordinator that others reach at `address`. Connects
    /// when first used. To be made within a tokio runtime.
    ///
    /// # Errors
    /// [`JournalError::Refused`] when the URL cannot be understood.
    pub fn new(url: &str, pool: &str, address: &str) -> Result<Self, JournalError> {
        let refused = |error: RedisError| {
            JournalError::Refused(format!(
                "redis address: {error}: give redis://HOST:PORT/DB, rediss:// for TLS"
            ))
        };
        // For `rediss://`; who has chosen another one before keeps it.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let client = Client::open(url).map_err(refused)?;
        let config = ConnectionManagerConfig::new()
            .set_response_timeout(Some(RESPONSE))
            .set_connection_timeout(Some(CONNECT))
            .set_number_of_retries(1)
            .set_max_delay(Duration::from_millis(200));
        let connection = ConnectionManager::new_lazy_with_config(client, config).map_err(refused)?;
        let name = |what: &str| format!("{{f:{pool}}}:{what}");
        Ok(Self {
            connection,
            address: address.to_owned(),
            names: Names {
                lead: name("lead"),
                head: name("head"),
                journal: name("journal"),
                snapshot: name("snapshot"),
            },
            scripts: Scripts {
                claim: Script::new(include_str!("redis/claim.lua")),
                append: Script::new(include_str!("redis/append.lua")),
                save: Script::new(include_str!("redis/save.lua")),
                renew: Script::new(include_str!("redis/renew.lua")),
            },
            epoch: 0,
            position: 0,
            seen: false,
            empty_since: None,
            keeper: None,
            clock: None,
            is_checked: false,
        })
    }

    /// Whether this Redis can hold a journal.
    async fn check(&mut self) -> Result<(), JournalError> {
        let info: String =
            cmd("INFO").arg("server").query_async(&mut self.connection).await.map_err(failed)?;
        let line = info.lines().find_map(|line| line.strip_prefix("redis_version:"));
        let version = line.unwrap_or_default().trim();
        let major: Option<u32> = version.split('.').next().and_then(|major| major.parse().ok());
        if major.is_none_or(|major| major < OLDEST) {
            return Err(JournalError::Refused(format!(
                "redis {version} is too old: {OLDEST} or newer is needed"
            )));
        }
        // Managed servers may not tell; then nothing is known against them.
        let setting = cmd("CONFIG").arg("GET").arg("maxmemory*").query_async(&mut self.connection).await;
        let settings: Vec<(String, String)> = setting.unwrap_or_default();
        let of = |name: &str| settings.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        if let (Some(limit), Some(policy)) = (of("maxmemory"), of("maxmemory-policy"))
            && limit != "0"
            && policy != "noeviction"
        {
            return Err(JournalError::Refused(format!(
                "redis would throw the farm's state away when it is full (maxmemory-policy {policy}): \
                 run `redis-cli CONFIG SET maxmemory-policy noeviction`"
            )));
        }
        self.is_checked = true;
        Ok(())
    }

    /// Whether an empty pool may be taken by this coordinator now.
    fn may_found(&self) -> bool {
        !self.seen || self.epoch > 0 || self.empty_since.is_some_and(|since| since.elapsed() >= YIELD)
    }

    fn since(&self, epoch: u64, position: u64) -> Since {
        if self.epoch == 0 || epoch > self.epoch {
            Since::Changed
        } else if epoch == self.epoch && (position == self.position || position == self.position + 1) {
            // One more is a batch whose outcome was not known.
            Since::Same
        } else {
            Since::Lost
        }
    }

    /// Renews the lead from a task of its own, however long this coordinator thinks.
    fn keep_lead(&mut self) {
        self.stop_keeper();
        let (mut connection, epoch, lead) = (self.connection.clone(), self.epoch, self.names.lead.clone());
        let script = self.scripts.renew.clone();
        self.keeper = Some(tokio::spawn(async move {
            loop {
                tokio::time::sleep(RENEW).await;
                let mut call = script.key(&lead);
                call.arg(epoch).arg(LEAD_MS).arg("keep");
                // The leader finds out itself when it has lost the lead.
                let _ = call.invoke_async::<i64>(&mut connection).await;
            }
        }));
    }

    fn stop_keeper(&mut self) {
        if let Some(keeper) = self.keeper.take() {
            keeper.abort();
        }
    }

    async fn keep_or_free(&mut self, what: &str) -> Result<(), JournalError> {
        let mut call = self.scripts.renew.key(&self.names.lead);
        call.arg(self.epoch).arg(LEAD_MS).arg(what);
        led(call.invoke_async(&mut self.connection).await)
    }
}

impl Drop for Redis {
    fn drop(&mut self) {
        self.stop_keeper();
    }
}

impl Journal for Redis {
    async fn claim(&mut self) -> Result<Claim, JournalError> {
        if !self.is_checked {
            self.check().await?;
        }
        let may_found = if self.may_found() { "1" } else { "0" };
        let mut call = self.scripts.claim.key(&self.names.lead);
        call.key(&self.names.head).arg(&self.address).arg(LEAD_MS).arg(self.epoch + 1).arg(may_found);
        let answer: Vec<Value> = call.invoke_async(&mut self.connection).await.map_err(failed)?;
        let text =
            |place: usize| answer.get(place).and_then(|value| from_redis_value::<String>(value.clone()).ok());
        let number = |place: usize| text(place).and_then(|text| text.parse::<u64>().ok()).unwrap_or_default();
        if number(0) == 0 {
            self.stop_keeper();
            let leader = text(1).unwrap_or_default();
            if leader.is_empty() {
                self.empty_since.get_or_insert_with(Instant::now);
                return Err(JournalError::Fenced);
            }
            (self.seen, self.empty_since, self.epoch) = (true, None, 0);
            return Ok(Claim::Theirs(leader));
        }
        let since = self.since(number(2), number(3));
        if since != Since::Same {
            self.position = number(3);
        }
        self.epoch = number(1);
        (self.seen, self.empty_since) = (true, None);
        self.clock.get_or_insert_with(|| (Instant::now(), number(4) * 1_000_000 + number(5)));
        self.keep_lead();
        Ok(Claim::Ours { epoch: self.epoch, since })
    }

    async fn load(&mut self) -> Result<Kept, JournalError> {
        let mut pipe = ::redis::pipe();
        pipe.atomic().get(&self.names.snapshot).lrange(&self.names.journal, 0, -1);
        pipe.hget(&self.names.head, "position");
        let loaded = pipe.query_async(&mut self.connection).await.map_err(failed)?;
        let (snapshot, batches, position): (Option<Vec<u8>>, Vec<Vec<u8>>, Option<u64>) = loaded;
        self.position = position.unwrap_or(0);
        Ok(Kept { snapshot, batches })
    }

    async fn append(&mut self, batch: &[u8]) -> Result<(), JournalError> {
        let mut call = self.scripts.append.key(&self.names.lead);
        call.key(&self.names.head).key(&self.names.journal);
        call.arg(self.epoch).arg(self.position + 1).arg(LEAD_MS).arg(batch);
        led(call.invoke_async(&mut self.connection).await)?;
        self.position += 1;
        Ok(())
    }

    async fn save(&mut self, snapshot: &[u8]) -> Result<(), JournalError> {
        let mut call = self.scripts.save.key(&self.names.lead);
        call.key(&self.names.head).key(&self.names.journal).key(&self.names.snapshot);
        call.arg(self.epoch).arg(self.position + 1).arg(LEAD_MS).arg(snapshot);
        led(call.invoke_async(&mut self.connection).await)?;
        self.position += 1;
        Ok(())
    }

    async fn renew(&mut self) -> Result<(), JournalError> {
        self.keep_or_free("keep").await
    }

    async fn release(&mut self) {
        self.stop_keeper();
        // Else the lead runs out by itself.
        let _ = self.keep_or_free("free").await;
    }

    fn keeps(&self) -> bool {
        true
    }

    fn now_ms(&self) -> u64 {
        self.clock.map_or(0, |(at, micros)| micros / 1000 + at.elapsed().as_millis() as u64)
    }
}

fn led(answer: Result<i64, RedisError>) -> Result<(), JournalError> {
    match answer {
        Ok(1) => Ok(()),
        Ok(_) => Err(JournalError::Fenced),
        Err(error) => Err(failed(error)),
    }
}

#[expect(clippy::needless_pass_by_value, reason = "used with map_err")]
fn failed(error: RedisError) -> JournalError {
    match error.kind() {
        ErrorKind::AuthenticationFailed | ErrorKind::InvalidClientConfig => {
            JournalError::Refused(format!("redis: {error}"))
        }
        _ => JournalError::Unreachable(format!("redis: {error}")),
    }
}
