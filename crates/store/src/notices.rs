//! What went wrong without failing anything.

use std::mem::discriminant;
use std::sync::{Mutex, PoisonError};

use crate::error::Error;

/// A trouble that did not stop the work, to be told to the user once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Notice {
    /// What the consequence is.
    pub trouble: Trouble,
    /// The first error of its kind.
    pub error: Error,
    /// How many operations were hit.
    pub count: u64,
}

/// The consequence of an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// Something could not be read there and was taken from elsewhere, or is made again.
    NotRead,
    /// Something was not kept there; later builds will make it again.
    NotKept,
    /// Something could not be kept and lives in memory until the process ends.
    KeptInMemory,
}

impl std::fmt::Display for Notice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let what = match self.trouble {
            Trouble::NotRead => "reads were answered without it",
            Trouble::NotKept => "results were not kept",
            Trouble::KeptInMemory => "results are kept in memory only",
        };
        write!(f, "{} ({} {what})", self.error, self.count)
    }
}

#[derive(Debug, Default)]
pub(crate) struct Notices {
    list: Mutex<Vec<Notice>>,
}

impl Notices {
    pub(crate) fn add(&self, trouble: Trouble, error: Error) {
        let mut list = self.list.lock().unwrap_or_else(PoisonError::into_inner);
        // One line for each trouble of a place, however many blobs it concerns.
        let is_like = |notice: &Notice| notice.trouble == trouble && is_of_one_place(&notice.error, &error);
        match list.iter_mut().find(|notice| is_like(notice)) {
            Some(notice) => notice.count += 1,
            None => list.push(Notice { trouble, error, count: 1 }),
        }
    }

    pub(crate) fn take(&self) -> Vec<Notice> {
        std::mem::take(&mut self.list.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

fn is_of_one_place(a: &Error, b: &Error) -> bool {
    discriminant(a) == discriminant(b) && a.place() == b.place()
}
