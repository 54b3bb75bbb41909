//! From pieces to the puppet.

use std::collections::{BTreeMap, BTreeSet};

use artwork::BlendMode;
use geom::{IntRect, Point};
use parts::{Group, Tag};
use puppet::{Canvas, Channels, Drawable, DrawableId, Grid, Part, PartId, Puppet, Tile, TileId};

use crate::layer::Scene;
use crate::piece::Piece;
use crate::pieces::Pictures;
use crate::stacking;
use crate::tree::Tree;
use crate::{Became, Picture, ids};

/// Parts below the root, in display order: id, name, parent.
const PARTS: [(&str, &str, Option<&str>); 7] = [
    ("PartHead", "Head", None),
    ("PartHairFront", "Front hair", Some("PartHead")),
    ("PartHeadAccessories", "Head accessories", Some("PartHead")),
    ("PartFace", "Face", Some("PartHead")),
    ("PartHairBack", "Back hair", Some("PartHead")),
    ("PartExtra", "Extra", None),
    ("PartBody", "Body", None),
];

/// Builds the puppet without parameters; pieces are stacked bottom to top.
pub(crate) fn puppet(scene: &Scene<'_>, tree: Tree, pieces: &[Piece<'_>], pictures: &Pictures) -> Puppet {
    let keys: Vec<_> = pieces
        .iter()
        .map(|p| (p.stem.clone(), p.side, scene.cast.members[p.member].id.clone(), p.order.1))
        .collect();
    let names: Vec<DrawableId> = ids::drawable_ids(&keys).into_iter().map(DrawableId::new).collect();
    let masks = stacking::masks(scene, pieces);
    let drawables: Vec<Drawable> = pieces
        .iter()
        .enumerate()
        .map(|(i, piece)| {
            let masks = masks[i].iter().map(|&m| names[m].clone()).collect();
            drawable(scene, &tree, piece, names[i].clone(), draw_order(i, pieces.len()), masks)
        })
        .collect();
    let parts = parts(&tree, &drawables);
    Puppet {
        canvas: Canvas { width: scene.cast.width.into(), height: scene.cast.height.into() },
        hit_areas: hit_areas(scene, pieces, &names),
        deformers: tree.deformers,
        tiles: tiles(scene, pieces, pictures),
        parts,
        drawables,
        ..Puppet::default()
    }
}

fn draw_order(rank: usize, count: usize) -> f64 {
    if count <= 1000 { (rank + 1) as f64 } else { ((rank + 1) * 1000 / count).max(1) as f64 }
}

fn drawable(
    scene: &Scene<'_>,
    tree: &Tree,
    piece: &Piece<'_>,
    id: DrawableId,
    order: f64,
    masks: Vec<DrawableId>,
) -> Drawable {
    let member = &scene.cast.members[piece.member];
    let home = tree.home(piece.slot);
    let head = member.group == Group::Head && !member.background;
    let corner = Point::new(f64::from(piece.rect.left), f64::from(piece.rect.top));
    let rest: Vec<Point> = piece.mesh.vertices.iter().map(|&v| scene.working(head, corner + v)).collect();
    let forms = Grid::build(piece.motion.axes.clone(), |k| {
        rest.iter().map(|&p| home.space.local((piece.motion.to)(k, p))).collect()
    });
    Drawable {
        id,
        name: piece.name.clone(),
        part: Some(piece.part.clone()),
        deformer: home.deformer,
        tile: piece.tile.clone(),
        uvs: piece.mesh.vertices.clone(),
        triangles: piece.mesh.triangles.clone(),
        forms,
        channels: Channels {
            opacity: piece.opacity.map(|o| o * member.opacity),
            draw_order: Grid::constant(order),
            ..Channels::default()
        },
        blend: match member.blend {
            BlendMode::Normal => puppet::BlendMode::Normal,
            BlendMode::Additive => puppet::BlendMode::Additive,
            BlendMode::Multiply => puppet::BlendMode::Multiply,
        },
        masks,
        invert_mask: false,
    }
}

