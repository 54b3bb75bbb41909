//! A model with its pages, ready to be drawn in any pose.

use std::collections::BTreeMap;
use std::ops::Range;

use geom::{Point, Rect};
use moc3::evaluate::{DrawableFrame, Evaluator, Frame, Pose};
use moc3::model::{Drawable, Model};
use raster::Rgba;
use rayon::prelude::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator, ParallelSliceMut};

use crate::Error;
use crate::band::{self, Item, Mask, Stage};
use crate::blend::Blend;
use crate::mesh::Mesh;
use crate::texture::{Filter, Page};

/// Largest side of a picture.
const LIMIT: u32 = 16_384;
/// Rows of points drawn by one task.
const ROWS: u32 = 32;

/// What part of the canvas a picture shows: as large as fits, in the middle, both axes to one scale.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    /// In canvas pixels; may reach beyond the canvas.
    pub crop: Rect,
    /// Width of the picture in pixels.
    pub width: u32,
    /// Height of the picture in pixels.
    pub height: u32,
}

impl View {
    /// `crop` on a picture whose longer side has `side` pixels.
    pub fn fit(crop: Rect, side: u32) -> Self {
        let scale = f64::from(side) / crop.width().max(crop.height()).max(1e-9);
        let pixels = |v: f64| ((v * scale).round() as u32).max(1);
        Self { crop, width: pixels(crop.width()), height: pixels(crop.height()) }
    }
    fn check(&self) -> Result<(), Error> {
        self.check_below(LIMIT)
    }
    fn check_below(&self, limit: u32) -> Result<(), Error> {
        let Self { crop, width, height } = *self;
        let area = crop.width() > 0.0 && crop.height() > 0.0 && crop.width() < 1e9 && crop.height() < 1e9;
        if area && (1..=limit).contains(&width) && (1..=limit).contains(&height) {
            return Ok(());
        }
        Err(Error::Size { width, height, limit })
    }
    /// Where points of the canvas lie on the picture.
    fn project(&self, canvas: Point) -> Point {
        let (width, height) = (f64::from(self.width), f64::from(self.height));
        let scale = (width / self.crop.width()).min(height / self.crop.height());
        let middle = self.crop.center();
        Point::new((canvas.x - middle.x) * scale + width / 2.0, (canvas.y - middle.y) * scale + height / 2.0)
    }
}

/// A model with its pages.
#[derive(Debug)]
pub struct Scene<'m> {
    evaluator: Evaluator<'m>,
    pages: Vec<Page>,
}

