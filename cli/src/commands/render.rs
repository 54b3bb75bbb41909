//! `rigfarm render`: a bundle to a picture.

use preview::{Scene, SheetStyle};
use raster::Rgba;

use crate::args::RenderArgs;
use crate::bundle_files::{Bundle, read_file};
use crate::delivery;
use crate::failure::Failure;

/// Cells in a row of a pose sheet.
const COLUMNS: u32 = 7;
/// Behind the figures of a sheet.
const PAPER: [u8; 3] = [255, 255, 255];

/// Draws one pose, or with `--pose-sheet` the standard poses.
pub(crate) fn run(args: &RenderArgs) -> Result<(), Failure> {
    if args.out.is_dir() || args.out.extension().is_some_and(|kind| !kind.eq_ignore_ascii_case("png")) {
        return Err(Failure::usage(format!(
            "--out {}: pictures are PNG files: name one",
            args.out.display()
        )));
    }
    let bundle = Bundle::open(&args.bundle)?;
    let pages = pages(&bundle)?;
    let drawn = |e: preview::Error| Failure::failed(format!("{}: {e}", bundle.name));
    let scene = Scene::new(&bundle.model, pages).map_err(drawn)?;
    let picture = if args.pose_sheet {
        let style = SheetStyle {
            crop: scene.canvas(),
            cell: args.size,
            columns: COLUMNS,
            labels: true,
            backdrop: Some(PAPER),
        };
        preview::sheet(&scene, &preview::standard_poses(), &style).map_err(drawn)?
    } else {
        let values = values(&args.sets)?;
        let pose = scene.pose(values.iter().map(|(id, value)| (id.as_str(), *value)));
        let pose = pose.map_err(|e| Failure::usage(format!("--set: {e} in {}", bundle.name)))?;
        scene.render(&pose, args.size).map_err(drawn)?
    };
    let bytes = atlas::encode_png(&picture).map_err(|e| Failure::failed(format!("{}: {e}", bundle.name)))?;
    delivery::write_file(&args.out, &bytes).map_err(|e| Failure::failed(e.to_string()))?;
    crate::out::note(args.out.display());
    Ok(())
}

fn pages(bundle: &Bundle) -> Result<Vec<Rgba>, Failure> {
    let page = |name: &String| {
        let path = bundle.folder.join(name);
        atlas::decode_png(&read_file(&path)?).map_err(|e| Failure::failed(format!("{}: {e}", path.display())))
    };
    bundle.document.textures.iter().map(page).collect()
}

/// `Param=V` pairs.
fn values(sets: &[String]) -> Result<Vec<(String, f32)>, Failure> {
    let pair = |set: &String| {
        let (id, value) = set.split_once('=')?;
        let value: f32 = value.trim().parse().ok()?;
        value.is_finite().then(|| (id.trim().to_owned(), value))
    };
    sets.iter()
        .map(|set| pair(set).ok_or_else(|| Failure::usage(format!("--set {set}: must be Param=NUMBER"))))
        .collect()
}
