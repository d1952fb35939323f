//! The HTML page in a real browser: what it shows, finds and loads, and whether it can be read.

use std::{fs, process::Command};

use karplint::report::html;
use serde_json::Value;

use super::{
    hostile::{self, PATH, WORDS},
    outcome, with_report,
};

/// The browser's names on the systems tests run on.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "chrome"];

pub(crate) fn browser() -> Option<&'static str> {
    let starts =
        |it: &&str| Command::new(it).arg("--version").output().is_ok_and(|it| it.status.success());
    let browser = BROWSERS.into_iter().find(starts);
    let why = || "there is no browser to open the HTML page with".to_owned();
    karplint_test_tools::found("chromium", browser.ok_or_else(why))
}

/// What a script finds out in the page. It gives `tell` a value when it is done.
pub(crate) fn told(browser: &str, page: &str, script: &str, more: &[&str]) -> Value {
    // Browsers in a snap see nothing of `/tmp`.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let path = folder.path().join("page.html");
    let watch = "<script>window.wrong = []; addEventListener('error', (it) => wrong.push(String(it.message)), true); \
                 addEventListener('securitypolicyviolation', (it) => wrong.push(it.blockedURI));</script>";
    let tell = "const tell = (it) => { const end = document.createElement('pre'); end.id = 'told'; \
                end.textContent = encodeURIComponent(JSON.stringify(it)); document.documentElement.append(end); };";
    let page = page.replacen("<head>", &format!("<head>{watch}"), 1);
    let end = page.rfind("</body>").unwrap();
    fs::write(
        &path,
        format!("{}<script>{{{tell}\n{script}}}</script>{}", &page[..end], &page[end..]),
    )
    .unwrap();
    let output = Command::new(browser)
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"])
        .args(["--allow-file-access-from-files", "--virtual-time-budget=5000", "--dump-dom"])
        .arg(format!("--user-data-dir={}", folder.path().join("profile").display()))
        .args(more)
        .arg(format!("file://{}", path.display()))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    let told = text.rsplit_once("<pre id=\"told\">").and_then(|it| it.1.split_once("</pre>"));
    assert!(told.is_some(), "the script told nothing: {text}");
    let (told, _) = told.unwrap();
    let mut bytes = Vec::new();
    let mut rest = told.bytes();
    while let Some(byte) = rest.next() {
        let mut digit = || char::from(rest.next().unwrap()).to_digit(16).unwrap();
        bytes.push(if byte == b'%' { u8::try_from(digit() * 16 + digit()).unwrap() } else { byte });
    }
    serde_json::from_slice(&bytes).unwrap()
}

#[test]
fn the_search_shows_what_matches_and_nothing_else() {
    let Some(browser) = browser() else { return };
    let page = with_report(outcome, html::render);
    let script = "
        const titles = () => [...document.querySelectorAll('article h3')].map((it) => it.textContent);
        const groups = () => [...document.querySelectorAll('h2')].map((it) => it.textContent);
        const type = (words) => {
            const search = document.querySelector('#search');
            search.value = words;
            search.dispatchEvent(new Event('input'));
            return titles();
        };
        const all = titles(), by_file = groups();
        const found = ['  RIGHT far ', 'skip_crds', 'main.tf several', 'no such words'].map(type);
        const nothing = !document.querySelector('.nothing').hidden;
        const again = type('');
        const notes = document.querySelector('[name=kind][value=note]');
        notes.click();
        const without_notes = titles();
        const group = document.querySelector('#group');
        group.value = 'rule';
        group.dispatchEvent(new Event('change'));
        const seen = document.querySelector('.nothing').checkVisibility();
        tell({ all, by_file, found, nothing, again, without_notes, by_rule: groups(), seen, wrong });";
    let told = told(browser, &page, script, &[]);
    let count = |it: &Value| it.as_array().unwrap().len();
    assert_eq!(told["wrong"], Value::Array(Vec::new()));
    assert_eq!((count(&told["all"]), &told["again"]), (6, &told["all"]));
    assert_eq!(told["by_file"][1], "empty.yaml (1)");
    let found: Vec<usize> = told["found"].as_array().unwrap().iter().map(count).collect();
    assert_eq!(found, [1, 2, 1, 0], "{told}");
    assert_eq!(told["found"][0][0], "error A place far to the right");
    assert_eq!((&told["nothing"], &told["seen"]), (&true.into(), &false.into()));
    assert_eq!((count(&told["without_notes"]), count(&told["by_rule"])), (4, 1));
}

