//! Draw order, and masks (RIG 1.2, RIG_PRACTICE 7).

use raster::Rgba;

use crate::Picture;
use crate::layer::Scene;
use crate::mouth::is_masked;
use crate::piece::{Piece, Role};
use crate::pieces::Pictures;

/// Sorts the pieces bottom to top; within an eye white < iris < lower lash < lash < crease, unless that would change
/// the picture as drawn.
pub(crate) fn stack(scene: &Scene<'_>, pieces: &mut [Piece<'_>], pictures: &Pictures) {
    if scene.settings.natural() {
        restack_eyes(scene, pieces, pictures);
    }
    pieces.sort_by_key(|p| p.order);
}

fn restack_eyes(scene: &Scene<'_>, pieces: &mut [Piece<'_>], pictures: &Pictures) {
    let in_eye = |p: &Piece<'_>| p.role <= Role::Crease;
    let mut sides: Vec<_> = pieces.iter().filter(|p| in_eye(p)).map(|p| p.side).collect();
    sides.sort();
    sides.dedup();
    for side in sides {
        let mut now: Vec<usize> =
            (0..pieces.len()).filter(|&i| in_eye(&pieces[i]) && pieces[i].side == side).collect();
        now.sort_by_key(|&i| pieces[i].order);
        let mut wanted = now.clone();
        wanted.sort_by_key(|&i| pieces[i].role);
        if now == wanted {
            continue;
        }
        let budget = f64::from(scene.cast.width) * f64::from(scene.cast.height) * 5e-5;
        if changed_pixels(scene, pieces, pictures, &now) as f64 > budget.max(24.0) {
            continue;
        }
        let orders: Vec<_> = now.iter().map(|&i| pieces[i].order).collect();
        for (&i, order) in wanted.iter().zip(orders) {
            pieces[i].order = order;
        }
    }
}

/// Pixels that look different once the pieces (bottom to top) are sorted by role.
fn changed_pixels(scene: &Scene<'_>, pieces: &[Piece<'_>], pictures: &Pictures, now: &[usize]) -> u64 {
    let mut changed = 0;
    for (k, &below) in now.iter().enumerate() {
        for &above in &now[k + 1..] {
            let (a, b) = (&pieces[below], &pieces[above]);
            if b.role < a.role && a.role != Role::EyeMask && b.role != Role::EyeMask {
                changed += difference(scene, a, b, pictures);
            }
        }
    }
    changed
}

fn difference(scene: &Scene<'_>, a: &Piece<'_>, b: &Piece<'_>, pictures: &Pictures) -> u64 {
    let (Some(ia), Some(ib)) = (picture(scene, a, pictures), picture(scene, b, pictures)) else { return 0 };
    let Some(common) = a.rect.intersection(&b.rect) else { return 0 };
    let mut count = 0;
    for y in common.top..common.bottom {
        for x in common.left..common.right {
            let p = ia.get((x - a.rect.left).into(), (y - a.rect.top).into());
            let q = ib.get((x - b.rect.left).into(), (y - b.rect.top).into());
            let cover = u32::from(p[3]) * u32::from(q[3]) / 255;
            let apart = (0..3).map(|c| u32::from(p[c].abs_diff(q[c]))).max().unwrap_or(0);
            count += u64::from(cover * apart / 255 > 16);
        }
    }
    count
}

/// The picture of a piece.
pub(crate) fn picture<'p>(
    scene: &'p Scene<'_>,
    piece: &Piece<'_>,
    pictures: &'p Pictures,
) -> Option<&'p Rgba> {
    if let Some((Picture::New(image), _)) = pictures.map.get(&piece.tile) {
        return Some(image);
    }
    scene.layers.iter().find(|l| l.index == piece.member).map(|l| l.image)
}

/// Indices of the pieces that mask each piece.
pub(crate) fn masks(scene: &Scene<'_>, pieces: &[Piece<'_>]) -> Vec<Vec<usize>> {
    pieces.iter().map(|p| masks_of(scene, pieces, p)).collect()
}

fn masks_of(scene: &Scene<'_>, pieces: &[Piece<'_>], piece: &Piece<'_>) -> Vec<usize> {
    let state = |p: &Piece<'_>| scene.switches.state(p.member);
    let find = |keep: &dyn Fn(&Piece<'_>) -> bool| -> Vec<usize> {
        (0..pieces.len()).filter(|&i| keep(&pieces[i])).collect()
    };
    if piece.role == Role::Iris {
        let own = find(&|p| p.role == Role::EyeMask && p.side == piece.side && state(p) == state(piece));
        if !own.is_empty() {
            return own;
        }
        for side in [piece.side, None] {
            let fits = |p: &Piece<'_>| state(p).is_none() || state(p) == state(piece);
            let whites = find(&|p| p.role == Role::White && p.side == side && fits(p));
            if !whites.is_empty() {
                return whites;
            }
        }
        return Vec::new();
    }
    if is_masked(piece) {
        return nearest_mouth(scene, pieces, piece).into_iter().collect();
    }
    let Some(base) = scene.cast.members.get(piece.member).and_then(|m| m.clip_to.as_ref()) else {
        return Vec::new();
    };
    let base = scene.cast.members.iter().position(|m| m.id == *base);
    find(&|p| Some(p.member) == base && p.role != Role::EyeMask && p.role != Role::LidLine)
}

/// The mouth that teeth or tongue lie in: same side and state first, then the nearest (RIG 1.2).
fn nearest_mouth(scene: &Scene<'_>, pieces: &[Piece<'_>], piece: &Piece<'_>) -> Option<usize> {
    let center = |p: &Piece<'_>| p.rect.to_rect().center();
    let open = |p: &Piece<'_>| {
        let layer = scene.layers.iter().find(|l| l.index == p.member);
        layer.is_some_and(|l| !crate::mouth::drawn_closed(l))
    };
    (0..pieces.len()).filter(|&i| pieces[i].role == Role::Mouth).min_by(|&a, &b| {
        let key = |i: usize| {
            let p = &pieces[i];
            let same = scene.switches.state(p.member) == scene.switches.state(piece.member);
            (!open(p), p.side != piece.side, !same)
        };
        let far = |i: usize| center(&pieces[i]).distance(center(piece));
        key(a).cmp(&key(b)).then(far(a).total_cmp(&far(b)))
    })
}
