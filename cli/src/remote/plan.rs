//! What a build would do on a farm.

use coordinator::embedded::{BuildRequest, Expectation, Forecast, NodeName, PlannedNode};
use coordinator::state::NodeState;
use proto::v1;

use super::events::reason;
use super::session::{self, Session, key, kind};
use crate::failure::Failure;

/// Asks the farm.
///
/// # Errors
/// Unreachable, or usage when the farm does not take the question.
pub(crate) fn forecast(session: &Session, request: &BuildRequest) -> Result<Forecast, Failure> {
    let asked = v1::PlanRequest {
        characters: session::characters(&request.characters)?,
        ignore_cache: !request.read_cache,
    };
    let answer = session.wait(async { session.farm().plan(asked).await })?;
    let nodes = answer.into_inner().nodes.into_iter().filter_map(planned).collect();
    Ok(Forecast { nodes, trouble: None })
}

/// A node of a kind that this release knows.
fn planned(node: v1::PlannedNode) -> Option<PlannedNode> {
    let expectation = match node.expectation() {
        v1::Expectation::Hit => Expectation::Hit,
        v1::Expectation::Run => Expectation::Run(reason(&node.reason, NodeState::Run)),
        v1::Expectation::Failed => Expectation::Failed(node.reason.clone()),
        v1::Expectation::Unknown | v1::Expectation::Unspecified => Expectation::Unknown,
    };
    Some(PlannedNode {
        kind: kind(&node.kind)?,
        key: key(node.key.as_deref()),
        node: NodeName { character: node.character.into(), node: node.node.into() },
        expectation,
        cost_us: node.cost_us,
    })
}
