//! Where the error summary links to, if a problem is about several fields or about one that isn't rendered.

use std::collections::BTreeMap;

use super::control::Control;
use super::field::{Field, Form};
use crate::path::Path;

impl Form {
    /// Lets problems about several fields link to the first of them that has a control, instead of the group around them or no field at
    /// all. `involved` are the fields of such problems, by message.
    pub fn point_at(&mut self, involved: &BTreeMap<String, Vec<Path>>) {
        if involved.is_empty() {
            return;
        }
        let fields = self.fields();
        let is_control = |field: &&&Field| field.visible && field.locked.is_none() && !matches!(field.control, Control::Group { .. });
        let controls: BTreeMap<String, String> =
            fields.iter().filter(is_control).map(|field| (field.path.clone(), field.id.clone())).collect();
        for line in &mut self.summary {
            let at_control = controls.values().any(|id| *id == line.target);
            let first = involved
                .get(&line.message)
                .filter(|_| !at_control)
                .and_then(|paths| paths.iter().find_map(|path| controls.get(&path.to_string())));
            if let Some(target) = first {
                line.target.clone_from(target);
            }
        }
    }

    /// Returns the id of the innermost field around a path.
    pub(super) fn around(&self, path: &Path) -> Option<String> {
        let around = |field: &&Field| Path::parse(&field.path).is_ok_and(|at| !at.0.is_empty() && path.starts_with(&at));
        let fields = self.fields();
        let around = fields.into_iter().filter(|field| field.visible && around(field));
        around.max_by_key(|field| field.path.len()).map(|field| field.id.clone())
    }
}
