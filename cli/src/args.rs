//! The command line's words.

mod farm;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};

pub(crate) use farm::{
    BuildOnFarmArgs, CoordinatorArgs, FetchArgs, ListArgs, LogsArgs, StatusArgs, SubmitArgs, WorkerArgs,
};

/// Turns layered character art (PSD) into Live2D Cubism models.
#[derive(Debug, Parser)]
#[command(name = "rigfarm", version, propagate_version = true, max_term_width = 110, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXAMPLES: &str = "\
Examples:
  rigfarm demo                                   a first look: draws a character, rigs it, says where it is
  rigfarm build chars/ --out dist                every PSD below chars/
  rigfarm build mika.psd --out dist --watch      again whenever the art or its settings change
  rigfarm build chars/ --out dist --json --junit r.xml --fail-on no-mouth,no-eyes
  rigfarm plan chars/                            what would run, and why
  rigfarm check dist/mika                        the integrity audits on a finished bundle
  rigfarm diff old/mika dist/mika                what an update takes away from those who use it

Exit status: 0 built and audits passed; 1 a character failed, an audit failed or a --fail-on code appeared;
2 usage; 3 farm or store unreachable.";

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Build characters into bundles.
    Build(BuildArgs),
    /// Tell what a build would run and what the cache has; runs nothing.
    Plan(PlanArgs),
    /// Send characters to a farm; with --wait follow the build to its end.
    Submit(SubmitArgs),
    /// Tell how far a farm's build is, or what the farm is doing.
    Status(StatusArgs),
    /// List a farm's builds, newest first.
    List(ListArgs),
    /// Follow a farm's build until it ends.
    Watch(BuildOnFarmArgs),
    /// Print what the jobs of a farm's build wrote to their logs.
    Logs(LogsArgs),
    /// Give up a farm's build.
    Cancel(BuildOnFarmArgs),
    /// Deliver the finished characters of a farm's build.
    Fetch(FetchArgs),
    /// Keep the builds of a farm: what clients submit to and workers work for.
    Coordinator(CoordinatorArgs),
    /// Run jobs for a farm until told to stop.
    Worker(WorkerArgs),
    /// Tell what a file holds: PSD, moc3, bundle or report.
    Inspect(InspectArgs),
    /// Run the integrity audits on a finished bundle, also one made elsewhere.
    Check(CheckArgs),
    /// Compare two bundles; exit 1 when something was lost that others may use.
    Diff(DiffArgs),
    /// Render a bundle to a picture.
    Render(RenderArgs),
    /// Draw original layered characters.
    Sample(SampleArgs),
    /// Draw a character, build it, say where the pictures are.
    Demo(DemoArgs),
    /// Look after the local cache.
    Cache(CacheArgs),
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        shell: clap_complete::Shell,
    },
}

/// Settings flags.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct SettingsArgs {
    /// Settings file, TOML; `NAME.toml` beside NAME.psd is found by itself and wins over it.
    #[arg(long, value_name = "F.toml")]
    pub(crate) settings: Option<PathBuf>,
    /// One setting, wins over files, e.g. --set rig.head_strength=1.2 (repeatable).
    #[arg(long = "set", value_name = "KEY=VALUE")]
    pub(crate) sets: Vec<String>,
    /// What to make.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "moc3")]
    pub(crate) targets: Vec<String>,
}

/// Store flags.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct StoreArgs {
    /// Cache: file:///FOLDER or memory: [default: the user's cache folder].
    #[arg(long, value_name = "URL", env = "RIGFARM_STORE")]
    pub(crate) store: Option<String>,
    /// Second, shared tier: read through, written behind unless ?mode=ro; the build goes on when it is down.
    #[arg(long, value_name = "URL[?mode=ro]", env = "RIGFARM_REMOTE_STORE")]
    pub(crate) remote_store: Option<String>,
    /// Read nothing from the cache; results are still written.
    #[arg(long)]
    pub(crate) no_cache: bool,
}

/// Farm flags. The token is read from RIGFARM_TOKEN or --token-file.
#[derive(Clone, Debug, Default, Args)]
pub(crate) struct FarmArgs {
    /// The farm's coordinator: http://HOST:PORT or https://HOST:PORT; several with commas between them, any will do.
    #[arg(long, value_name = "URL", env = "RIGFARM_COORDINATOR", help_heading = "Farm")]
    pub(crate) coordinator: Option<String>,
    /// File that holds the token [default: what RIGFARM_TOKEN holds].
    #[arg(long, value_name = "FILE", help_heading = "Farm")]
    pub(crate) token_file: Option<PathBuf>,
    /// Certificates that vouch for the coordinator, PEM [default: those of the system].
    #[arg(long, value_name = "F.pem", help_heading = "Farm")]
    pub(crate) tls_ca: Option<PathBuf>,
    /// Own certificate, PEM, where the coordinator wants to see one.
    #[arg(long, value_name = "F.pem", requires = "tls_key", help_heading = "Farm")]
    pub(crate) tls_cert: Option<PathBuf>,
    /// Its key, PEM.
    #[arg(long, value_name = "F.pem", requires = "tls_cert", help_heading = "Farm")]
    pub(crate) tls_key: Option<PathBuf>,
}

/// Parallelism flags.
#[derive(Clone, Copy, Debug, Default, Args)]
pub(crate) struct PoolArgs {
    /// Jobs at once [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) slots: Option<u32>,
    /// Threads that all jobs share [default: the number of cores].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub(crate) threads: Option<u32>,
}

