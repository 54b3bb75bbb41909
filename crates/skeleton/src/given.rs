//! Skeletons given in the settings: bones by hand, each chain of them a limb.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use geom::{Point, Rect};
use parts::{Cast, Member};
use raster::Rgba;

use crate::chain::{Bone, Chain};
use crate::cover::Cover;
use crate::error::Error;
use crate::find::Found;
use crate::joint::{SHARE, fit};
use crate::line::Line;
use crate::settings::{BoneSettings, MOST_GIVEN, Settings};

/// The limbs of the bones in the settings, in the order of their root bones.
///
/// # Errors
/// [`Error`] names the bone that is wrong, and how.
pub(crate) fn limbs(cast: &Cast, images: &[Arc<Rgba>], settings: &Settings) -> Result<Vec<Found>, Error> {
    let bones = &settings.bones;
    check(bones)?;
    let roots = bones.iter().filter(|b| b.parent.is_empty());
    roots.map(|root| limb(cast, images, settings, &chain_of(bones, root)?)).collect()
}

fn check(bones: &[BoneSettings]) -> Result<(), Error> {
    if bones.len() > MOST_GIVEN {
        return Err(Error::TooMany { bones: bones.len() });
    }
    let mut names = BTreeSet::new();
    for bone in bones {
        let name = || bone.name.clone();
        let fits = |c: char| c.is_ascii_alphanumeric() || c == '_';
        if bone.name.is_empty() || bone.name.len() > 40 || !bone.name.chars().all(fits) {
            return Err(Error::Name { bone: name() });
        }
        if !names.insert(bone.name.as_str()) {
            return Err(Error::Twice { bone: name() });
        }
        let numbers = [bone.head.0, bone.head.1, bone.tail.0, bone.tail.1, bone.range.0, bone.range.1];
        if !numbers.iter().all(|v| v.is_finite()) || bone.range.0 > 0.0 || bone.range.1 < 0.0 {
            return Err(Error::Number { bone: name() });
        }
        if head(bone).distance(tail(bone)) < 1.0 {
            return Err(Error::Length { bone: name() });
        }
    }
    for bone in bones.iter().filter(|b| !b.parent.is_empty()) {
        if !names.contains(bone.parent.as_str()) {
            return Err(Error::Parent { bone: bone.name.clone(), parent: bone.parent.clone() });
        }
    }
    cycles(bones)
}

/// Every bone leads to a root.
fn cycles(bones: &[BoneSettings]) -> Result<(), Error> {
    let parents: BTreeMap<&str, &str> = bones.iter().map(|b| (b.name.as_str(), b.parent.as_str())).collect();
    for bone in bones {
        let mut at = bone.name.as_str();
        for _ in 0..=bones.len() {
            match parents.get(at) {
                Some(&next) => at = next,
                None => break,
            }
        }
        if parents.contains_key(at) {
            return Err(Error::Cycle { bone: bone.name.clone() });
        }
    }
    Ok(())
}

/// The bones from a root to its tip.
fn chain_of<'b>(bones: &'b [BoneSettings], root: &'b BoneSettings) -> Result<Vec<&'b BoneSettings>, Error> {
    let mut chain = vec![root];
    loop {
        let last = chain[chain.len() - 1];
        let mut children = bones.iter().filter(|b| b.parent == last.name);
        match (children.next(), children.next()) {
            (None, _) => return Ok(chain),
            (Some(child), None) => chain.push(child),
            (Some(_), Some(other)) => {
                return Err(Error::Fork { bone: last.name.clone(), child: other.name.clone() });
            }
        }
    }
}

fn head(bone: &BoneSettings) -> Point {
    Point::new(bone.head.0, bone.head.1)
}

fn tail(bone: &BoneSettings) -> Point {
    Point::new(bone.tail.0, bone.tail.1)
}

