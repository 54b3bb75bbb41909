//! Builds on a farm of real processes.

#[allow(dead_code, reason = "each suite uses some of it")]
mod processes;
#[allow(dead_code, reason = "each suite uses some of it")]
mod sandbox;

use std::fs;
use std::process::Stdio;

use processes::{Coordinator, Process, Redis, store, worker};
use sandbox::{Said, Sandbox, contents};

/// Characters of the batch.
const COUNT: u64 = 4;

/// Puts a batch of drawn characters into `chars`.
fn batch(sandbox: &Sandbox) {
    for seed in 1..=COUNT {
        sandbox.art(&format!("chars/c{seed}.psd"), seed);
    }
}

/// What the program of this process makes of the batch, once, in `expected`.
fn expected(sandbox: &Sandbox) {
    sandbox.expect(0, &["build", "chars", "--out", "expected"]);
}

#[track_caller]
fn same(sandbox: &Sandbox, out: &str) {
    for seed in 1..=COUNT {
        let [here, there] = ["expected", out].map(|out| contents(&sandbox.path(&format!("{out}/c{seed}"))));
        let names =
            |files: &std::collections::BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&here), names(&there), "{out}/c{seed}");
        let other: Vec<_> =
            here.iter().filter(|(name, bytes)| there[*name] != **bytes).map(|(name, _)| name).collect();
        assert!(other.is_empty(), "{out}/c{seed}: {other:?}");
    }
}

