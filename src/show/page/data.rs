//! What the page's script draws, as compact data.

use std::collections::HashMap;

use serde::Serialize;

use crate::{
    findings::note::Note,
    inventory::Item,
    model::disruption::{Event, Fate, Fates, Outcome},
    project::Project,
    report::markup::{percent_encoded, visible},
    show::{
        landing::{Answer, Landing, PodsView, TakerView},
        overview::{ClusterView, ListKind, cells::cell, table::Table},
        page::{
            strings::{At, Strings},
            views::Views,
        },
    },
    source::Span,
    value::Value,
};

#[derive(Serialize)]
struct PageData {
    view: &'static str,
    events: Vec<EventData>,
    clusters: Vec<ClusterData>,
    files: Vec<String>,
    links: Vec<String>,
    texts: Vec<String>,
}

#[derive(Serialize)]
struct EventData {
    title: &'static str,
    means: &'static str,
}

#[derive(Serialize)]
struct ClusterData {
    title: String,
    head: String,
    lists: Vec<ListData>,
    takers: Vec<TakerData>,
    classes: Vec<ClassData>,
    pods: Vec<PodsData>,
    answers: Vec<Vec<AnswerData>>,
    fates: Vec<Vec<FateData>>,
}

/// A list of things: its columns, and each with its place.
#[derive(Serialize)]
struct ListData {
    title: &'static str,
    heads: Vec<&'static str>,
    rows: Vec<(At, Vec<String>)>,
}

/// What is known of a thing, as headings and words.
type Facts = Vec<(&'static str, String)>;

#[derive(Serialize)]
struct TakerData {
    /// Its name, and whether that is not known.
    n: String,
    u: bool,
    k: &'static str,
    p: At,
    /// Its class.
    c: Option<String>,
    facts: Facts,
}

#[derive(Serialize)]
struct ClassData {
    n: String,
    p: At,
    facts: Facts,
}

#[derive(Serialize)]
struct PodsData {
    n: String,
    u: bool,
    /// Their namespace; empty if it is not known.
    s: String,
    k: String,
    p: At,
    /// Whether they keep data.
    d: bool,
    /// Whether they are agents.
    g: bool,
    /// Their answers and fates, by number.
    a: usize,
    f: usize,
}

/// 0 takes, 1 refuses, 2 undecided, 3 apart; then why and where.
#[derive(Serialize)]
#[serde(untagged)]
enum AnswerData {
    Plain([usize; 1]),
    Because(usize, usize, At),
}

/// The outcome by number, the time, and why.
#[derive(Serialize)]
struct FateData(usize, Option<usize>, Vec<(usize, At)>);

/// What each event is, for people who do not know its word.
fn means(event: Event) -> &'static str {
    match event {
        Event::Consolidation => "Karpenter removes or replaces a node to save money",
        Event::Drift => "The node is not what its pool and class say any more",
        Event::Expiration => "The node is as old as expireAfter lets it be",
        Event::Interruption => "A spot interruption, or scheduled maintenance",
        Event::Health => "Karpenter's node auto repair",
        Event::Deletion => "kubectl delete node, or of its NodeClaim",
        Event::PoolRemoval => "The NodePool is deleted",
    }
}

/// The order of outcomes in the script.
const OUTCOMES: [Outcome; 8] = [
    Outcome::NotOnKarpenter,
    Outcome::Never,
    Outcome::OneByOne,
    Outcome::Drained,
    Outcome::ForcedAfter,
    Outcome::Blocked,
    Outcome::Killed,
    Outcome::Unknown,
];

/// How people call a cluster: its name, or where it is.
pub(super) fn title(cluster: &ClusterView<'_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let folder = shown(cluster.project, &cluster.folder);
    let folder = if folder.is_empty() { "." } else { folder.trim_end_matches('/') };
    match cell(&cluster.name) {
        name if name.starts_with('?') => format!("cluster in {}", visible(folder)),
        name => name,
    }
}

/// The data for a script element: nothing in it ends the element.
pub(super) fn json(views: &Views<'_, '_>, shown: &dyn Fn(&Project, &str) -> String) -> String {
    let mut gathered =
        Gathered { shown, files: Strings::default(), links: Vec::new(), texts: Strings::default() };
    let clusters = views.clusters.iter().map(|cluster| {
        let same = |it: &&Landing<'_>| {
            it.folder == cluster.folder && cell(&it.name) == cell(&cluster.name)
        };
        gathered.cluster(cluster, views.landings.iter().find(same))
    });
    let clusters = clusters.collect();
    let event = |it: Event| EventData { title: it.title(), means: means(it) };
    let data = PageData {
        view: views.first,
        events: Event::ALL.map(event).into(),
        clusters,
        files: gathered.files.into_list(),
        links: gathered.links,
        texts: gathered.texts.into_list(),
    };
    serde_json::to_string(&data).unwrap_or_default().replace('<', "\\u003c")
}

struct Gathered<'s> {
    shown: &'s dyn Fn(&Project, &str) -> String,
    files: Strings,
    links: Vec<String>,
    texts: Strings,
}

