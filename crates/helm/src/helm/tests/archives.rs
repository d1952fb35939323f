//! Archives of charts: in `charts/`, in a folder beside, and hostile ones.

use std::{io::Write, sync::Arc};

use super::{files, offline, release, values};
use crate::{
    helm::{
        chart::{Chart, ChartFile, Content, Place, archives::Archives},
        render::render,
    },
    source::{FileId, Span},
};

/// One entry of a tar, whatever its path and kind.
fn entry(path: &str, kind: u8, content: &[u8]) -> Vec<u8> {
    let mut header = tar::Header::new_gnu();
    header.as_mut_bytes()[..path.len()].copy_from_slice(path.as_bytes());
    header.set_size(u64::try_from(content.len()).unwrap());
    header.set_mode(0o644);
    header.set_entry_type(tar::EntryType::new(kind));
    header.set_cksum();
    let mut bytes = header.as_bytes().to_vec();
    bytes.extend_from_slice(content);
    bytes.resize(bytes.len().next_multiple_of(512), 0);
    bytes
}

fn zipped(bytes: &[u8]) -> Vec<u8> {
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    zip.write_all(bytes).unwrap();
    zip.finish().unwrap()
}

/// An archive of a chart's files.
fn packed(name: &str, files: &[(&str, &str)]) -> Arc<[u8]> {
    let entries =
        files.iter().map(|(path, text)| entry(&format!("{name}/{path}"), b'0', text.as_bytes()));
    zipped(&entries.collect::<Vec<_>>().concat()).into()
}

/// An archive of a chart that prints its name, version and size.
fn chart(name: &str, version: &str, more: &str) -> Arc<[u8]> {
    let about = format!("apiVersion: v2\nname: {name}\nversion: {version}\n{more}");
    let text = "{{ .Chart.Name }} {{ .Chart.Version }} {{ .Values.size }}";
    packed(name, &[("Chart.yaml", &about), ("templates/a.yaml", text)])
}

#[test]
fn what_is_no_text_is_not_known() {
    let about = b"apiVersion: v2\nname: shop\nversion: 1.0.0\n".as_slice();
    let template = b"{{ .Files.Get \"key.bin\" | b64enc }}".as_slice();
    let all: [(&str, &[u8]); 3] =
        [("Chart.yaml", about), ("templates/a.yaml", template), ("key.bin", b"\xff\xfe\x00a")];
    let entries = all.map(|(path, bytes)| entry(&format!("shop/{path}"), b'0', bytes));
    let chart = Chart::from_archive(&zipped(&entries.concat()), place()).unwrap();
    let rendering = render(&chart, &values(""), &release(), &offline());
    let text = rendering.files[0].text.as_ref().unwrap();
    assert_eq!(text.holes.len(), 1, "{:?}", text.text);
}

fn place() -> Span {
    Span::new(FileId(50), 3, 9)
}

/// What a chart prints, by its templates in order.
fn shown(chart: &Chart) -> Vec<String> {
    let rendering = render(chart, &values(""), &release(), &offline());
    let mut texts: Vec<String> =
        rendering.files.into_iter().map(|it| it.text.unwrap().text.to_string()).collect();
    texts.sort();
    texts
}

#[test]
fn archives_are_unpacked() {
    let mut all = files(&[("values.yaml", "db: {size: 7}")]);
    all.push(ChartFile {
        path: "charts/db-1.0.0.tgz".to_owned(),
        content: Content::Bytes(chart("db", "1.0.0", "")),
        place: Place::File(FileId(50)),
    });
    let chart = Chart::load(all).unwrap();
    assert!(chart.problems.is_empty());
    assert_eq!(shown(&chart), ["db 1.0.0 7"]);
}

#[test]
fn dependencies_are_found_by_name_and_range() {
    let archives = Archives::new([
        ("db-1.0.0.tgz".to_owned(), chart("db", "1.0.0", "")),
        ("folder/db-1.10.0.tgz".to_owned(), chart("db", "1.10.0", "")),
        ("db-1.9.0.tgz".to_owned(), chart("db", "1.9.0", "")),
        ("db-2.0.0-rc.1.tgz".to_owned(), chart("db", "2.0.0-rc.1", "")),
        ("db-proxy-1.20.0.tgz".to_owned(), chart("db-proxy", "1.20.0", "")),
        ("cache-1.0.0.tgz".to_owned(), chart("other", "1.0.0", "")),
        ("queue-1.0.0.tgz".to_owned(), b"no archive".as_slice().into()),
        ("README.md".to_owned(), b"db-1.0.0".as_slice().into()),
    ]);
    let cases = [
        ("db", "^1.0.0", Some(Ok("1.10.0"))),
        ("db", "1.9.0", Some(Ok("1.9.0"))),
        ("db", "", Some(Ok("1.10.0"))),
        ("db", ">=2.0.0-0", Some(Ok("2.0.0-rc.1"))),
        ("db", ">=2", None),
        ("db-proxy", "1.x", Some(Ok("1.20.0"))),
        ("proxy", "*", None),
        ("cache", "*", Some(Err("cache-1.0.0.tgz holds the chart other 1.0.0"))),
        ("queue", "*", Some(Err("not an archive: invalid gzip header"))),
    ];
    for (name, range, expected) in cases {
        let found = archives.find(name, range, place());
        let found = found.map(|it| it.map(|it| it.metadata.version).map_err(|it| it.message));
        let expected = expected.map(|it| it.map(str::to_owned).map_err(str::to_owned));
        assert_eq!(found, expected, "{name} {range}");
    }
}

