//! `karplint upgrade`: the way to another version, step by step.

use std::path::{Path, PathBuf};

use crate::{
    cli::{
        args::Upgrade,
        exit::{CLEAN, FOUND},
        fixing::save,
        output::{Streams, write_file},
        scope,
    },
    findings::Safety,
    fix::{self, Fixed},
    load::{self, Loaded, Manner},
    project::{Project, boundary::Boundary},
    report::{plural, way::DisplayPaths},
    upgrade::{goal::Goal, plan::plan, render::render, rewrite::take_first_step, shown::Plan, way},
};

/// A project with the ways of its Karpenters.
struct Job {
    project: Project,
    upgrades: Vec<way::Upgrade>,
    fixed: Vec<Fixed>,
}

/// Prints the plan or makes the edits of its first step, and returns the exit code.
///
/// # Errors
/// A sentence saying why the work could not be done.
pub(super) fn run(asked: &Upgrade, output: &mut Streams) -> Result<u8, String> {
    let goal = Goal::read(asked.to.as_deref(), asked.kubernetes.as_deref())?;
    let here = scope::working_directory()?;
    let boundaries = Boundary::around_all(&asked.paths).map_err(|error| error.to_string())?;
    let manner = Manner { config: asked.config.as_ref(), here: Some(&here), ..Manner::default() };
    let loaded = load::all(&boundaries, manner)?;
    output.remark(&scope::warnings(&loaded));
    let jobs = loaded.into_iter().map(|it| work(asked, &goal, it));
    let jobs = jobs.collect::<Result<Vec<Job>, String>>()?;
    let shown = |job: &Job, fixed: &Fixed| {
        let way = DisplayPaths::new(&job.project.root, &here);
        way.shown(job.project.files.get(fixed.id).path())
    };
    if asked.diff {
        let of_file = |job: &Job, it: &Fixed| {
            fix::diff(&shown(job, it), &it.before, job.project.files.get(it.id).text())
        };
        let diff = |job: &Job| job.fixed.iter().map(|it| of_file(job, it)).collect::<String>();
        let text: String = jobs.iter().map(diff).collect();
        output.print(&text)?;
        return Ok(if text.is_empty() { CLEAN } else { FOUND });
    }
    let fixed = jobs.iter().flat_map(|job| job.fixed.iter().map(|it| (&job.project, it)));
    save(fixed, |project, id| {
        DisplayPaths::new(&project.root, &here).shown(project.files.get(id).path())
    })?;
    let parts = jobs.iter().map(|it| (&it.project, it.upgrades.as_slice())).collect();
    let shown_plan = Plan { parts, here: &here };
    let text = render(&shown_plan, asked.format, output.look(asked.output.is_some()));
    print((asked.output.as_ref(), &here), &text, output)?;
    let fixed = jobs.iter().flat_map(|job| job.fixed.iter().map(|it| shown(job, it)));
    let fixed: Vec<String> = fixed.collect();
    if !fixed.is_empty() {
        let count = plural(fixed.len(), "file");
        output.remark(&format!("changed {count}: {}\n", fixed.join(", ")));
    }
    let changes: usize = jobs.iter().flat_map(|it| &it.upgrades).map(way::Upgrade::changes).sum();
    Ok(if changes > 0 { FOUND } else { CLEAN })
}

fn work(asked: &Upgrade, goal: &Goal, loaded: Loaded) -> Result<Job, String> {
    let Loaded { mut project, config, .. } = loaded;
    if !(asked.fix || asked.unsafe_fixes || asked.diff) {
        let upgrades = plan(&project, &config, goal)?;
        return Ok(Job { project, upgrades, fixed: Vec::new() });
    }
    let safety = if asked.unsafe_fixes { Safety::Unsafe } else { Safety::Safe };
    let (upgrades, fixed) = take_first_step(&mut project, &config, goal, safety)?;
    Ok(Job { project, upgrades, fixed })
}

fn print(
    (file, here): (Option<&PathBuf>, &Path),
    text: &str,
    output: &mut Streams,
) -> Result<(), String> {
    match file {
        Some(path) => write_file(path, here, text),
        None => output.print(text),
    }
}