/// A submission that is being followed.
fn submitting(sandbox: &Sandbox, url: &str, out: &str) -> std::process::Child {
    let args = ["submit", "chars", "--coordinator", url, "--wait", "--out", out, "--json"];
    sandbox.command(&args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

#[track_caller]
fn ended(child: std::process::Child) -> Said {
    let said = Said::of(child.wait_with_output().unwrap());
    assert_eq!(said.status, 0, "{}\n{}", said.out, said.err);
    said
}

#[test]
fn a_farm_delivers_what_one_machine_would() {
    let sandbox = Sandbox::new();
    batch(&sandbox);
    expected(&sandbox);
    let farm = Coordinator::start(&sandbox, &[]);
    let shared = store(&sandbox);
    let _workers = [worker(&sandbox, &farm.url, &[]), worker(&sandbox, &farm.url, &["--store", &shared])];
    let args = ["submit", "chars", "--coordinator", &farm.url, "--wait", "--out", "dist", "--json"];
    let said = sandbox.expect(0, &args);
    same(&sandbox, "dist");
    let kinds: Vec<String> =
        said.events().iter().map(|event| event["event"].as_str().unwrap().to_owned()).collect();
    for kind in ["started", "job", "character", "summary"] {
        assert!(kinds.iter().any(|known| known == kind), "{kind}: {kinds:?}");
    }
    let here = sandbox.expect(0, &["build", "chars", "--out", "again", "--json", "--no-cache"]);
    assert_eq!(said.nodes().keys().collect::<Vec<_>>(), here.nodes().keys().collect::<Vec<_>>());
    // Everything is there now: nothing runs, whoever asks.
    let again =
        sandbox.expect(0, &["build", "chars", "--coordinator", &farm.url, "--out", "dist2", "--json"]);
    assert!(again.nodes().values().all(|state| state == "hit"), "{:?}", again.nodes());
    same(&sandbox, "dist2");
    let junit = ["build", "chars", "--coordinator", &farm.url, "--out", "dist2", "--junit", "r.xml"];
    sandbox.expect(0, &junit);
    assert!(fs::read_to_string(sandbox.path("r.xml")).unwrap().contains("tests=\"4\""));
    let rows = sandbox.json("dist2/batch.report.json");
    assert_eq!(rows["counts"]["built"], COUNT, "{rows}");
}

#[test]
fn builds_are_submitted_looked_at_fetched_and_given_up() {
    let sandbox = Sandbox::new();
    batch(&sandbox);
    let farm = Coordinator::start(&sandbox, &[]);
    let expect = |status: i32, args: &[&str]| {
        sandbox.expect(status, &[args, &["--coordinator", &farm.url, "--json"]].concat())
    };
    let number = |said: &Said| said.events()[0]["build"].as_u64().unwrap().to_string();

    let plan = expect(0, &["plan", "chars"]).events();
    assert!(plan.iter().any(|event| event["state"] == "run"), "{plan:?}");
    // Nobody is there yet to do it.
    let first = number(&expect(0, &["submit", "chars", "--title", "scene 7"]));
    let line = expect(0, &["status", &first]).events().remove(0);
    assert_eq!((&line["state"], &line["title"]), (&"running".into(), &"scene 7".into()), "{line}");
    let said = expect(1, &["fetch", &first, "--out", "early"]);
    assert!(said.err.contains("0 of 4"), "{}", said.err);
    expect(0, &["cancel", &first]);
    expect(1, &["watch", &first]);
    assert_eq!(expect(0, &["list"]).events()[0]["state"], "cancelled");

    let _worker = worker(&sandbox, &farm.url, &[]);
    let second = number(&expect(0, &["submit", "chars"]));
    let watched = expect(0, &["watch", &second]);
    assert_eq!(watched.nodes().values().filter(|state| *state == "failed").count(), 0);
    assert_eq!(expect(0, &["status", &second]).events()[0]["state"], "done");
    assert!(expect(0, &["status"]).events().is_empty());
    expect(0, &["logs", &second]);
    expect(0, &["fetch", &second, "--out", "dist"]);
    expected(&sandbox);
    same(&sandbox, "dist");
    for seed in 1..=COUNT {
        sandbox.expect(0, &["check", &format!("dist/c{seed}")]);
    }
    for command in ["watch", "status", "cancel", "logs"] {
        let said = expect(2, &[command, "123456789"]);
        assert!(said.err.contains("123456789"), "{command}: {}", said.err);
    }
    expect(2, &["fetch", "123456789", "--out", "dist"]);
}

#[test]
fn a_bad_character_does_not_stop_the_others() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/c1.psd", 1);
    sandbox.write("chars/bad.psd", b"8BPS and nothing more");
    let farm = Coordinator::start(&sandbox, &[]);
    let _worker = worker(&sandbox, &farm.url, &[]);
    let said = sandbox.expect(1, &["build", "chars", "--coordinator", &farm.url, "--out", "dist", "--json"]);
    assert!(said.err.contains("chars/bad.psd"), "{}", said.err);
    assert!(sandbox.path("dist/c1/c1.moc3").is_file() && !sandbox.path("dist/bad").exists());
    let said = sandbox.expect(1, &["submit", "chars", "--coordinator", &farm.url, "--wait", "--json"]);
    let states: Vec<_> = said.events().iter().filter(|e| e["event"] == "character").cloned().collect();
    assert_eq!(states.len(), 2, "{states:?}");
}

#[test]
fn killed_workers_cost_nothing_but_time() {
    let sandbox = Sandbox::new();
    batch(&sandbox);
    expected(&sandbox);
    let farm = Coordinator::start(&sandbox, &[]);
    let victim = worker(&sandbox, &farm.url, &[]);
    let child = submitting(&sandbox, &farm.url, "dist");
    victim.says("job done");
    victim.signal("KILL");
    assert_eq!(victim.ends(), 128 + 9);
    // A second one is asked to go: it finishes what it runs, and nothing is lost.
    let polite = worker(&sandbox, &farm.url, &[]);
    polite.says("job done");
    polite.signal("TERM");
    assert_eq!(polite.ends(), 0);
    let _last = worker(&sandbox, &farm.url, &[]);
    ended(child);
    same(&sandbox, "dist");
}

/// Kills the coordinator in the middle of a build and starts another one on its address.
fn check_lost_coordinator(sandbox: &Sandbox, flags: &[&str]) -> Said {
    batch(sandbox);
    expected(sandbox);
    let farm = Coordinator::start(sandbox, flags);
    let worker = worker(sandbox, &farm.url, &[]);
    let child = submitting(sandbox, &farm.url, "dist");
    worker.says("job done");
    let (address, url) = (farm.address().to_owned(), farm.url.clone());
    farm.process.signal("KILL");
    assert_eq!(farm.process.ends(), 128 + 9);
    let again = Coordinator::listening(sandbox, &address, flags);
    assert_eq!(again.url, url);
    let said = ended(child);
    same(sandbox, "dist");
    said
}

#[test]
fn a_coordinator_that_forgot_is_told_again() {
    let sandbox = Sandbox::new();
    let said = check_lost_coordinator(&sandbox, &[]);
    assert!(said.err.contains("submitted again"), "{}", said.err);
}

#[test]
fn with_redis_another_coordinator_goes_on() {
    let sandbox = Sandbox::new();
    let Some(redis) = Redis::start(&sandbox) else {
        println!("skipped: there is no redis-server");
        return;
    };
    let said = check_lost_coordinator(&sandbox, &["--redis", &redis.url]);
    assert!(!said.err.contains("submitted again"), "{}", said.err);
}

#[test]
fn when_one_coordinator_is_gone_for_good_the_next_one_is_asked() {
    let sandbox = Sandbox::new();
    let Some(redis) = Redis::start(&sandbox) else {
        println!("skipped: there is no redis-server");
        return;
    };
    batch(&sandbox);
    expected(&sandbox);
    let flags = ["--redis", &redis.url];
    let (first, second) = (Coordinator::start(&sandbox, &flags), Coordinator::start(&sandbox, &flags));
    let all = format!("{},{}", first.url, second.url);
    let worker = worker(&sandbox, &all, &[]);
    let child = submitting(&sandbox, &all, "dist");
    worker.says("job done");
    first.process.signal("KILL");
    assert_eq!(first.process.ends(), 128 + 9);
    let said = ended(child);
    assert!(!said.err.contains("submitted again"), "{}", said.err);
    same(&sandbox, "dist");
    // Who comes only now finds the one that is there.
    assert_eq!(sandbox.expect(0, &["list", "--coordinator", &all, "--json"]).events()[0]["state"], "done");
}

#[test]
fn ctrl_c_leaves_the_build_to_the_farm() {
    let sandbox = Sandbox::new();
    batch(&sandbox);
    let farm = Coordinator::start(&sandbox, &[]);
    let worker = worker(&sandbox, &farm.url, &[]);
    let args = ["submit", "chars", "--coordinator", &farm.url, "--wait", "--out", "dist"];
    let client = Process::start(sandbox.command(&args));
    worker.says("job done");
    client.signal("INT");
    let told = client.says("rigfarm watch ");
    assert_eq!(client.ends(), 130);
    let build = told.split_whitespace().nth(2).unwrap().to_owned();
    sandbox.expect(0, &["watch", &build, "--coordinator", &farm.url]);
}

#[test]
fn tokens_decide_who_may_do_what() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/c1.psd", 1);
    let token = |name: &str, roles: &str| {
        let hash = canonical::Digest::of(format!("{name} token").as_bytes()).to_hex();
        format!("[[token]]\nname = \"{name}\"\nhash = \"{hash}\"\nroles = [{roles}]\n")
    };
    let config = [token("worker", "\"worker\""), token("client", "\"submit\""), token("guest", "\"read\"")];
    sandbox.write("farm.toml", config.concat());
    for name in ["worker", "client", "guest", "stranger"] {
        sandbox.write(&format!("{name}.token"), format!("{name} token\n"));
    }
    let farm = Coordinator::start(&sandbox, &["--config", "farm.toml"]);
    let submit = |status: i32, flags: &[&str]| {
        let args = [&["submit", "chars", "--coordinator", &farm.url], flags].concat();
        sandbox.expect(status, &args)
    };
    assert!(submit(3, &[]).err.contains("token"));
    assert!(submit(3, &["--token-file", "stranger.token"]).err.contains("token"));
    assert!(submit(3, &["--token-file", "guest.token"]).err.contains("submit"));
    submit(0, &["--token-file", "client.token"]);
    sandbox.expect(0, &["list", "--coordinator", &farm.url, "--token-file", "guest.token"]);
    let refused = worker(&sandbox, &farm.url, &["--token-file", "client.token"]);
    refused.says("role worker");
    assert_eq!(refused.ends(), 3);
    let _worker = worker(&sandbox, &farm.url, &["--token-file", "worker.token"]);
    submit(0, &["--token-file", "client.token", "--wait"]);
}

#[test]
fn farms_that_are_not_there_are_told_of() {
    let sandbox = Sandbox::new();
    sandbox.art("chars/c1.psd", 1);
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let url = format!("http://127.0.0.1:{port}");
    for args in
        [&["build", "chars", "--out", "dist"][..], &["submit", "chars"], &["list"], &["plan", "chars"]]
    {
        let said = sandbox.expect(3, &[args, &["--coordinator", &url]].concat());
        assert!(said.err.contains(&url), "{}", said.err);
    }
    assert!(sandbox.expect(2, &["list"]).err.contains("--coordinator"));
    sandbox.expect(2, &["list", "--coordinator", "ftp://farm"]);
    sandbox.expect(2, &["list", "--coordinator", &url, "--token-file", "absent"]);
    sandbox.expect(2, &["worker"]);
    // A worker waits for its coordinator.
    let early = worker(&sandbox, &url, &[]);
    early.says("does not answer");
    let farm = Coordinator::listening(&sandbox, &format!("127.0.0.1:{port}"), &[]);
    early.says("the coordinator answers");
    early.signal("TERM");
    assert_eq!(early.ends(), 0);
    drop(farm);
}