#[test]
fn nothing_hostile_runs_and_nothing_is_loaded() {
    let Some(browser) = browser() else { return };
    let page = hostile::rendered(html::render);
    let script = "
        const titles = [...document.querySelectorAll('article h3')].map((it) => it.textContent);
        const places = [...document.querySelectorAll('.where')].map((it) => it.textContent);
        const search = document.querySelector('#search');
        search.value = '&AMP; ONERROR';
        search.dispatchEvent(new Event('input'));
        const strange = [...document.querySelectorAll('img, iframe, link, object, [onerror]')].map((it) => it.outerHTML);
        const links = [...new Set([...document.querySelectorAll('[href]')].map((it) => it.href))];
        const loaded = performance.getEntriesByType('resource').map((it) => it.name);
        tell({ titles, places, strange, links, loaded, wrong, found: document.querySelectorAll('article').length,
               scripts: document.scripts.length, hacked: window.hacked ?? 0 });";
    let told = told(browser, &page, script, &[]);
    for name in ["strange", "loaded", "wrong"] {
        assert_eq!(told[name], Value::Array(Vec::new()), "{name}");
    }
    // The page's own, and the two of this test.
    assert_eq!((&told["scripts"], &told["hacked"]), (&3.into(), &0.into()));
    // Its own, and those that show its line.
    assert_eq!(told["found"], 5);
    let links = told["links"].as_array().unwrap();
    let known = |it: &Value| it.as_str().unwrap().starts_with("https://github.com/karplint/");
    assert!(links.iter().all(known), "{links:?}");
    // A page may break lines where it likes, and hides what would steer a terminal.
    let plain = |it: &str| {
        it.replace(
            [
                '`', '\n', '\r', '\u{fffd}', '\0', '\u{7}', '\u{1b}', '\u{9b}', '\u{202e}',
                '\u{2028}',
            ],
            "",
        )
    };
    let titles = told["titles"].as_array().unwrap();
    assert_eq!(titles.len(), WORDS.len());
    for (title, words) in titles.iter().zip(WORDS) {
        assert_eq!(plain(title.as_str().unwrap()), format!("error {}", plain(words)));
    }
    let place = told["places"][0].as_str().unwrap();
    let path = PATH.replace('\u{2028}', "\u{fffd}");
    assert!(place.starts_with(&format!("{path}:1:1 ")), "{place}");
}

/// The least contrast of any text with what is behind it, as the guidelines for accessible pages count it.
const CONTRAST: &str = "
    const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true });
    const rgba = (color) => {
        canvas.clearRect(0, 0, 1, 1);
        canvas.fillStyle = color;
        canvas.fillRect(0, 0, 1, 1);
        return [...canvas.getImageData(0, 0, 1, 1).data];
    };
    const light = (color) => {
        const part = (it) => (it /= 255) <= 0.04045 ? it / 12.92 : ((it + 0.055) / 1.055) ** 2.4;
        const [r, g, b] = rgba(color).map(part);
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const behind = (it) => {
        const own = getComputedStyle(it).backgroundColor;
        return rgba(own)[3] > 0 || !it.parentElement ? own : behind(it.parentElement);
    };
    let least = [99, ''];
    for (const it of document.querySelectorAll('body *')) {
        const text = [...it.childNodes].some((it) => it.nodeType === 3 && it.data.trim());
        if (!text || !it.checkVisibility() || it.closest('script, option')) continue;
        const [a, b] = [light(getComputedStyle(it).color), light(behind(it))].sort((a, b) => b - a);
        const ratio = (a + 0.05) / (b + 0.05);
        if (ratio < least[0]) least = [ratio, it.outerHTML.slice(0, 200)];
    }
    tell({ least: least[0], where: least[1], dark: matchMedia('(prefers-color-scheme: dark)').matches });";

#[test]
fn the_page_can_be_read_by_day_and_by_night() {
    let Some(browser) = browser() else { return };
    let page = with_report(outcome, html::render);
    for (dark, flags) in [(false, &[][..]), (true, &["--force-dark-mode"][..])] {
        let told = told(browser, &page, CONTRAST, flags);
        assert_eq!(told["dark"], dark);
        assert!(told["least"].as_f64().unwrap() >= 4.5, "{told}");
    }
}

#[test]
fn the_page_fits_a_telephone() {
    let Some(browser) = browser() else { return };
    for page in [with_report(outcome, html::render), hostile::rendered(html::render)] {
        // A window has a least width, a frame has none.
        let page = page.replace("default-src 'none'", "default-src 'none'; frame-src *");
        let script = "
            if (window === top) {
                const frame = document.createElement('iframe');
                frame.style.width = '340px';
                frame.onload = () => {
                    const root = frame.contentDocument.documentElement;
                    tell([root.clientWidth, root.scrollWidth]);
                };
                frame.src = location.href;
                document.body.append(frame);
            }";
        let told = told(browser, &page, script, &[]);
        let widths: Vec<u64> =
            told.as_array().unwrap().iter().map(|it| it.as_u64().unwrap()).collect();
        assert!((300..=340).contains(&widths[0]) && widths[1] <= widths[0], "{widths:?}");
    }
}