impl<'m> Scene<'m> {
    /// Prepares a model. `pages` are straight-alpha textures in the order of the drawables' texture numbers.
    ///
    /// # Errors
    /// [`Error::Model`] for broken links, [`Error::NoPage`] and [`Error::EmptyPage`] for missing pictures.
    pub fn new(model: &'m Model, pages: Vec<Rgba>) -> Result<Self, Error> {
        if let Some(empty) = pages.iter().position(|p| p.width() == 0 || p.height() == 0) {
            return Err(Error::EmptyPage(empty));
        }
        if let Some(d) = model.drawables.iter().find(|d| d.texture as usize >= pages.len()) {
            return Err(Error::NoPage { drawable: d.id.clone(), page: d.texture, pages: pages.len() });
        }
        let evaluator = Evaluator::new(model)?;
        Ok(Self { evaluator, pages: pages.into_iter().map(Page::new).collect() })
    }
    /// The model.
    pub fn model(&self) -> &'m Model {
        self.evaluator.model()
    }
    /// The canvas in its own pixels.
    pub fn canvas(&self) -> Rect {
        let c = &self.model().canvas;
        Rect::new(0.0, 0.0, f64::from(c.width), f64::from(c.height))
    }
    /// The resting pose with some parameters set; values are clamped by the evaluation.
    ///
    /// # Errors
    /// [`Error::NoParameter`] for an unknown id.
    pub fn pose<'a>(&self, values: impl IntoIterator<Item = (&'a str, f32)>) -> Result<Pose, Error> {
        let mut pose = Pose::rest(self.model());
        for (id, value) in values {
            let at = self.model().parameters.iter().position(|p| p.id == id);
            pose.parameters[at.ok_or_else(|| Error::NoParameter(id.to_owned()))?] = value;
        }
        Ok(pose)
    }
    /// Box of the vertices of some drawables in canvas pixels; `None` when none of them is seen.
    pub fn bounds(&self, pose: &Pose, chosen: impl Fn(&Drawable) -> bool) -> Option<Rect> {
        let frame = self.evaluator.evaluate(pose);
        let canvas = &self.model().canvas;
        let shown = self.model().drawables.iter().zip(&frame.drawables);
        let points = shown.filter(|(d, f)| f.visible && chosen(d)).flat_map(|(_, f)| &f.positions);
        Rect::bounding(points.map(|&p| canvas.to_pixels(p)).map(|[x, y]| Point::new(x, y)))
    }
    /// Box of the vertices of some drawables in canvas pixels, seen or not; `None` when there is none.
    pub fn extent(&self, pose: &Pose, chosen: impl Fn(&Drawable) -> bool) -> Option<Rect> {
        let frame = self.evaluator.evaluate(pose);
        let canvas = &self.model().canvas;
        let points = self.model().drawables.iter().zip(&frame.drawables).filter(|(d, _)| chosen(d));
        let points = points.flat_map(|(_, f)| &f.positions).map(|&p| canvas.to_pixels(p));
        Rect::bounding(points.map(|[x, y]| Point::new(x, y)).filter(|p| p.x.is_finite() && p.y.is_finite()))
    }
    /// Draws the whole canvas, its longer side `side` pixels: straight RGBA on transparent black.
    ///
    /// # Errors
    /// [`Error::Size`] for a side of 0 or above the limit.
    pub fn render(&self, pose: &Pose, side: u32) -> Result<Rgba, Error> {
        self.render_view(pose, &View::fit(self.canvas(), side))
    }
    /// Draws part of the canvas.
    ///
    /// # Errors
    /// [`Error::Size`] for a side of 0 or above the limit, or a crop that is no area.
    pub fn render_view(&self, pose: &Pose, view: &View) -> Result<Rgba, Error> {
        view.check()?;
        Ok(self.draw(&self.evaluator.evaluate(pose), view, 1, true))
    }
    /// Draws part of the canvas with the mean of 2 x 2 points for every pixel: smooth edges where layers meet. Each
    /// point reads one of the page's copies, not two, so that colours may differ by a shade from [`Self::render_view`].
    ///
    /// # Errors
    /// As [`Self::render_view`]; the limit is half as large.
    pub fn render_smooth(&self, pose: &Pose, view: &View) -> Result<Rgba, Error> {
        view.check_below(LIMIT / 2)?;
        Ok(self.draw(&self.evaluator.evaluate(pose), view, 2, true))
    }
    /// As [`Self::render_smooth`], but some drawables alone, all of each: also what is hidden, faint or clipped.
    ///
    /// # Errors
    /// As [`Self::render_smooth`].
    pub fn render_alone(
        &self,
        pose: &Pose,
        view: &View,
        chosen: impl Fn(&Drawable) -> bool,
    ) -> Result<Rgba, Error> {
        view.check_below(LIMIT / 2)?;
        let mut frame = self.evaluator.evaluate(pose);
        for (drawable, shown) in self.model().drawables.iter().zip(&mut frame.drawables) {
            shown.visible = chosen(drawable);
            shown.opacity = 1.0;
        }
        frame.offscreens.iter_mut().for_each(|offscreen| offscreen.opacity = 1.0);
        Ok(self.draw(&frame, view, 2, false))
    }
    /// Draws a checked view with `points` x `points` points a pixel, 1 or 2; without `masks` nothing is clipped.
    fn draw(&self, frame: &Frame, view: &View, points: u32, masks: bool) -> Rgba {
        let View { width, height, .. } = *view;
        let fine = View { width: width * points, height: height * points, ..*view };
        let filter = if points == 1 { Filter::Blended } else { Filter::Nearest };
        let stage = self.stage(frame, &fine, masks, filter);
        let mut picture = Rgba::new(width, height);
        let bands = picture.pixels_mut().par_chunks_mut((width * 4 * (ROWS / points)) as usize);
        bands.enumerate().for_each(|(k, band)| {
            let rows = band.len() as u32 / (width * 4);
            let first = k as u32 * (ROWS / points);
            let target = stage.rows(&((first * points) as i32..((first + rows) * points) as i32));
            let pixels = band.as_chunks_mut().0;
            match points {
                1 => band::straight_all(&target, pixels),
                _ => band::straight_means(&target, fine.width as usize, pixels),
            }
        });
        picture
    }
    /// Sorts and projects what is seen.
    fn stage(&self, frame: &Frame, view: &View, clipped: bool, filter: Filter) -> Stage<'_> {
        let model = self.model();
        let mut order: Vec<usize> =
            (0..model.drawables.len()).filter(|&i| frame.drawables[i].visible).collect();
        order.sort_by_key(|&i| (frame.drawables[i].render_order, i));
        let mut sets: BTreeMap<&[usize], usize> = BTreeMap::new();
        let mut masks: Vec<Mask> = Vec::new();
        let mut needed = vec![false; model.drawables.len()];
        let mut items = Vec::with_capacity(order.len());
        for i in order {
            let drawable = &model.drawables[i];
            needed[i] = true;
            let mask = (clipped && !drawable.masks.is_empty()).then(|| {
                let set = *sets.entry(&drawable.masks).or_insert_with(|| {
                    masks.push(Mask { meshes: drawable.masks.clone(), rows: 0..0, columns: 0..0 });
                    masks.len() - 1
                });
                (set, drawable.flags.inverted_mask())
            });
            let f = &frame.drawables[i];
            let opacity = f.opacity * self.offscreen_opacity(drawable, frame);
            let blend = Blend::of(drawable);
            items.push(Item { mesh: i, opacity, multiply: f.multiply, screen: f.screen, blend, mask });
        }
        masks.iter().flat_map(|mask| &mask.meshes).for_each(|&i| needed[i] = true);
        let meshes: Vec<Option<Mesh<'_>>> = (0..model.drawables.len())
            .into_par_iter()
            .map(|i| needed[i].then(|| self.mesh(&model.drawables[i], &frame.drawables[i], view, filter)))
            .collect();
        for item in &items {
            let (Some((set, _)), Some(mesh)) = (item.mask, &meshes[item.mesh]) else { continue };
            masks[set].rows = union(&masks[set].rows, &mesh.rows);
            masks[set].columns = union(&masks[set].columns, &mesh.columns);
        }
        Stage { meshes, items, masks, width: view.width as usize }
    }
    fn mesh(&self, drawable: &Drawable, frame: &DrawableFrame, view: &View, filter: Filter) -> Mesh<'_> {
        let canvas = &self.model().canvas;
        let points: Vec<Point> = frame
            .positions
            .iter()
            .map(|&p| {
                let [x, y] = canvas.to_pixels(p);
                view.project(Point::new(x, y))
            })
            .collect();
        let page = (&self.pages[drawable.texture as usize], filter);
        Mesh::new(&points, &drawable.uvs, &drawable.indices, page, !drawable.flags.double_sided())
    }
    /// Opacities of the offscreens around a drawable; they are not composed on their own here but passed on.
    fn offscreen_opacity(&self, drawable: &Drawable, frame: &Frame) -> f32 {
        let model = self.model();
        let mut opacity = 1.0;
        let mut part = drawable.parent_part;
        // A broken file could have a cycle: no more steps than there are parts.
        for _ in 0..model.parts.len() {
            let Some(at) = part else { break };
            if let Some(k) = model.offscreens.iter().position(|o| o.owner == at) {
                opacity *= frame.offscreens[k].opacity;
            }
            part = model.parts[at].parent;
        }
        opacity
    }
}

/// The smallest range that holds both; empty ones hold nothing.
fn union(a: &Range<i32>, b: &Range<i32>) -> Range<i32> {
    match (a.is_empty(), b.is_empty()) {
        (true, _) => b.clone(),
        (_, true) => a.clone(),
        _ => a.start.min(b.start)..a.end.max(b.end),
    }
}
