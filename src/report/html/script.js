const findings = [...document.querySelectorAll("article")];
const search = document.querySelector("#search");
const group = document.querySelector("#group");
const list = document.querySelector("#findings");
const nothing = document.querySelector(".nothing");
const kinds = [...document.querySelectorAll("[name=kind]")];

function show() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = new Set(kinds.filter((it) => it.checked).map((it) => it.value));
  const groups = new Map();
  for (const finding of findings) {
    const text = finding.textContent.toLowerCase();
    if (!wanted.has(finding.dataset.kind) || !words.every((it) => text.includes(it))) continue;
    const name = finding.dataset[group.value];
    groups.set(name, [...(groups.get(name) ?? []), finding]);
  }
  const parts = [...groups].map(([name, own]) => {
    const title = document.createElement("h2");
    title.textContent = `${name} (${own.length})`;
    const section = document.createElement("section");
    section.append(title, ...own);
    return section;
  });
  list.replaceChildren(...parts);
  nothing.hidden = groups.size > 0;
}

search.addEventListener("input", show);
group.addEventListener("change", show);
kinds.forEach((it) => it.addEventListener("change", show));
show();
