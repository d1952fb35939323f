"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const OUTCOMES = ["not-on-karpenter", "never", "one-by-one", "drained", "forced-after", "blocked", "killed", "unknown"];
  const WORDS = { "not-on-karpenter": "not on Karpenter", never: "never", "one-by-one": "one by one", drained: "drained", "forced-after": "forced", blocked: "blocked", killed: "killed", unknown: "not known" };
  const SIGNS = { "not-on-karpenter": "–", never: "–", "one-by-one": "✓", drained: "✓", "forced-after": "◑", blocked: "■", killed: "✕", unknown: "?" };
  const MEANS = {
    "not-on-karpenter": "The pods are on no node of Karpenter's.", never: "The event does not come.", "one-by-one": "The pods are evicted as fast as their PodDisruptionBudget lets them go.",
    drained: "The pods are evicted and have their time to stop.", "forced-after": "The pods are evicted by force when a time is over.", blocked: "The pods stay until somebody acts.",
    killed: "The pods end with their node, or before they have stopped.", unknown: "This is not known from the repository.",
  };
  const KINDS = { node_group: "node group", fargate: "Fargate profile", node_pool: "NodePool" };
  const STEP = 100; // Rows that are drawn at a time.
  const CARDS = 24; // Cards of pods on a map.
  const $ = (id) => document.getElementById(id);
  const state = { view: location.hash.slice(1) || data.view, cluster: 0, namespace: "", taker: "", event: "", outcome: "", words: "", rows: STEP };

  // An editor that shows the page opens places itself.
  const editor = typeof acquireVsCodeApi === "function" ? acquireVsCodeApi() : null;

  /** An element; texts are only ever texts. */
  const el = (tag, attributes, ...children) => {
    const node = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) {
      if (key === "on") for (const [name, handler] of Object.entries(value)) node.addEventListener(name, handler);
      else if (value !== null && value !== undefined && value !== false) node.setAttribute(key, value === true ? "" : value);
    }
    node.append(...children.flat(Infinity).filter((it) => it !== null && it !== undefined && it !== ""));
    return node;
  };
  const plural = (count, word) => `${count.toLocaleString("en")} ${word}${count === 1 ? "" : "s"}`;
  const clusters = data.clusters;
  const cluster = () => clusters[state.cluster];
  const place = ([file, line]) => {
    const path = data.files[file];
    return el("a", { class: "place", href: `${data.links[file]}#L${line}`, "data-path": path, "data-line": line }, `${path}:${line}`);
  };
  const name = (it) => (it.u ? el("span", { class: "unknown-value", title: "not known" }, `? ${it.n}`) : it.n);
  const title = (it) => (it.s ? `${it.s}/${it.n}` : it.u ? `? ${it.n}` : it.n);
  /** A text with its code marked up. */
  const words = (text) => {
    const parts = text.split("`");
    return parts.length % 2 ? parts.map((it, index) => (index % 2 ? el("code", {}, it) : it)) : [text];
  };
  const fates = (it) => cluster().fates[it.f];
  const answers = (it) => cluster().answers[it.a];
  const outcome = (it, event) => OUTCOMES[fates(it)[event][0]];

  const matches = (it) => {
    if (state.namespace && it.s !== state.namespace) return false;
    if (state.taker !== "" && ![0, 2].includes(answers(it)[state.taker][0])) return false;
    if (state.outcome && !data.events.some((_, event) => (state.event === "" || +state.event === event) && outcome(it, event) === state.outcome)) return false;
    return state.words.every((word) => `${title(it)} ${it.k}`.toLowerCase().includes(word));
  };
  const pods = () => cluster().pods.filter(matches);

  /** What is alike by a key, in the order of the first of each. */
  const alike = (list, key) => {
    const groups = new Map();
    for (const it of list) {
      const own = key(it);
      if (!groups.has(own)) groups.set(own, []);
      groups.get(own).push(it);
    }
    return [...groups.values()];
  };
  const named = (group, most = 3) => {
    const names = group.slice(0, most).map(title);
    return group.length > most ? `${names.join(", ")} and ${(group.length - most).toLocaleString("en")} more` : names.join(", ");
  };

  // The detail at the bottom of the page, and what it was opened from.
  let opener = null;
  const close = () => {
    $("detail").hidden = true;
    if (opener) {
      opener.setAttribute("aria-pressed", "false");
      opener.focus();
    }
    opener = null;
    light(null);
  };
  const detail = (from, heading, ...content) => {
    if (opener && opener !== from) opener.setAttribute("aria-pressed", "false");
    opener = from;
    from.setAttribute("aria-pressed", "true");
    $("detail").replaceChildren(el("h3", { tabindex: "-1" }, heading), el("button", { class: "close", "aria-label": "Close", on: { click: close } }, "✕"), ...content);
    $("detail").hidden = false;
  };
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && !$("detail").hidden) close();
  });

  const list = (group, most = 60) => [
    el("ul", {}, group.slice(0, most).map((it) => el("li", {}, title(it), " ", el("small", {}, it.k), " ", place(it.p)))),
    group.length > most ? el("p", {}, `and ${(group.length - most).toLocaleString("en")} more; filters narrow them down`) : null,
  ];
  const takes = (answer) =>
    el("ul", {}, cluster().takers.map((taker, index) => {
      const [kind, reason, at] = answer[index];
      const word = ["can run on ", "cannot run on ", "may run on "][kind];
      if (!word) return null;
      return el("li", {}, word, el("b", {}, name(taker)), ` (${KINDS[taker.k]})`, reason === undefined ? "" : [": ", words(data.texts[reason]), " ", at ? place(at) : ""]);
    }));

  // The tiles on top.
  const tiles = () => {
    const all = cluster().pods;
    const some = (wanted) => all.filter((it) => data.events.some((_, event) => outcome(it, event) === wanted)).length;
    const nowhere = all.filter((it) => answers(it).length && answers(it).every((answer) => answer[0] === 1)).length;
    const keep = all.filter((it) => it.d).length;
    const tile = (count, text, tone, act) => el("button", { class: `tile ${count ? tone : ""}`, on: { click: act } }, el("b", {}, count.toLocaleString("en")), el("span", {}, text));
    const show = (wanted) => () => go({ view: "disruption", outcome: wanted, event: "" });
    return el("div", { class: "tiles" },
      tile(all.length, `workloads, ${keep.toLocaleString("en")} keep data`, "", () => go({ view: "disruption", outcome: "" })),
      tile(nowhere, "have no node to run on", "bad", () => go({ view: "map" })),
      tile(some("killed"), "killed by some event", "bad", show("killed")),
      tile(some("blocked"), "hold some event up for ever", "warn", show("blocked")),
      tile(some("forced-after"), "forced out after a time", "", show("forced-after")),
      tile(some("unknown"), "not known for some event", "open", show("unknown")));
  };

  const bars = () => {
    const shown = pods();
    const rows = data.events.flatMap((event, index) => {
      const counts = OUTCOMES.map((it) => shown.filter((pod) => outcome(pod, index) === it).length);
      const parts = OUTCOMES.map((it, at) => counts[at] && el("i", { class: it, style: `flex:${counts[at]}`, title: `${WORDS[it]}: ${counts[at]}` }, counts[at] / shown.length > 0.05 ? `${counts[at]}` : ""));
      const label = OUTCOMES.map((it, at) => counts[at] && `${counts[at]} ${WORDS[it]}`).filter(Boolean).join(", ");
      return [el("span", {}, event.title), el("div", { class: "bar", role: "img", "aria-label": `${event.title}: ${label}` }, parts.filter(Boolean))];
    });
    const used = OUTCOMES.filter((it) => shown.some((pod) => data.events.some((_, event) => outcome(pod, event) === it)));
    return [el("div", { class: "bars" }, rows), el("ul", { class: "legend" }, used.map((it) => el("li", { class: it, title: MEANS[it] }, WORDS[it])))];
  };

  // The matrix of workloads and events.
  const matrix = () => {
    const shown = pods();
    if (!shown.length) return [el("p", { class: "nothing" }, "No workload is left by these filters.")];
    const single = shown.length <= 150;
    const space = (it) => (shown.length > 1000 ? "" : it.s);
    const signature = (it) => (single ? it : `${space(it)} ${fates(it).map((fate) => fate.slice(0, 2)).join(" ")} ${it.d}`);
    const weight = (it) => Math.max(...fates(it).map((fate) => [0, 1, 2, 3, 4, 6, 7, 5][fate[0]])) + (it.d ? 0.5 : 0);
    const groups = alike(shown, signature).sort((a, b) => weight(b[0]) - weight(a[0]));
    const columns = data.events.map((it, index) => [it, index]).filter(([, index]) => state.event === "" || +state.event === index);
    const body = el("tbody", {});
    for (const group of groups.slice(0, state.rows)) body.append(row(group, columns));
    const more = groups.length - state.rows;
    return [
      el("div", { class: "wide" }, el("table", { class: "matrix" }, el("caption", { hidden: true }, "What each event does with the pods of each workload"),
        el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "workload"), columns.map(([it]) => el("th", { scope: "col", title: it.means }, it.title)))), body)),
      more > 0 ? el("button", { class: "more", on: { click: () => { state.rows += STEP; draw(); } } }, `Show ${Math.min(more, STEP)} more of ${more.toLocaleString("en")}`) : null,
    ];
  };
  const spaceOf = (group) => {
    const spaces = new Set(group.map((it) => it.s));
    return spaces.size > 1 ? `in ${plural(spaces.size, "namespace")}: ` : group[0].s ? `in ${group[0].s}: ` : "";
  };
  const row = (group, columns) => {
    const first = group[0];
    const single = group.length === 1;
    const line = el("tr", {}, el("th", { scope: "row" }, single ? name(first) : plural(group.length, "workload"), first.d ? el("span", { class: "keep" }, "keeps data") : null,
      el("small", {}, single ? [first.k, first.s ? ` in ${first.s}, ` : ", ", place(first.p)] : `${spaceOf(group)}${group.slice(0, 3).map((it) => it.n).join(", ")}${group.length > 3 ? " …" : ""}`)));
    let open = null;
    for (const [event, index] of columns) {
      const [code, after, because] = fates(first)[index];
      const word = OUTCOMES[code];
      const text = after === null ? WORDS[word] : `after ${data.texts[after]}`;
      const button = el("button", { class: `cell ${word}`, "aria-expanded": "false", "aria-label": `${title(first)}, ${event.title}: ${text}` }, el("span", { "aria-hidden": "true" }, `${SIGNS[word]} `), text);
      button.addEventListener("click", () => {
        const was = open;
        if (open) {
          open.button.setAttribute("aria-expanded", "false");
          open.line.remove();
          open = null;
        }
        if (was && was.button === button) return;
        button.setAttribute("aria-expanded", "true");
        const why = el("tr", { class: "why" }, el("td", { colspan: columns.length + 1 },
          el("p", {}, el("b", {}, `${event.title}: ${text}. `), MEANS[word], single ? "" : ` For example ${title(first)}:`),
          el("ul", {}, because.map(([words_, at]) => el("li", {}, words(data.texts[words_]), " ", place(at)))),
          single ? null : el("details", { class: "also" }, el("summary", {}, `the ${plural(group.length, "workload")}`), list(group))));
        line.after(why);
        open = { button, line: why };
      });
      line.append(el("td", { "data-event": event.title }, button));
    }
    return line;
  };

  // The map: pods, what takes them, and the classes of these.
  let edges = [];
  const light = (node) => {
    const map = document.querySelector(".map");
    if (!map) return;
    const near = new Set([node]);
    for (const it of edges) {
      if (it.from === node || it.to === node) near.add(it.from).add(it.to);
    }
    for (const it of map.querySelectorAll(".card")) it.classList.toggle("dim", node !== null && !near.has(it));
    for (const it of edges) {
      const own = it.from === node || it.to === node;
      it.path.classList.toggle("dim", node !== null && !own);
      it.path.classList.toggle("lit", own);
    }
  };
  const map = () => {
    const { takers } = cluster();
    const shown = pods();
    const agents = shown.filter((it) => it.g);
    const others = shown.filter((it) => !it.g);
    const bySpace = alike(others, (it) => `${it.s} ${it.a}`);
    let groups = bySpace.length > CARDS ? alike(others, (it) => it.a) : bySpace;
    groups.sort((a, b) => b.length - a.length);
    const left = groups.slice(CARDS).flat();
    groups = groups.slice(0, CARDS);
    edges = [];
    const card = (attributes, open, ...children) => {
      const node = el("button", { ...attributes, "aria-pressed": "false" }, ...children);
      node.addEventListener("click", () => (opener === node ? close() : (open(node), light(node))));
      node.addEventListener("mouseenter", () => opener || light(node));
      node.addEventListener("mouseleave", () => opener || light(null));
      node.addEventListener("focus", () => opener || light(node));
      node.addEventListener("blur", () => opener || light(null));
      return node;
    };
    const compact = takers.length > 14;
    const takerCards = takers.map((it, index) => {
      const own = agents.map((agent) => [agent, answers(agent)[index][0]]).filter(([, answer]) => answer < 3);
      const chips = own.slice(0, compact ? 3 : 8).map(([agent, answer]) => el("li", { class: `chip ${["", "no", "open"][answer]}`, title: ["runs on it", "cannot run on it", "may run on it"][answer] }, answer === 1 ? "no " : answer === 2 ? "? " : "", agent.n));
      if (own.length > chips.length) chips.push(el("li", { class: "chip" }, `${own.length - chips.length} more`));
      const tone = { node_group: "group", fargate: "fargate", node_pool: "pool" }[it.k];
      const guests = shown.filter((pod) => answers(pod)[index][0] === 0);
      return card({ class: `card ${tone} ${it.u ? "open" : ""}` }, (node) => detail(node, [name(it), ` (${KINDS[it.k]})`],
        el("p", {}, place(it.p), it.c ? [", class ", el("b", {}, it.c)] : ""),
        facts(it.facts), el("h3", {}, `${plural(guests.length, "workload")} can run on it`), list(guests)),
      el("b", {}, name(it)), el("small", {}, `${KINDS[it.k]}, ${plural(guests.length, "workload")}`), compact ? null : it.facts.slice(0, 2).map(([head, text]) => el("small", {}, `${head}: ${text}`)),
      chips.length ? el("ul", { class: "chips", "aria-label": "agents" }, chips) : null);
    });
    const podCards = groups.map((group) => {
      const answer = answers(group[0]);
      const spaces = new Set(group.map((it) => it.s));
      const where = spaces.size === 1 ? group[0].s || "namespace not written" : plural(spaces.size, "namespace");
      const yes = takers.filter((_, index) => answer[index][0] === 0);
      const maybe = takers.filter((_, index) => answer[index][0] === 2);
      const lost = !yes.length && !maybe.length && takers.length > 0;
      const keep = group.filter((it) => it.d).length;
      return card({ class: `card ${lost ? "none" : ""} ${!yes.length && maybe.length ? "open" : ""}` },
        (node) => detail(node, group.length === 1 ? title(group[0]) : `${plural(group.length, "workload")} in ${where}`, takes(answer), el("h3", {}, plural(group.length, "workload")), list(group)),
        el("b", {}, group.length === 1 ? group[0].n : plural(group.length, "workload")), el("small", {}, `${where}${keep ? `, ${keep === group.length ? "keeps data" : `${keep} keep data`}` : ""}`),
        group.length > 1 ? el("small", {}, group.slice(0, 3).map((it) => it.n).join(", ") + (group.length > 3 ? " …" : "")) : null,
        el("ul", { class: "chips", "aria-label": "can run on" }, lost ? el("li", { class: "chip no" }, "nothing takes them") : [yes.slice(0, 4).map((it) => el("li", { class: "chip" }, it.n)), yes.length > 4 ? el("li", { class: "chip" }, `${yes.length - 4} more`) : null, maybe.slice(0, 3).map((it) => el("li", { class: "chip open" }, `? ${it.n}`))]));
    });
    const classes = [...new Set(takers.map((it) => it.c).filter(Boolean))];
    const classCards = classes.map((it) => {
      const known = cluster().classes.find((other) => other.n === it);
      return card({ class: "card class" }, (node) => detail(node, `EC2NodeClass ${it}`, known ? [el("p", {}, place(known.p)), facts(known.facts)] : el("p", {}, "This class is not in the repository.")),
        el("b", {}, it), el("small", {}, known ? "EC2NodeClass" : "class, not in the repository"));
    });
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    picture.setAttribute("aria-hidden", "true");
    const lane = (text, cards) => el("div", { class: "lane", role: "group", "aria-label": text }, el("p", {}, text), cards);
    const root = el("div", { class: "map" }, lane("pods", podCards), lane("can run on", takerCards), classCards.length ? lane("of class", classCards) : "", picture);
    const join = (from, to, kind) => {
      const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
      path.setAttribute("class", kind);
      picture.append(path);
      edges.push({ from, to, path });
    };
    groups.forEach((group, at) => answers(group[0]).forEach(([answer], index) => {
      if (answer === 0 || answer === 2) join(podCards[at], takerCards[index], answer === 2 ? "open" : takers[index].k === "node_pool" ? "" : "other");
    }));
    takers.forEach((it, index) => it.c && join(takerCards[index], classCards[classes.indexOf(it.c)], "class"));
    const rest = left.length ? el("p", { class: "sub" }, `${plural(left.length, "workload")} more: ${named(left)}. Filters show them.`) : null;
    return [el("p", { class: "sub" }, "Hover or choose a card to follow its lines; dotted lines and hatched cards are not decided. Small labels are the agents (DaemonSets) of the nodes."), root, rest].filter(Boolean);
  };
  const route = () => {
    const root = document.querySelector(".map");
    if (!root || getComputedStyle(root).display === "block") return;
    const base = root.getBoundingClientRect();
    for (const { from, to, path } of edges) {
      const a = from.getBoundingClientRect();
      const b = to.getBoundingClientRect();
      const [x1, y1, x2, y2] = [a.right - base.left, a.top + a.height / 2 - base.top, b.left - base.left, b.top + b.height / 2 - base.top];
      const half = (x2 - x1) / 2;
      path.setAttribute("d", `M${x1} ${y1}C${x1 + half} ${y1} ${x2 - half} ${y2} ${x2} ${y2}`);
    }
  };
  new ResizeObserver(route).observe(document.body);

  const facts = (list_) => el("table", { class: "facts" }, el("tbody", {}, list_.map(([head, text]) => el("tr", {}, el("th", { scope: "row" }, head), el("td", {}, text)))));
  const overview = () => [
    el("p", { class: "sub" }, cluster().head),
    ...cluster().lists.map((list_) => [
      el("h3", {}, `${list_.title} ${list_.rows.length}`),
      el("div", { class: "wide" }, el("table", { class: "facts" }, el("thead", {}, el("tr", {}, list_.heads.map((it) => el("th", { scope: "col" }, it)))),
        el("tbody", {}, list_.rows.slice(0, 200).map(([at, cells]) => el("tr", {}, cells.map((it, index) => el("td", { "data-head": index ? list_.heads[index] : null }, index ? it : el("b", {}, it))), el("td", {}, place(at))))))),
      list_.rows.length > 200 ? el("p", { class: "sub" }, `and ${list_.rows.length - 200} more`) : "",
    ]).flat(),
  ];

  const VIEWS = { overview, map: () => [...map()], disruption: () => [...bars(), ...matrix()], order: () => [] };
  const draw = () => {
    for (const tab of document.querySelectorAll("[role=tab]")) {
      const own = tab.dataset.view === state.view;
      tab.setAttribute("aria-selected", own);
      tab.tabIndex = own ? 0 : -1;
    }
    for (const it of document.querySelectorAll("[data-filter]")) it.hidden = !it.dataset.filter.split(" ").includes(state.view);
    if (clusters.length < 2) $("cluster").parentElement.hidden = true;
    $("order").hidden = state.view !== "order";
    $("view").hidden = state.view === "order";
    if (!$("detail").hidden) close();
    if (!clusters.length) return $("view").replaceChildren(el("p", { class: "nothing" }, "No cluster, no Karpenter and none of its resources are here."));
    const heading = [el("h2", {}, cluster().title), el("p", { class: "sub" }, state.view === "overview" ? "" : cluster().head)];
    $("view").replaceChildren(...heading, ...(cluster().pods.length ? [tiles()] : []), ...VIEWS[state.view]().filter(Boolean));
    requestAnimationFrame(route);
  };
  const fill = (select, options) => {
    select.replaceChildren(...options.map(([value, text]) => el("option", { value }, text)));
  };
  const filters = () => {
    fill($("cluster"), clusters.map((it, index) => [index, it.title]));
    if (!clusters.length) return;
    const spaces = [...new Set(cluster().pods.map((it) => it.s).filter(Boolean))].sort();
    fill($("namespace"), [["", "all namespaces"], ...spaces.map((it) => [it, it])]);
    fill($("taker"), [["", "all nodes"], ...cluster().takers.map((it, index) => [index, `${it.n} (${KINDS[it.k]})`])]);
    fill($("event"), [["", "all events"], ...data.events.map((it, index) => [index, it.title])]);
    fill($("outcome"), [["", "all outcomes"], ...OUTCOMES.map((it) => [it, WORDS[it]])]);
  };
  const go = (change) => {
    Object.assign(state, { rows: STEP }, change);
    for (const key of ["namespace", "taker", "event", "outcome"]) $(key).value = state[key];
    if ("view" in change && !editor) history.replaceState(null, "", `#${state.view}`);
    draw();
  };
  for (const key of ["namespace", "taker", "event", "outcome"]) $(key).addEventListener("change", () => go({ [key]: $(key).value }));
  $("cluster").addEventListener("change", () => {
    Object.assign(state, { cluster: +$("cluster").value, namespace: "", taker: "", event: "", outcome: "" });
    filters();
    draw();
  });
  $("search").addEventListener("input", () => go({ words: $("search").value.toLowerCase().split(/\s+/).filter(Boolean) }));
  const tabs = [...document.querySelectorAll("[role=tab]")];
  tabs.forEach((tab, index) => {
    tab.addEventListener("click", () => go({ view: tab.dataset.view }));
    tab.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!step) return;
      const next = tabs[(index + step + tabs.length) % tabs.length];
      next.focus();
      next.click();
    });
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest && event.target.closest("[data-path]");
    if (!link || !editor) return;
    event.preventDefault();
    editor.postMessage({ path: link.dataset.path, line: Number(link.dataset.line) });
  });
  state.words = [];
  if (!(state.view in VIEWS)) state.view = data.view;
  filters();
  draw();
})();
