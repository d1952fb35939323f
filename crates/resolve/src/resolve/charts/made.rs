//! What one use of a chart makes.

use std::sync::Arc;

use crate::{
    engine::{fault::RenderError, render::RenderedFile},
    findings::subject::Subject,
    resolve::{
        charts::uses::Use,
        gitops,
        kubernetes::{self, Located, Object},
    },
    source::Span,
    syntax::yaml,
    value::Value,
};

/// What one use of a chart makes.
#[derive(Debug, Default)]
pub struct Made {
    /// The objects.
    pub objects: Vec<Located>,
    /// Those of `GitOps` tools.
    pub of_tools: Vec<Located>,
    /// What fails, each call once.
    pub errors: Vec<RenderError>,
}

impl Made {
    /// Reads the objects of rendered files.
    pub(super) fn of(rendered: Vec<RenderedFile>, usage: &Use) -> Self {
        let mut made = Self::default();
        for file in rendered {
            // A chart that is only perhaps installed is not judged, nor is what only prints notes.
            if file.doubt.is_some() || file.name.ends_with("NOTES.txt") {
                continue;
            }
            match file.text {
                Ok(text) => {
                    let start = file.file.map_or(usage.place, |it| Span::new(it, 0, 0));
                    let documents = yaml::parse_literal(&text, start).values;
                    made.add(documents.iter().flat_map(kubernetes::objects), usage);
                }
                Err(error) => made.errors.push(error),
            }
        }
        // One call that fails may be in the way of many files.
        made.errors.sort_by_key(|it| it.span);
        made.errors.dedup_by_key(|it| it.span);
        made
    }

    fn add(&mut self, objects: impl Iterator<Item = Object>, usage: &Use) {
        for object in objects.filter(|it| !is_test(it)) {
            let of_tool = gitops::is_of_interest(&object);
            let list = if of_tool { &mut self.of_tools } else { &mut self.objects };
            list.push(located(object, usage));
        }
    }
}

fn located(object: Object, usage: &Use) -> Located {
    let header = object.report_span();
    Located {
        object,
        root: usage.scope.root,
        node: None,
        folder: Arc::clone(&usage.scope.folder),
        cluster: usage.scope.cluster,
        header,
        holder: Subject { instance: usage.instance.clone(), ..Subject::default() },
        is_off: false,
    }
}

/// Whether an object is applied only by `helm test`.
fn is_test(object: &Object) -> bool {
    let annotations = object.value.get("metadata").get("annotations");
    let hooks = annotations.get("helm.sh/hook").present().and_then(Value::as_str);
    hooks.is_some_and(|it| it.split(',').any(|it| it.trim().starts_with("test")))
}
