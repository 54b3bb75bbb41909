//! Reverse Cuthill-McKee: an elimination order with a narrow envelope (DOCUMENT_LAYER 9.3, step 4).

use std::collections::VecDeque;

/// Connected components of the vertices that `free` marks, each as a list in Cuthill-McKee order: from the vertex of
/// least degree, neighbours by ascending degree, then index. Components come by their least index of least degree.
pub(crate) fn components(spokes: &[Vec<(u32, f64)>], free: &[bool]) -> Vec<Vec<usize>> {
    let degree = |v: usize| spokes[v].iter().filter(|(to, _)| free[*to as usize]).count();
    let degrees: Vec<usize> = (0..spokes.len()).map(degree).collect();
    let mut starts: Vec<usize> = (0..spokes.len()).filter(|v| free[*v]).collect();
    starts.sort_by_key(|v| (degrees[*v], *v));
    let mut seen: Vec<bool> = free.iter().map(|f| !f).collect();
    let mut components = Vec::new();
    for start in starts {
        if seen[start] {
            continue;
        }
        let mut component = Vec::new();
        let mut queue = VecDeque::from([start]);
        seen[start] = true;
        while let Some(vertex) = queue.pop_front() {
            component.push(vertex);
            let mut next: Vec<usize> =
                spokes[vertex].iter().map(|(to, _)| *to as usize).filter(|to| !seen[*to]).collect();
            next.sort_by_key(|v| (degrees[*v], *v));
            for v in next {
                seen[v] = true;
                queue.push_back(v);
            }
        }
        components.push(component);
    }
    components
}

/// The reverse of all components one after the other: position -> vertex.
pub(crate) fn reversed(components: &[Vec<usize>]) -> Vec<usize> {
    components.iter().flatten().rev().copied().collect()
}