fn limb(
    cast: &Cast,
    images: &[Arc<Rgba>],
    settings: &Settings,
    given: &[&BoneSettings],
) -> Result<Found, Error> {
    let members = bound(cast, given)?;
    let picture = |&i: &usize| {
        let rect = cast.members[i].rect;
        ((rect.left, rect.top), &*images[i])
    };
    let cover = Cover::of(members.iter().map(picture));
    let root = given[0];
    let way: Vec<Point> = given.iter().map(|b| head(b)).chain(given.last().map(|b| tail(b))).collect();
    let lengths: Vec<f64> = way.windows(2).map(|w| w[0].distance(w[1])).collect();
    let length: f64 = lengths.iter().sum();
    let short = || Error::Length { bone: root.name.clone() };
    if lengths.iter().any(|&l| l < 1.0) {
        return Err(short());
    }
    let width = (cover.area() / length).clamp(2.0, length);
    let line = Line::through(&way, width).ok_or_else(short)?;
    let mut joint = 0.0;
    let mut bones: Vec<Bone> = Vec::new();
    for (i, b) in given.iter().enumerate() {
        let parameter = if b.parameter.is_empty() { format!("Param{}", b.name) } else { b.parameter.clone() };
        let range = settings.ranges.get(&parameter).copied().unwrap_or(b.range);
        let mut bone = Bone {
            name: b.name.clone(),
            title: b.name.clone(),
            parameter,
            range: (range.0.min(0.0), range.1.max(0.0)),
            joint,
            half: 0.0,
        };
        if i > 0 {
            fit(&mut bone, &line, &cover, SHARE * lengths[i - 1].min(lengths[i]));
        }
        bones.push(bone);
        joint += lengths[i];
    }
    let left = head(root).x > cast.anchors.body.center().x;
    let sense = if left { -1.0 } else { 1.0 };
    Ok(Found {
        name: root.name.to_lowercase(),
        members,
        chain: Chain { line, bones, held: false, sense, sway: None },
    })
}

/// Members that a chain binds, each bone near what it binds.
fn bound(cast: &Cast, given: &[&BoneSettings]) -> Result<Vec<usize>, Error> {
    let mut all = BTreeSet::new();
    for bone in given {
        for bind in &bone.binds {
            let matching: Vec<(usize, &Member)> =
                cast.members.iter().enumerate().filter(|(_, m)| is(m, bind)).collect();
            let Some(area) = Rect::union_all(matching.iter().map(|(_, m)| m.bounds)) else {
                return Err(Error::Unknown { bone: bone.name.clone(), layer: bind.clone() });
            };
            let near = area.expand(0.25);
            if !near.contains(head(bone)) && !near.contains(tail(bone)) {
                return Err(Error::Outside { bone: bone.name.clone(), layer: bind.clone() });
            }
            all.extend(matching.iter().map(|(i, _)| *i));
        }
    }
    match all.is_empty() {
        true => Err(Error::Nothing { bone: given[0].name.clone() }),
        false => Ok(all.into_iter().collect()),
    }
}

/// A member by its name, path or id.
fn is(member: &Member, text: &str) -> bool {
    let mut path = member.path.clone();
    path.push(member.name.clone());
    let visible = member.opaque_pixels > 0 && !member.background;
    visible && [member.id.as_str(), member.name.as_str(), path.join("/").as_str()].contains(&text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bone(name: &str, parent: &str, head: (f64, f64), tail: (f64, f64)) -> BoneSettings {
        BoneSettings {
            name: name.to_owned(),
            parent: parent.to_owned(),
            head,
            tail,
            range: (-10.0, 40.0),
            ..BoneSettings::default()
        }
    }

    #[test]
    fn wrong_bones_are_told() {
        let good = || vec![bone("A", "", (0.0, 0.0), (0.0, 50.0)), bone("B", "A", (0.0, 50.0), (0.0, 90.0))];
        assert_eq!(check(&good()), Ok(()));
        type Change = fn(&mut Vec<BoneSettings>);
        let cases: [(Change, &str); 9] = [
            (|b| b[1].tail = b[1].head, "bone B has no length"),
            (|b| b[0].parent = "B".to_owned(), "bone A is its own ancestor"),
            (|b| b[1].parent = "B".to_owned(), "bone B is its own ancestor"),
            (|b| b[1].parent = "C".to_owned(), "its parent C"),
            (|b| b[1].name = "A".to_owned(), "two bones are named A"),
            (|b| b[1].name = "né".to_owned(), "its name"),
            (|b| b[1].head.0 = f64::NAN, "bone B: its place"),
            (|b| b[1].range = (1.0, 2.0), "bone B: its place must be finite and its range must hold 0"),
            (
                |b| *b = (0..200).map(|i| bone(&format!("B{i}"), "", (0.0, 0.0), (9.0, 0.0))).collect(),
                "200 bones",
            ),
        ];
        for (change, want) in cases {
            let mut bones = good();
            change(&mut bones);
            let got = check(&bones).expect_err(want).to_string();
            assert!(got.contains(want), "{got:?} lacks {want:?}");
        }
        let fork = [good(), vec![bone("C", "A", (0.0, 50.0), (9.0, 90.0))]].concat();
        assert_eq!(
            chain_of(&fork, &fork[0]).map(|c| c.len()),
            Err(Error::Fork { bone: "A".to_owned(), child: "C".to_owned() })
        );
    }
}
