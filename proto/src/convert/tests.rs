use proptest::prelude::*;
use prost::Message;

use super::*;

/// Through bytes and back.
fn sent<T: Message + Default>(message: &T) -> T {
    T::decode(&message.encode_to_vec()[..]).unwrap()
}

fn graph() -> Graph {
    let nodes = vec![
        NodeTemplate::new("ingest", JobKind::Ingest, vec![1]).blob("psd", BlobRef::of(b"psd")),
        NodeTemplate::new("rig", JobKind::Rig, vec![])
            .output("tree", "ingest", "tree")
            .outputs("rasters", "ingest", "raster/"),
    ];
    Graph::new(nodes, vec!["rig".into()]).unwrap()
}

fn job() -> Job {
    let inputs = [("a", b"1"), ("b", b"2")].map(|(name, bytes)| (name.to_owned(), BlobRef::of(bytes)));
    Job { kind: JobKind::AtlasPage, version: "3".into(), params: vec![0, 255], inputs: inputs.into() }
}

#[test]
fn there_and_back() {
    assert_eq!(Graph::try_from(sent(&v1::Graph::from(&graph()))), Ok(graph()));
    let back = Job::try_from(sent(&v1::Job::from(&job()))).unwrap();
    assert_eq!((back.key(), back), (job().key(), job()));
    for class in [
        FailureClass::Deterministic,
        FailureClass::Transient,
        FailureClass::Poison,
        FailureClass::Unsatisfiable,
        FailureClass::Cancelled,
    ] {
        let failure = JobFailure { class, code: "code".into(), message: "why".into() };
        assert_eq!(JobFailure::try_from(sent(&v1::Failure::from(&failure))), Ok(failure));
    }
}

#[test]
fn long_messages_are_cut_between_characters() {
    let failure = JobFailure::deterministic("code", "ä".repeat(limits::TEXT));
    let cut = JobFailure::try_from(v1::Failure::from(&failure)).unwrap();
    assert_eq!(cut.message.len(), limits::TEXT);
}

#[test]
fn refusals() {
    let node = |change: fn(&mut v1::Node)| {
        let mut node = v1::Node::from(&graph().nodes()[0]);
        change(&mut node);
        NodeTemplate::try_from(node).unwrap_err().to_string()
    };
    assert_eq!(
        node(|node| node.kind = "mine".into()),
        "unknown job kind \"mine\": this release knows ingest rig skeleton author simulate finish atlas-layout \
         atlas-page pack-moc3 pack-cmo3 preview bundle"
    );
    assert_eq!(
        node(|node| node.params = vec![0; limits::PARAMS + 1]),
        "parameters: 1048577 is more than the 1048576 allowed"
    );
    assert_eq!(
        node(|node| drop(node.inputs.insert("x".into(), v1::Input { source: None }))),
        "the source of an input is missing"
    );
    let mut ring = v1::Graph::from(&graph());
    ring.nodes[0]
        .inputs
        .insert("x".into(), (&Input::Output { node: "rig".into(), output: "o".into() }).into());
    assert!(matches!(Graph::try_from(ring), Err(WireError::Graph(GraphError::Cycle(_)))));
    assert_eq!(key(&[1; 31]), Err(WireError::DigestLength(31)));
    let huge = v1::Blob { len: u64::MAX, ..BlobRef::of(b"").into() };
    assert!(matches!(BlobRef::try_from(huge), Err(WireError::TooLarge { .. })));
    let class = v1::Failure { class: 99, code: String::new(), message: String::new() };
    let expected = WireError::UnknownValue { what: "failure class", value: 99 };
    assert_eq!(JobFailure::try_from(class), Err(expected));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn hostile_bytes_do_no_harm(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(graph) = v1::Graph::decode(&bytes[..]) {
            let _ = Graph::try_from(graph);
        }
        if let Ok(request) = v1::SubmitRequest::decode(&bytes[..]) {
            let _ = characters(request.characters);
        }
        let _ = v1::SyncRequest::decode(&bytes[..]);
    }

    #[test]
    fn jobs_keep_their_key(
        params in prop::collection::vec(any::<u8>(), 0..20),
        inputs in prop::collection::btree_map(".{1,8}", prop::collection::vec(any::<u8>(), 0..4), 0..5),
    ) {
        let inputs = inputs.into_iter().map(|(name, bytes)| (name, BlobRef::of(&bytes))).collect();
        let job = Job { kind: JobKind::Rig, version: "1".into(), params, inputs };
        prop_assert_eq!(Job::try_from(sent(&v1::Job::from(&job))).map(|job| job.key()), Ok(job.key()));
    }
}
