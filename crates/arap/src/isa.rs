//! The same lanes compiled for several instruction sets, chosen at run time.
//!
//! Rust never contracts a multiplication and an addition into one operation, so every version gives the same bits.

use multiversion::multiversion;

use crate::lane::Wide;
use crate::lanes::{Done, stream as plain};
use crate::solver::{Lanes, Pose, Settings};
use crate::system::System;

type Take<'a> = &'a dyn Fn() -> Option<usize>;

/// Takes and solves poses until there are none.
pub(crate) fn stream(system: &System, poses: &[Pose], settings: &Settings, take: Take<'_>) -> Vec<Done> {
    match (settings.lanes, settings.wide) {
        (Lanes::One, _) => plain::<f64>(system, poses, settings, take),
        (Lanes::Four, false) => plain::<Wide<1>>(system, poses, settings, take),
        (Lanes::Four, true) => four(system, poses, settings, take),
        (Lanes::Eight, false) => plain::<Wide<2>>(system, poses, settings, take),
        (Lanes::Eight, true) => eight(system, poses, settings, take),
        (Lanes::Sixteen, false) => plain::<Wide<4>>(system, poses, settings, take),
        (Lanes::Sixteen, true) => sixteen(system, poses, settings, take),
    }
}

#[multiversion(targets("x86_64+avx2"))]
fn four(system: &System, poses: &[Pose], settings: &Settings, take: Take<'_>) -> Vec<Done> {
    plain::<Wide<1>>(system, poses, settings, take)
}

#[multiversion(targets("x86_64+avx2"))]
fn eight(system: &System, poses: &[Pose], settings: &Settings, take: Take<'_>) -> Vec<Done> {
    plain::<Wide<2>>(system, poses, settings, take)
}

#[multiversion(targets("x86_64+avx2"))]
fn sixteen(system: &System, poses: &[Pose], settings: &Settings, take: Take<'_>) -> Vec<Done> {
    plain::<Wide<4>>(system, poses, settings, take)
}
