//! All views as one self-contained page: nothing is loaded from elsewhere, which the page forbids the browser
//! too, and names are only ever texts.

mod data;
mod strings;
pub(super) mod views;

use crate::{
    project::Project,
    report::{html::STYLE, markup::xml},
    show::{
        page::views::Views,
        picture::{self, PICTURE},
    },
};

/// Only what is in the page.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; \
                      base-uri 'none'; form-action 'none'";
const OWN_STYLE: &str = include_str!("page/page.css");
const SCRIPT: &str = include_str!("page/page.js");
/// The views of the page, each with its name.
const VIEWS: [(&str, &str); 4] =
    [("overview", "Overview"), ("map", "Map"), ("disruption", "Events"), ("order", "Order")];
/// What narrows a view down: its id, its label, and the views it is for.
const FILTERS: [(&str, &str, &str); 5] = [
    ("cluster", "Cluster", "overview map disruption"),
    ("namespace", "Namespace", "map disruption"),
    ("taker", "Runs on", "map disruption"),
    ("event", "Event", "map disruption"),
    ("outcome", "Outcome", "map disruption"),
];

/// The page.
#[must_use]
pub(super) fn page(views: &Views<'_, '_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let named: Vec<String> = views.clusters.iter().map(|it| data::title(it, shown)).collect();
    let title = xml(&named.join(", ")).into_owned();
    let tab = |(view, name): &(&str, &str)| {
        format!("<button role=\"tab\" data-view=\"{view}\" aria-selected=\"false\">{name}</button>")
    };
    let tabs: String = VIEWS.iter().map(tab).collect();
    let filter = |(id, label, views): &(&str, &str, &str)| {
        format!(
            "<label data-filter=\"{views}\"><span>{label}</span> <select id=\"{id}\" \
             aria-label=\"{label}\"></select></label>\n"
        )
    };
    let filters: String = FILTERS.iter().map(filter).collect();
    let order = picture::body(views.order, shown);
    let data = data::json(views, shown);
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"{POLICY}\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <title>karplint: {title}</title>\n<style>\n{STYLE}{PICTURE}{OWN_STYLE}</style>\n</head>\n<body>\n\
         <header>\n<h1>karplint</h1>\n<p>Where pods can run, and what each event does to them</p>\n</header>\n\
         <nav aria-label=\"Views\">\n<div>\n<div role=\"tablist\">{tabs}</div>\n{filters}\
         <input type=\"search\" id=\"search\" placeholder=\"Find workloads\" aria-label=\"Find workloads\" \
         data-filter=\"map disruption\">\n</div>\n</nav>\n\
         <main>\n<noscript><p class=\"nothing\">Most of this page needs scripts, which are in it; \
         <code>karplint show</code> prints the same.</p></noscript>\n\
         <section id=\"view\" aria-live=\"polite\"></section>\n\
         <section id=\"order\">\n<h2>What is created after what</h2>\n{order}</section>\n\
         <section id=\"detail\" hidden></section>\n\
         <p class=\"sub\">Made by karplint {version} from the files of the repository alone: no cluster was \
         asked.</p>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}