#[test]
fn a_chart_is_completed_with_what_its_dependencies_need() {
    let inner = "dependencies: [{name: disk, version: 1.x}]\n";
    let again = "dependencies: [{name: shop, version: 1.x}, {name: disk, version: 1.x}]\n";
    let archives = Archives::new([
        ("db-1.0.0.tgz".to_owned(), chart("db", "1.0.0", inner)),
        ("disk-1.0.0.tgz".to_owned(), chart("disk", "1.0.0", "")),
        ("disk-1.1.0.tgz".to_owned(), chart("disk", "1.1.0", "")),
        ("broken-1.0.0.tgz".to_owned(), b"no archive".as_slice().into()),
        // It needs itself, without end.
        ("shop-1.0.0.tgz".to_owned(), chart("shop", "1.0.0", again)),
    ]);
    let about = "apiVersion: v2
name: web
version: 1.0.0
dependencies:
  - {name: db, version: ^1.0.0}
  - {name: db, version: 1.0.0, alias: orders, condition: orders.enabled}
  - {name: absent, version: 1.x}
  - {name: broken, version: 1.x}
";
    let given = [
        ("Chart.yaml", about),
        ("values.yaml", "db: {size: 7, disk: {size: 1}}\norders: {enabled: false}"),
    ];
    let mut chart = Chart::load(files(&given)).unwrap();
    chart.complete(&archives);
    assert_eq!(shown(&chart), ["db 1.0.0 7", "disk 1.1.0 1"]);
    let missing: Vec<&str> = chart.missing().into_iter().map(|it| &*it.name).collect();
    assert_eq!(missing, ["absent", "broken"]);
    let problems: Vec<&str> = chart.problems.iter().map(|it| &*it.message).collect();
    assert_eq!(problems, ["not an archive: invalid gzip header"]);
    assert_eq!(
        about.get(chart.problems[0].span.unwrap().range()),
        Some("{name: broken, version: 1.x}")
    );

    let endless = "name: web\nversion: 1.0.0\ndependencies: [{name: shop, version: 1.x}]\n";
    let mut chart = Chart::load(files(&[("Chart.yaml", endless)])).unwrap();
    chart.complete(&archives);
    assert!(shown(&chart).len() < 30);
}

/// Why an archive is refused.
fn refused(bytes: &[u8]) -> Option<String> {
    Chart::from_archive(bytes, place()).err().map(|it| it.message)
}

const NO_CHART: &str = "Chart.yaml file is missing";
const TOO_LARGE: &str = "any real chart";

#[test]
fn what_leads_out_of_an_archive_is_refused() {
    let cases = [
        ("shop/templates/a.yaml", NO_CHART),
        ("./shop//templates/./a.yaml", NO_CHART),
        ("shop/..hidden/a", NO_CHART),
        ("beside", NO_CHART),
        ("../shop/a", "chart illegally references parent directory"),
        ("shop\\..\\..\\a", "chart illegally references parent directory"),
        ("shop/../../etc/passwd", "chart illegally references parent directory"),
        ("/etc/passwd", "chart illegally contains absolute paths"),
        ("C:\\a", "chart illegally contains absolute paths"),
    ];
    for (path, expected) in cases {
        let found = refused(&zipped(&entry(path, b'0', b"x")));
        assert_eq!(found.as_deref(), Some(expected), "{path}");
    }
    let about = b"name: shop\nversion: 1.0.0\n";
    let odd = entry("./shop\\.//Chart.yaml", b'0', about);
    assert_eq!(refused(&zipped(&odd)), None);
}

#[test]
fn links_and_devices_are_refused() {
    for kind in b"123467" {
        let found = refused(&zipped(&entry("shop/a", *kind, b"")));
        let expected = if *kind == b'7' { NO_CHART } else { "chart contains a link or a device" };
        assert_eq!(found.as_deref(), Some(expected), "{}", char::from(*kind));
    }
    assert_eq!(refused(&zipped(&entry("shop/", b'5', b""))).as_deref(), Some(NO_CHART));
}

#[test]
fn bombs_are_refused() {
    let one = zipped(&entry("shop/a", b'0', &vec![0; 9 << 20]));
    assert!(refused(&one).unwrap().contains(TOO_LARGE));
    let many = entry("shop/a", b'0', b"").repeat(10_001);
    assert!(refused(&zipped(&many)).unwrap().contains(TOO_LARGE));
    // 84 MB in a few kilobytes.
    let part = entry("shop/a", b'0', &vec![0; 7 << 20]);
    let mut zip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    for _ in 0..12 {
        zip.write_all(&part).unwrap();
    }
    let bytes = zip.finish().unwrap();
    assert!(bytes.len() < 1 << 20);
    assert!(refused(&bytes).unwrap().contains(TOO_LARGE));
}

#[test]
fn any_bytes_are_survived() {
    let whole = chart("shop", "1.0.0", "");
    for at in 0..whole.len() {
        let mut broken = whole.to_vec();
        broken[at] ^= 0x55;
        let _ = refused(&broken);
        let _ = refused(&whole[..at]);
    }
    assert!(refused(b"").is_some() && refused(b"no archive").is_some());
}
