//! The first start of a sample world with a past: what the plane begins with, and how far that has come.

use std::io;

use devplane::Initial;
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::HistoryError;
use super::record::{self, Record};
use crate::plane::Folder;
use crate::plane::folder::write_private;
use crate::sample::{Files, RECORD_FILE, SampleError, World};

/// The past of a data directory's sample world.
#[derive(Clone, Debug)]
pub struct Past {
    /// When it ends: at the first start.
    pub end: Timestamp,
    /// Whether all of it is on the plane.
    complete: bool,
    /// [`Record::world`] of the record.
    world: String,
}

/// Content of the file that says so.
#[derive(Serialize, Deserialize)]
struct Kept {
    end: Timestamp,
    complete: bool,
    world: String,
}

impl Past {
    /// Returns the past of a data directory. It begins in a new one if it is `wanted` and the sample world has one.
    ///
    /// # Errors
    /// If the directory can't be used, or an interrupted first start can't be completed.
    pub fn of(folder: &Folder, world: &World, files: &Files, wanted: bool, now: Timestamp) -> Result<Option<Self>, HistoryError> {
        let known = match std::fs::read_to_string(folder.history()) {
            Ok(text) => serde_json::from_str(&text).ok(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) => return Err(HistoryError::Folder(error)),
        };
        if let Some(Kept { end, complete, world }) = known {
            return Ok(Some(Self { end, complete, world }));
        }
        if !wanted || folder.plane().exists() {
            return Ok(None);
        }
        let Some(record) = Record::read(files)? else { return Ok(None) };
        if record.world != record::fingerprint(world, files)? {
            tracing::warn!("the sample world starts without its history, which was recorded in another world; {}", record::REMEDY);
            return Ok(None);
        }
        let end = Timestamp::from_second(now.as_second()).unwrap_or(now);
        let past = Self { end, complete: false, world: record.world };
        past.keep(folder)?;
        Ok(Some(past))
    }

    /// Returns the objects that the plane at `url` begins with: none once they have been written.
    ///
    /// # Errors
    /// If the record can't be read, or is no longer the one with which an interrupted first start began.
    pub fn initial(&self, files: &Files, url: &str) -> Result<Vec<Initial>, SampleError> {
        if self.complete {
            return Ok(Vec::new());
        }
        Ok(self.record(files, url)?.into_initial())
    }

    /// Reads the record as this directory has it.
    pub(super) fn record(&self, files: &Files, url: &str) -> Result<Record, SampleError> {
        let lost = || SampleError::File {
            file: RECORD_FILE.to_owned(),
            message: "isn't the record with which this data directory began; remove the directory and start again".to_owned(),
        };
        Record::read_moved(files, self.end, url)?.filter(|record| record.world == self.world).ok_or_else(lost)
    }

    /// Notes that all of it is on the plane.
    ///
    /// # Errors
    /// If the directory can't be written.
    pub fn completed(&mut self, folder: &Folder) -> Result<(), HistoryError> {
        if self.complete {
            return Ok(());
        }
        self.complete = true;
        self.keep(folder)
    }

    fn keep(&self, folder: &Folder) -> Result<(), HistoryError> {
        let kept = Kept { end: self.end, complete: self.complete, world: self.world.clone() };
        let text = serde_json::to_string(&kept).unwrap_or_default();
        write_private(&folder.history(), &text).map_err(HistoryError::Folder)
    }
}
