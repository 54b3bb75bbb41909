//! Records to the tree of layers.

use rayon::prelude::*;

use super::color::Converter;
use super::header::Header;
use super::layer::{self, Decoded};
use super::record::{Divider, Record};
use crate::{Error, Layer, LayerKind, Limits, Notice};

/// Most notices of a document; files made to hurt can ask for millions.
const MOST_NOTICES: usize = 2000;

/// Layers of at most so many decoded bytes together are decoded on one thread.
const SMALL: u64 = 256 << 10;

/// Notices so far.
#[derive(Default)]
pub(crate) struct Notices {
    list: Vec<Notice>,
    more: usize,
}

impl Notices {
    pub(crate) fn push(&mut self, code: &'static str, path: Vec<String>, message: String) {
        if self.list.len() < MOST_NOTICES {
            self.list.push(Notice { code, path, message });
        } else {
            self.more += 1;
        }
    }

    fn full(&self) -> bool {
        self.list.len() >= MOST_NOTICES
    }

    pub(crate) fn into_list(mut self) -> Vec<Notice> {
        if self.more > 0 {
            let message = format!("{} more notices were left out", self.more);
            self.list.push(Notice { code: "notices-left-out", path: Vec::new(), message });
        }
        self.list
    }
}

/// Decodes all records and hangs them into their folders.
pub(crate) fn build(
    records: &[Record],
    header: &Header,
    converter: &Converter,
    limits: &Limits,
    notices: &mut Notices,
) -> Result<Vec<Layer>, Error> {
    let shape = Shape::of(records, limits)?;
    layer::check(records, header, limits)?;
    let decode = |record| layer::decode(record, header, converter);
    let decoded: Vec<Result<Decoded, Error>> = match layer::bytes(records, header) {
        // Waking other threads would take longer.
        ..=SMALL => records.iter().map(decode).collect(),
        _ => records.par_iter().map(decode).collect(),
    };

    let mut open: Vec<Vec<Layer>> = Vec::new();
    let mut current = Vec::new();
    for (i, (record, decoded)) in records.iter().zip(decoded).enumerate() {
        let Decoded { kind, mask, notes } = decoded?;
        for (code, message) in notes.into_iter().chain(shape.note(i, record)) {
            let path = if notices.full() { Vec::new() } else { shape.path(i, records) };
            notices.push(code, path, message);
        }
        let kind = match record.divider {
            Divider::End => {
                if shape.partner[i].is_some() {
                    open.push(std::mem::take(&mut current));
                }
                continue;
            }
            Divider::Folder if shape.partner[i].is_some() => {
                let outer = open.pop().unwrap_or_default();
                LayerKind::Group(std::mem::replace(&mut current, outer))
            }
            Divider::Folder => LayerKind::Group(Vec::new()),
            Divider::Layer => kind,
        };
        current.push(Layer {
            id: record.id,
            name: record.name.clone(),
            visible: record.visible,
            opacity: record.opacity,
            fill: record.fill,
            blend: record.blend,
            clipping: record.clipping,
            mask,
            kind,
        });
    }
    Ok(current)
}

/// Which records belong together.
struct Shape {
    /// For a folder its end, for an end its folder; `None` for layers and where the other half is missing.
    partner: Vec<Option<usize>>,
    /// The folder each record lies in.
    parent: Vec<Option<usize>>,
}

impl Shape {
    fn of(records: &[Record], limits: &Limits) -> Result<Self, Error> {
        let mut partner = vec![None; records.len()];
        let mut ends = Vec::new();
        for (i, record) in records.iter().enumerate() {
            match record.divider {
                Divider::End => ends.push(i),
                Divider::Folder => {
                    if let Some(end) = ends.pop() {
                        partner[i] = Some(end);
                        partner[end] = Some(i);
                    }
                }
                Divider::Layer => {}
            }
        }
        let mut parent = vec![None; records.len()];
        let mut folders: Vec<usize> = Vec::new();
        for (i, record) in records.iter().enumerate() {
            match (record.divider, partner[i]) {
                (Divider::End, Some(folder)) => {
                    folders.push(folder);
                    Limits::check("the depth of folders", folders.len() as u64, limits.max_depth.into())?;
                }
                (Divider::Folder, Some(_)) => {
                    folders.pop();
                }
                _ => {}
            }
            parent[i] = folders.last().copied();
        }
        Ok(Self { partner, parent })
    }

    /// Names from the outermost folder to the record.
    fn path(&self, record: usize, records: &[Record]) -> Vec<String> {
        let climb = std::iter::successors(Some(record), |&i| self.parent[i]);
        let mut path: Vec<String> = climb.map(|i| records[i].name.clone()).collect();
        path.reverse();
        path
    }

    fn note(&self, i: usize, record: &Record) -> Option<(&'static str, String)> {
        let message = match (record.divider, self.partner[i]) {
            (Divider::End, None) => "the end of a folder has no folder and was left out",
            (Divider::Folder, None) => "a folder has no end: it was taken as empty",
            _ => return None,
        };
        Some(("folder-unbalanced", message.into()))
    }
}
