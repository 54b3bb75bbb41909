//! The words of the commands that speak with a farm.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::{FarmArgs, SettingsArgs};

/// `rigfarm submit`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm submit chars/ --coordinator http://farm:7070            prints the build's number
  rigfarm submit chars/ --wait --out dist                         as `rigfarm build` does, on the farm
  rigfarm submit chars/ --priority 1 --tenant film --title 'scene 7'
  rigfarm fetch 17 --out dist                                     later, or elsewhere")]
pub(crate) struct SubmitArgs {
    /// PSD or PSB files, or folders of them.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) farm: FarmArgs,
    /// Who the work counts for [default: the tenant of the token].
    #[arg(long, value_name = "T", default_value = "", hide_default_value = true)]
    pub(crate) tenant: String,
    /// 1 (first) to 5.
    #[arg(long, value_name = "P", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=5))]
    pub(crate) priority: u32,
    /// A name for people [default: the inputs].
    #[arg(long, value_name = "TEXT")]
    pub(crate) title: Option<String>,
    /// Read nothing from the farm's cache; results are still written.
    #[arg(long)]
    pub(crate) no_cache: bool,
    /// Follow the build to its end; Ctrl-C leaves it to the farm.
    #[arg(long)]
    pub(crate) wait: bool,
    /// With --wait: folder that receives one folder per character.
    #[arg(long, value_name = "DIR", requires = "wait")]
    pub(crate) out: Option<PathBuf>,
    /// With --out: JUnit report for CI.
    #[arg(long, value_name = "F.xml", requires = "out")]
    pub(crate) junit: Option<PathBuf>,
    /// With --out: warning codes that fail the build.
    #[arg(long, value_name = "CODE,...", value_delimiter = ',', requires = "out")]
    pub(crate) fail_on: Vec<String>,
    /// One JSON object a line on standard output; everything for people goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
}

/// What all that ask a farm something have in common.
#[derive(Clone, Debug, Args)]
pub(crate) struct AskArgs {
    #[command(flatten)]
    pub(crate) farm: FarmArgs,
    /// One JSON object a line on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rigfarm status`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm status                                                  every build that has not ended
  rigfarm status 17 --json")]
pub(crate) struct StatusArgs {
    /// The build's number [default: all that have not ended].
    #[arg(value_name = "BUILD")]
    pub(crate) build: Option<u64>,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// `rigfarm list`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm list --most 5
  rigfarm list --before 17                                        older ones")]
pub(crate) struct ListArgs {
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub(crate) most: u32,
    /// Only builds before this one.
    #[arg(long, value_name = "BUILD", default_value_t = 0, hide_default_value = true)]
    pub(crate) before: u64,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// `rigfarm watch` and `rigfarm cancel`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm watch 17                                                until it has ended; exit 1 when a character failed
  rigfarm cancel 17")]
pub(crate) struct BuildOnFarmArgs {
    /// The build's number.
    #[arg(value_name = "BUILD")]
    pub(crate) build: u64,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// `rigfarm logs`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm logs 17
  rigfarm logs 17 3fa9                                            of the job whose key begins so")]
pub(crate) struct LogsArgs {
    /// The build's number.
    #[arg(value_name = "BUILD")]
    pub(crate) build: u64,
    /// A job's key, or how it begins.
    #[arg(value_name = "JOB", default_value = "", hide_default_value = true)]
    pub(crate) job: String,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// `rigfarm fetch`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm fetch 17 --out dist                                     what is finished; again later for the rest")]
pub(crate) struct FetchArgs {
    /// The build's number.
    #[arg(value_name = "BUILD")]
    pub(crate) build: u64,
    /// Folder that receives one folder per character.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) ask: AskArgs,
}

/// `rigfarm coordinator`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm coordinator                                             for this machine alone, on 127.0.0.1:7070
  rigfarm coordinator --listen 0.0.0.0:7070 --redis redis://redis:6379 --store s3://bucket/farm --config farm.toml

On any address but loopback the configuration must name tokens, and certificates unless --allow-plaintext is given.
SIGTERM or Ctrl-C stops in good order; once more ends at once. With --redis others go on where this one stopped.")]
pub(crate) struct CoordinatorArgs {
    /// Configuration, TOML; flags win over it.
    #[arg(long, value_name = "F.toml")]
    pub(crate) config: Option<PathBuf>,
    /// Where clients and workers reach it; port 0 for any [default: 127.0.0.1:7070].
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) listen: Option<SocketAddr>,
    /// Where the state is kept, so that it outlives this process and several share it (Redis 7 or newer).
    #[arg(long, value_name = "URL", env = "RIGFARM_REDIS", hide_env_values = true)]
    pub(crate) redis: Option<String>,
    /// Where blobs and results are kept [default: the user's cache folder].
    #[arg(long, value_name = "URL", env = "RIGFARM_STORE")]
    pub(crate) store: Option<String>,
    /// Where it answers /metrics, /healthz and /readyz [default: nowhere].
    #[arg(long, value_name = "HOST:PORT")]
    pub(crate) metrics: Option<SocketAddr>,
    /// URL at which the other coordinators reach this one [default: where it listens].
    #[arg(long, value_name = "URL")]
    pub(crate) advertise: Option<String>,
    /// Plain text on an address that is not loopback, where the network itself is trusted.
    #[arg(long)]
    pub(crate) allow_plaintext: bool,
    /// Log lines as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rigfarm worker`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm worker --coordinator http://farm:7070
  rigfarm worker --config worker.toml --slots 8 --threads 16 --json
  rigfarm worker --coordinator https://farm:7070 --token-file /run/secrets/worker --store s3://bucket/farm

SIGTERM or Ctrl-C: takes no more jobs, gives back those that have not begun, finishes the others and ends; once more
ends at once, and the coordinator gives its jobs to others.")]
pub(crate) struct WorkerArgs {
    /// Configuration, TOML; flags win over it.
    #[arg(long, value_name = "F.toml")]
    pub(crate) config: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) farm: FarmArgs,
    /// The farm's store, when this machine reaches it: bytes then do not go through the coordinator.
    #[arg(long, value_name = "URL", env = "RIGFARM_STORE")]
    pub(crate) store: Option<String>,
    /// Folder of this machine for what was fetched or made, bounded; `none` for memory alone [default: the user's cache
    /// folder].
    #[arg(long, value_name = "URL")]
    pub(crate) cache: Option<String>,
    /// Jobs at once [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) slots: Option<u32>,
    /// Threads that all jobs share [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: Option<u32>,
    /// Log lines as JSON.
    #[arg(long)]
    pub(crate) json: bool,
}