/// `rigfarm build`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm build mika.psd --out dist                               dist/mika/mika.model3.json and what belongs to it
  rigfarm build chars/ --out dist --settings studio.toml --set rig.head_strength=1.2
  rigfarm build chars/ --out dist --targets moc3,preview          pictures of every pose too
  rigfarm build chars/ --out dist --only-failed                   once more what did not work
  rigfarm build chars/ --out dist --remote-store s3://cache/main?mode=ro
  rigfarm build chars/ --out dist --coordinator http://farm:7070   on a farm; everything else is as before")]
pub(crate) struct BuildArgs {
    /// PSD or PSB files, or folders of them.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    /// Folder that receives one folder per character.
    #[arg(long, value_name = "DIR")]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    #[command(flatten)]
    pub(crate) pool: PoolArgs,
    /// One JSON object a line on standard output; everything for people goes to standard error.
    #[arg(long)]
    pub(crate) json: bool,
    /// JUnit report for CI.
    #[arg(long, value_name = "F.xml")]
    pub(crate) junit: Option<PathBuf>,
    /// Warning codes that fail the build.
    #[arg(long, value_name = "CODE,...", value_delimiter = ',')]
    pub(crate) fail_on: Vec<String>,
    /// Only the characters that failed in the last batch report of --out.
    #[arg(long)]
    pub(crate) only_failed: bool,
    /// Build again whenever an input or its settings change, until Ctrl-C.
    #[arg(long)]
    pub(crate) watch: bool,
    #[command(flatten)]
    pub(crate) farm: FarmArgs,
}

/// `rigfarm plan`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm plan chars/                                             what would run, and why
  rigfarm plan mika.psd --set atlas.page_size=2048 --json")]
pub(crate) struct PlanArgs {
    /// PSD or PSB files, or folders of them.
    #[arg(required = true, value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) settings: SettingsArgs,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
    /// One JSON object a line on standard output.
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) farm: FarmArgs,
}

/// `rigfarm inspect`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm inspect mika.psd --layers                               names, rectangles, blend modes, digests
  rigfarm inspect dist/mika --json")]
pub(crate) struct InspectArgs {
    /// PSD, PSB, moc3, model3.json, bundle folder or report.
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// For a PSD: per layer name, rectangle, folders, opacity, blend and the SHA-256 of its RGBA.
    #[arg(long)]
    pub(crate) layers: bool,
    /// JSON on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rigfarm check`.
#[derive(Clone, Debug, Args)]
pub(crate) struct CheckArgs {
    /// Bundle folder or model3.json.
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// JSON on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rigfarm diff`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DiffArgs {
    /// Bundle folder or model3.json as it was.
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,
    /// Bundle folder or model3.json as it is.
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,
    /// JSON on standard output.
    #[arg(long)]
    pub(crate) json: bool,
}

/// `rigfarm render`.
#[derive(Clone, Debug, Args)]
pub(crate) struct RenderArgs {
    /// Bundle folder or model3.json.
    #[arg(value_name = "BUNDLE")]
    pub(crate) bundle: PathBuf,
    /// A parameter's value, e.g. --set ParamAngleX=30 (repeatable).
    #[arg(long = "set", value_name = "Param=V")]
    pub(crate) sets: Vec<String>,
    /// The standard poses on one sheet instead of one pose.
    #[arg(long)]
    pub(crate) pose_sheet: bool,
    /// Picture file.
    #[arg(long, value_name = "x.png")]
    pub(crate) out: PathBuf,
    /// Long side of the picture, or of a cell of the sheet, in pixels.
    #[arg(long, value_name = "N", default_value_t = 1024, value_parser = clap::value_parser!(u32).range(16..=8192))]
    pub(crate) size: u32,
}

/// `rigfarm sample`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm sample --out mika.psd --seed 7
  rigfarm sample --out chars --count 20 --size 1024")]
pub(crate) struct SampleArgs {
    /// A .psd file, or with --count a folder.
    #[arg(long, value_name = "FILE|DIR")]
    pub(crate) out: PathBuf,
    /// How many different characters.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) count: Option<u32>,
    /// Seed of the first; each seed is another character.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    /// Height of the canvas in pixels.
    #[arg(long, value_name = "PX", default_value_t = 2048, value_parser = clap::value_parser!(u32).range(256..=8192))]
    pub(crate) size: u32,
}

/// `rigfarm demo`.
#[derive(Clone, Debug, Args)]
pub(crate) struct DemoArgs {
    /// Folder for the art and the bundle.
    #[arg(long, value_name = "DIR", default_value = "rigfarm-demo")]
    pub(crate) out: PathBuf,
    /// Which character.
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub(crate) seed: u64,
    #[command(flatten)]
    pub(crate) store: StoreArgs,
}

/// `rigfarm cache`.
#[derive(Clone, Debug, Args)]
#[command(after_help = "\
Examples:
  rigfarm cache stats
  rigfarm cache gc --keep-hours 72 --dry-run
  rigfarm cache verify --store file:///srv/cache")]
pub(crate) struct CacheArgs {
    #[command(subcommand)]
    pub(crate) action: CacheAction,
    /// Cache: file:///FOLDER [default: the user's cache folder].
    #[arg(long, value_name = "URL", env = "RIGFARM_STORE", global = true)]
    pub(crate) store: Option<String>,
    /// JSON on standard output.
    #[arg(long, global = true)]
    pub(crate) json: bool,
}

/// What to do with the cache.
#[derive(Clone, Copy, Debug, Subcommand)]
pub(crate) enum CacheAction {
    /// How much is stored.
    Stats,
    /// Remove what no recent result needs.
    Gc {
        /// Only tell what would go.
        #[arg(long)]
        dry_run: bool,
        /// Keep what was used in the last N hours.
        #[arg(long, value_name = "N", default_value_t = 24 * 7)]
        keep_hours: u64,
    },
    /// Read everything, set aside what does not match its digest.
    Verify,
}