fn parts(tree: &Tree, drawables: &[Drawable]) -> Vec<Part> {
    let mut used: BTreeSet<PartId> = drawables.iter().filter_map(|d| d.part.clone()).collect();
    used.extend(tree.deformers.iter().filter_map(|d| d.part.clone()));
    let needs = |id: &str| {
        let child = |p: &(&str, &str, Option<&str>)| p.2 == Some(id) && used.contains(&PartId::from(p.0));
        used.contains(&PartId::from(id)) || PARTS.iter().any(child)
    };
    PARTS
        .iter()
        .filter(|p| needs(p.0))
        .map(|&(id, name, parent)| Part {
            id: id.into(),
            name: name.to_owned(),
            parent: parent.map(PartId::from),
            visible: true,
        })
        .collect()
}

/// Areas that a runtime may hit: the face and the largest garment of the torso.
fn hit_areas(scene: &Scene<'_>, pieces: &[Piece<'_>], names: &[DrawableId]) -> Vec<(DrawableId, String)> {
    let largest = |tags: &[Tag]| {
        let pixels = |i: &usize| scene.cast.members[pieces[*i].member].opaque_pixels;
        (0..pieces.len())
            .filter(|&i| tags.contains(&scene.cast.members[pieces[i].member].tag))
            .max_by_key(|i| (pixels(i), std::cmp::Reverse(*i)))
    };
    let found = [(largest(&[Tag::Face]), "Head"), (largest(&[Tag::Topwear]), "Body")];
    found.into_iter().filter_map(|(i, name)| i.map(|i| (names[i].clone(), name.to_owned()))).collect()
}

fn tiles(scene: &Scene<'_>, pieces: &[Piece<'_>], pictures: &Pictures) -> Vec<Tile> {
    let mut tiles: BTreeMap<TileId, Tile> = BTreeMap::new();
    for piece in pieces {
        let Some(image) = stacking::picture(scene, piece, pictures) else { continue };
        let own = scene.settings.layer(&scene.cast.members[piece.member]);
        tiles.entry(piece.tile.clone()).or_insert_with(|| Tile {
            id: piece.tile.clone(),
            rect: sized(piece.rect, image.width(), image.height()).to_rect(),
            width: image.width(),
            height: image.height(),
            density: own.density.unwrap_or(1.0),
            lock: own.lock,
            pin: own.pin,
        });
    }
    tiles.into_values().collect()
}

fn sized(r: IntRect, width: u32, height: u32) -> IntRect {
    IntRect::new(r.left, r.top, r.left.saturating_add_unsigned(width), r.top.saturating_add_unsigned(height))
}

/// Pictures of the tiles that pieces use.
pub(crate) fn pictures(pieces: &[Piece<'_>], mut pictures: Pictures) -> BTreeMap<TileId, Picture> {
    let mut used = BTreeMap::new();
    for piece in pieces {
        let picture = pictures.map.remove(&piece.tile).map(|p| p.0);
        used.entry(piece.tile.clone()).or_insert(picture.unwrap_or(Picture::Member(piece.member)));
    }
    used
}

/// What every member became.
pub(crate) fn became(scene: &Scene<'_>, pieces: &[Piece<'_>], puppet: &Puppet) -> Vec<Became> {
    let mut all: Vec<Became> = scene
        .cast
        .members
        .iter()
        .map(|m| Became { member: m.id.clone(), drawables: Vec::new(), deformer: None, switch: None })
        .collect();
    for (piece, drawable) in pieces.iter().zip(&puppet.drawables) {
        let b = &mut all[piece.member];
        b.drawables.push(drawable.id.clone());
        if b.deformer.is_none() {
            b.deformer.clone_from(&drawable.deformer);
        }
    }
    for (i, b) in all.iter_mut().enumerate() {
        let shown = scene.switches.state(i);
        b.switch = shown.and_then(|s| scene.switches.list.get(s.switch).map(|w| (w.parameter.clone(), s.at)));
    }
    all
}
