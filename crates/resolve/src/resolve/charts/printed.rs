//! Charts that another program renders: what is said of the objects that it prints.

use crate::{
    findings::subject::Rendered,
    resolve::{
        charts::{
            folders::{ChartFolders, is_template},
            parts::part,
            uses::uses,
        },
        kubernetes::{Located, part::Part},
        release::Release,
    },
    source::Files,
};

impl ChartFolders {
    /// From which dependency of a printed chart a template is, by the name that Helm gives it.
    pub(in crate::resolve) fn printed_part(&self, folder: &str, template: &str) -> Option<Part> {
        let chart = &self.printed.iter().find(|it| it.folder == folder)?.chart;
        part(chart, &chart.values, template)
    }

    /// Marks what printed charts make that others may install with other values.
    pub fn mark_printed(&self, files: &Files, releases: &[Release], objects: &mut [Located]) {
        for chart in &self.printed {
            if uses(chart, releases).iter().any(|it| it.rendered != Rendered::Anybody) {
                continue;
            }
            let is_own = |it: &&mut Located| {
                let path = files.get(it.header.file).path();
                let own = match &*chart.folder {
                    "" => Some(path),
                    folder => path.strip_prefix(folder).and_then(|it| it.strip_prefix('/')),
                };
                own.is_some_and(|path| it.holder.is_printed || is_template(path))
            };
            for it in objects.iter_mut().filter(is_own) {
                it.holder.rendered = Some(Rendered::Anybody);
            }
        }
    }
}
