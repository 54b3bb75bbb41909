//! `rigfarm render`: a bundle to a picture.

use crate::args::RenderArgs;
use crate::failure::Failure;

/// The renderer is not part of this release.
pub(crate) fn run(args: &RenderArgs) -> Result<(), Failure> {
    let bundle = args.bundle.display();
    Err(Failure::usage(format!("render {bundle}: rendering is not in this release; the pages are in the bundle")))
}
