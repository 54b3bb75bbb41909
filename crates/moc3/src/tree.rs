//! Parent links of parts and deformers.

/// Indices with parents before children; the list order wherever it is that already.
///
/// Members of cycles and what hangs on them are left out.
pub(crate) fn parents_first(parents: &[Option<usize>]) -> Vec<usize> {
    let mut placed = vec![false; parents.len()];
    let mut order = Vec::with_capacity(parents.len());
    let mut chain = Vec::new();
    for start in 0..parents.len() {
        let mut at = Some(start);
        while let Some(node) = at.filter(|node| placed.get(*node) == Some(&false)) {
            chain.push(node);
            if chain.len() > parents.len() {
                chain.clear();
            }
            at = if chain.is_empty() { None } else { parents[node] };
        }
        while let Some(node) = chain.pop() {
            placed[node] = true;
            order.push(node);
        }
    }
    order
}

/// Members of parent chains that lead back to themselves, ascending.
pub(crate) fn members_of_cycles(parents: &[Option<usize>]) -> Vec<usize> {
    // 0 unseen; a number: on the chain that started there; `DONE`: a known member.
    const DONE: usize = usize::MAX;
    let mut seen = vec![0; parents.len()];
    let mut members = Vec::new();
    for start in 0..parents.len() {
        let chain = start + 1;
        let mut at = Some(start);
        while let Some(node) = at.filter(|node| seen.get(*node) == Some(&0)) {
            seen[node] = chain;
            at = parents[node];
        }
        let mut around = at.filter(|node| seen.get(*node) == Some(&chain));
        while let Some(node) = around.filter(|node| seen[*node] == chain) {
            seen[node] = DONE;
            members.push(node);
            around = parents[node];
        }
    }
    members.sort_unstable();
    members
}
