//! Tokens, roles, tenants, quotas, certificates.

mod support;

use std::sync::atomic::Ordering;

use coordinator::Quotas;
use coordinator::auth::{Role, Token};
use coordinator::serve::{Settings, Tls};
use proto::v1;
use proto::v1::workers_client::WorkersClient;
use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use store::Store;
use support::{FakeWorker, channel, client, echo, every_kind, order, ready, settings, single, submit};
use tonic::transport::{Certificate, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Request};

fn token(name: &str, role: Role, tenant: Option<&str>) -> Token {
    let hash = canonical::Digest::of(name.as_bytes());
    Token { name: name.into(), hash, roles: vec![role], tenant: tenant.map(Into::into) }
}

fn with<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if !token.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
    }
    request
}

#[tokio::test]
async fn tokens_are_good_for_their_roles_and_tenants() {
    let tokens = vec![
        token("ann", Role::Submit, Some("a")),
        token("bob", Role::Submit, Some("b")),
        token("eve", Role::Read, Some("a")),
        token("hand", Role::Worker, None),
        token("boss", Role::Admin, None),
    ];
    let running = ready(Settings { tokens, ..settings() }, Store::memory()).await;
    let mut farm = client(channel(&running).await);
    for (who, expected) in [
        ("", Some(Code::Unauthenticated)),
        ("nobody", Some(Code::Unauthenticated)),
        ("eve", Some(Code::PermissionDenied)),
        ("hand", Some(Code::PermissionDenied)),
        ("ann", None),
        ("bob", None),
        ("boss", None),
    ] {
        let answer = farm.submit(with(who, order(single(who)))).await;
        assert_eq!(answer.err().map(|status| status.code()), expected, "{who}");
    }
    let seen = async |who: &str| {
        let mut farm = farm.clone();
        farm.list(with(who, v1::ListRequest::default())).await.map(|list| list.into_inner().builds)
    };
    assert_eq!(seen("hand").await.unwrap_err().code(), Code::PermissionDenied);
    let all = seen("boss").await.unwrap();
    let tenants: Vec<_> = all.iter().map(|line| line.tenant.as_str()).collect();
    assert_eq!(tenants, ["default", "b", "a"]);
    assert_eq!(seen("eve").await.unwrap().len(), 1);
    let (bobs, anns) = (all[1].build, all[2].build);
    let cancel = |build| v1::CancelRequest { build };
    assert_eq!(farm.cancel(with("ann", cancel(bobs))).await.unwrap_err().code(), Code::NotFound);
    farm.cancel(with("ann", cancel(anns))).await.unwrap();
    let other = v1::SubmitRequest { tenant: "b".into(), ..order(single("x")) };
    assert_eq!(farm.submit(with("ann", other)).await.unwrap_err().code(), Code::PermissionDenied);
    let retry = v1::RetryRequest { key: vec![0; 32] };
    assert_eq!(farm.retry(with("ann", retry.clone())).await.unwrap_err().code(), Code::PermissionDenied);
    farm.retry(with("boss", retry)).await.unwrap();

    let mut workers = WorkersClient::new(channel(&running).await);
    let sync = v1::SyncRequest {
        protocol: proto::PROTOCOL,
        bundles: 1,
        capabilities: every_kind(),
        ..Default::default()
    };
    assert_eq!(workers.sync(with("ann", sync.clone())).await.unwrap_err().code(), Code::PermissionDenied);
    assert_eq!(workers.sync(with("hand", sync.clone())).await.unwrap().into_inner().bundles.len(), 1);
    let old = v1::SyncRequest { protocol: proto::PROTOCOL + 1, ..sync };
    assert_eq!(workers.sync(with("hand", old)).await.unwrap_err().code(), Code::FailedPrecondition);
}

#[tokio::test]
async fn quotas_bound_what_is_unfinished() {
    let quotas = Quotas { builds: 2, nodes: 2, all_nodes: 3 };
    let running = ready(Settings { quotas, ..settings() }, Store::memory()).await;
    let mut farm = client(channel(&running).await);
    let of =
        |tenant: &str, params: &str| v1::SubmitRequest { tenant: tenant.into(), ..order(single(params)) };
    submit(&mut farm, of("a", "1")).await;
    submit(&mut farm, of("a", "2")).await;
    let refused = farm.submit(of("a", "3")).await.unwrap_err();
    assert_eq!(refused.code(), Code::ResourceExhausted);
    assert!(proto::retry::after(&refused).is_some());
    submit(&mut farm, of("b", "4")).await;
    assert_eq!(farm.submit(of("c", "5")).await.unwrap_err().code(), Code::ResourceExhausted);
    assert_eq!(running.metrics.submissions_refused_total.load(Ordering::Relaxed), 2);
    let mut worker = FakeWorker::new(channel(&running).await, echo());
    worker.sync().await.unwrap();
    worker.report().await.unwrap();
    submit(&mut farm, of("a", "3")).await;
}

#[tokio::test]
async fn an_open_farm_stays_at_home() {
    let public = || Settings { listen: "0.0.0.0:0".parse().unwrap(), ..settings() };
    let refused = async |settings| match coordinator::serve::start(settings, Store::memory()).await {
        Ok(_) => panic!("started"),
        Err(error) => error.to_string(),
    };
    assert!(refused(public()).await.contains("tokens"));
    let tokens = vec![token("ann", Role::Submit, None)];
    assert!(refused(Settings { tokens: tokens.clone(), ..public() }).await.contains("--allow-plaintext"));
    let settings = Settings { tokens, allow_plaintext: true, ..public() };
    coordinator::serve::start(settings, Store::memory()).await.unwrap().kill().await;
}

struct Authority {
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    fn new() -> Self {
        let mut params = CertificateParams::new(vec![]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { pem, issuer: Issuer::new(params, key) }
    }

    fn issue(&self) -> (String, String) {
        let key = KeyPair::generate().unwrap();
        let params = CertificateParams::new(vec!["localhost".into(), "127.0.0.1".into()]).unwrap();
        (params.signed_by(&key, &self.issuer).unwrap().pem(), key.serialize_pem())
    }
}

#[tokio::test]
async fn certificates_are_shown_and_asked_for() {
    let (ours, theirs) = (Authority::new(), Authority::new());
    let (cert, key) = ours.issue();
    let client_ca = Some(ours.pem.clone().into_bytes());
    let tls = Tls { cert: cert.into_bytes(), key: key.into_bytes(), client_ca, peer_ca: None };
    let running = ready(Settings { tls: Some(tls), ..settings() }, Store::memory()).await;
    let list = async |ca: &Authority, shown: Option<&Authority>| {
        let mut tls = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&ca.pem));
        if let Some(shown) = shown {
            let (cert, key) = shown.issue();
            tls = tls.identity(Identity::from_pem(cert, key));
        }
        let address = format!("https://localhost:{}", running.address.port());
        let endpoint = Endpoint::from_shared(address).unwrap().tls_config(tls).unwrap();
        let Ok(channel) = endpoint.connect().await else { return false };
        client(channel).list(v1::ListRequest::default()).await.is_ok()
    };
    assert!(list(&ours, Some(&ours)).await);
    assert!(!list(&ours, Some(&theirs)).await);
    assert!(!list(&ours, None).await);
    assert!(!list(&theirs, Some(&ours)).await);
}