impl Gathered<'_> {
    fn at(&mut self, project: &Project, span: Span) -> At {
        let file = project.files.get(span.file);
        let line = file.line_of(span.start as usize) + 1;
        let path = (self.shown)(project, file.path());
        let number = self.files.number(&visible(&path));
        if number == self.links.len() {
            self.links.push(percent_encoded(&path));
        }
        At(number, line)
    }

    fn cluster(&mut self, cluster: &ClusterView<'_>, landing: Option<&Landing<'_>>) -> ClusterData {
        let project = cluster.project;
        let lists = cluster.lists.iter().filter(|it| !it.1.is_empty());
        let lists = lists.map(|(kind, items)| {
            let (heads, cells) = rows(*kind, items);
            let places = items.iter().map(|it| self.at(project, it.span));
            let rows = places.zip(cells).collect();
            ListData { title: kind.title(), heads, rows }
        });
        let lists = lists.collect();
        let mut data = ClusterData {
            title: title(cluster, self.shown),
            head: head(cluster),
            lists,
            takers: Vec::new(),
            classes: self.classes(cluster),
            pods: Vec::new(),
            answers: Vec::new(),
            fates: Vec::new(),
        };
        if let Some(landing) = landing {
            data.takers = landing.takers.iter().map(|it| self.taker(cluster, it)).collect();
            self.pods(landing, &mut data);
        }
        data
    }

    fn classes(&mut self, cluster: &ClusterView<'_>) -> Vec<ClassData> {
        let items = cluster.lists.iter().filter(|it| it.0 == ListKind::NodeClasses);
        let items = items.flat_map(|it| &it.1);
        let class = |it: &Item| ClassData {
            n: it.get("name").map(cell).unwrap_or_default(),
            p: self.at(cluster.project, it.span),
            facts: facts(ListKind::NodeClasses, it),
        };
        items.map(class).collect()
    }

    fn taker(&mut self, cluster: &ClusterView<'_>, taker: &TakerView) -> TakerData {
        let own = cluster.lists.iter().find_map(|(kind, items)| {
            let is_of_nodes = matches!(kind, ListKind::NodeGroups | ListKind::NodePools);
            let item = items.iter().find(|it| is_of_nodes && it.span == taker.span)?;
            Some(facts(*kind, item))
        });
        TakerData {
            n: name(&taker.name),
            u: taker.name.as_str().is_none(),
            k: taker.kind.word(),
            p: self.at(cluster.project, taker.span),
            c: taker.class.as_ref().map(cell),
            facts: own.unwrap_or_default(),
        }
    }

    fn pods(&mut self, landing: &Landing<'_>, data: &mut ClusterData) {
        let mut answers: HashMap<&[Answer], usize> = HashMap::new();
        let mut by_place: HashMap<*const Answer, usize> = HashMap::new();
        let mut fates: HashMap<&Fates, usize> = HashMap::new();
        for pods in &landing.pods {
            let known = by_place.get(&pods.answers.as_ptr()).copied();
            let a = known.unwrap_or_else(|| {
                *answers.entry(&pods.answers).or_insert_with(|| {
                    let of = pods.answers.iter().map(|it| self.answer(landing, it)).collect();
                    data.answers.push(of);
                    data.answers.len() - 1
                })
            });
            by_place.insert(pods.answers.as_ptr(), a);
            let f = *fates.entry(&pods.fates).or_insert_with(|| {
                data.fates.push(pods.fates.0.iter().map(|it| self.fate(landing, it)).collect());
                data.fates.len() - 1
            });
            let pods = self.workload(landing, pods, (a, f));
            data.pods.push(pods);
        }
    }

    fn workload(
        &mut self,
        landing: &Landing<'_>,
        pods: &PodsView,
        (a, f): (usize, usize),
    ) -> PodsData {
        let of = |key: &str| pods.item.get(key);
        PodsData {
            n: of("name").map(name).unwrap_or_default(),
            u: of("name").and_then(Value::as_str).is_none(),
            s: of("namespace").and_then(Value::as_str).map(visible).unwrap_or_default(),
            k: pods.kind(),
            p: self.at(landing.project, pods.item.span),
            d: pods.is_stateful,
            g: pods.are_agents,
            a,
            f,
        }
    }

    fn answer(&mut self, landing: &Landing<'_>, answer: &Answer) -> AnswerData {
        let mut because = |kind: usize, note: &Note| {
            let text = self.texts.number(&visible(&note.message));
            AnswerData::Because(kind, text, self.at(landing.project, note.span))
        };
        match answer {
            Answer::Takes => AnswerData::Plain([0]),
            Answer::Refuses(note) => because(1, note),
            Answer::Undecided(note) => because(2, note),
            Answer::Apart => AnswerData::Plain([3]),
        }
    }

    fn fate(&mut self, landing: &Landing<'_>, fate: &Fate) -> FateData {
        let outcome = OUTCOMES.iter().position(|it| *it == fate.outcome).unwrap_or_default();
        let after = fate.after.as_ref().map(|it| self.texts.number(&visible(it)));
        let because = fate.because.iter().map(|it| {
            let text = self.texts.number(&visible(&it.message));
            (text, self.at(landing.project, it.span))
        });
        FateData(outcome, after, because.collect())
    }
}

fn name(value: &Value) -> String {
    let words = cell(value);
    words.trim_start_matches("? ").to_owned()
}

/// The columns of a list, and its rows without their places.
fn rows(kind: ListKind, items: &[Item]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let table = Table::of(kind, items, &|_| String::new());
    let mut rows = table.rows;
    for row in &mut rows {
        row.pop();
    }
    (table.headings, rows)
}

fn facts(kind: ListKind, item: &Item) -> Facts {
    let (heads, mut rows) = rows(kind, std::slice::from_ref(item));
    let row = rows.pop().unwrap_or_default();
    heads.into_iter().zip(row).skip(1).filter(|it| !it.1.is_empty()).collect()
}

/// The versions of a cluster in a sentence.
fn head(cluster: &ClusterView<'_>) -> String {
    let kubernetes = format!("Kubernetes {}", cell(&cluster.kubernetes_version));
    let Some(karpenter) = &cluster.karpenter else {
        return format!("{kubernetes} · no Karpenter here");
    };
    let of = |key: &str| karpenter.get(key).map(cell).unwrap_or_default();
    format!("{kubernetes} · Karpenter {} in {}", of("version"), of("namespace"))
}
