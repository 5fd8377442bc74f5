// One recorded attention as lines, as a matrix and as an overview of all heads, for a page of its own and for
// the widget of a notebook. `show(root, data, changed)` builds it into an element; `data` is what
// bertviz_app/trace/page.py writes. Rows are queries (they look), columns are keys (they are looked at).

const WORDS = {
  en: {
    lines: "Lines", matrix: "Matrix", overview: "Overview", layer: "Layer", head: "Head", heads: "Heads", all: "All",
    only: "Click: show or hide. Double click: only this head.", pairs: "Pairs", everyPair: "all",
    sentence: (n) => `sentence ${n}`, auto: "Theme: system", light: "Theme: light", dark: "Theme: dark", other: "한국어",
    looks: (t) => `What ${t} looks at`, seen: (t) => `What looks at ${t}`, mean: (n) => `mean of ${n} heads`,
    rank: (r, n) => `rank ${r} of ${n} in its row`, masked: "masked: cannot be looked at", query: "query", key: "key",
    rest: "Point at a token or a cell. Click to keep it; Esc lets go.", largest: "largest weight",
    scale: "Colours go from 0 to the largest weight of the head.", own: "Each head has its own scale. Click a head to open it.",
    keys: "← → head · ↑ ↓ layer · Shift with an arrow: next query or key · A all heads · L M O views · T theme · Esc",
    strongest: (n, all) => `The ${n} strongest of ${all} lines are drawn; point at a token to see all of its own.`,
    digits: "Weights are the recorded float32 numbers, written with 4 significant digits.",
    title: (m) => `Attention of ${m}`, sizes: (q, l) => `${q} tokens, ${l} layers`, cross: (q, k, l) => `${q} × ${k} tokens, ${l} layers`,
    leftOut: (n) => `${n} more tokens did not fit into the model`, image: "The image, with the weights as colours",
    average: "What all tokens look at, on average", patchHint: "Point at a patch for its weight. Click: what it looks at.",
    crossHint: "Point at a patch to see what looks at it. Click to keep it.",
  },
  ko: {
    lines: "연결선", matrix: "행렬", overview: "전체", layer: "레이어", head: "헤드", heads: "헤드", all: "모두",
    only: "클릭: 보이기·숨기기. 두 번 클릭: 이 헤드만 보기.", pairs: "쌍", everyPair: "모두",
    sentence: (n) => `문장 ${n}`, auto: "테마: 시스템", light: "테마: 밝게", dark: "테마: 어둡게", other: "English",
    looks: (t) => `${t}의 행: 보는 토큰`, seen: (t) => `${t}의 열: 이 토큰을 보는 토큰`, mean: (n) => `헤드 ${n}개의 평균`,
    rank: (r, n) => `행에서 ${n}개 중 ${r}위`, masked: "마스킹됨: 볼 수 없음", query: "쿼리", key: "키",
    rest: "토큰이나 칸에 포인터를 올리세요. 클릭하면 고정되고, Esc를 누르면 풀립니다.", largest: "가장 큰 가중치",
    scale: "색은 0부터 이 헤드의 가장 큰 가중치까지입니다.", own: "헤드마다 색의 범위가 다릅니다. 헤드를 클릭하면 열립니다.",
    keys: "← → 헤드 · ↑ ↓ 레이어 · Shift+화살표: 다음 쿼리·키 · A 모든 헤드 · L M O 보기 · T 테마 · Esc",
    strongest: (n, all) => `선 ${all}개 가운데 가장 강한 ${n}개를 그렸습니다. 토큰을 가리키면 그 토큰의 선이 모두 보입니다.`,
    digits: "가중치는 기록된 float32 값이며 유효 숫자 4자리로 적었습니다.",
    title: (m) => `${m}의 어텐션`, sizes: (q, l) => `토큰 ${q}개, 레이어 ${l}개`, cross: (q, k, l) => `토큰 ${q} × ${k}개, 레이어 ${l}개`,
    leftOut: (n) => `토큰 ${n}개는 모델에 들어가지 않음`, image: "가중치를 색으로 칠한 이미지",
    average: "모든 토큰이 보는 곳의 평균", patchHint: "패치에 포인터를 올리면 가중치가 나옵니다. 클릭하면 그 패치가 보는 곳이 나옵니다.",
    crossHint: "패치에 포인터를 올리면 그 패치를 보는 토큰이 나옵니다. 클릭하면 고정됩니다.",
  },
};
const VIEWS = ["lines", "matrix", "overview"];
const ROW = 24; // pixels of a token in the lines
const MOST_LINES = 5000; // of more only the strongest are drawn, which is said; a token that is pointed at has all

export function show(root, data, changed = () => {}) {
  return new Viewer(root, data, changed);
}

// What anywidget calls: the same view, with its selection in the notebook.
export default {
  render({ model, el }) {
    const data = { ...model.get("data"), weights: model.get("weights"), mask: model.get("mask") };
    let isOwn = false;
    const viewer = show(el, data, (selection) => {
      isOwn = true;
      model.set("selection", selection);
      model.save_changes();
      isOwn = false;
    });
    const follow = () => isOwn || viewer.select(model.get("selection"));
    model.on("change:selection", follow);
    return () => {
      model.off("change:selection", follow);
      viewer.close();
    };
  },
};

const bytesOf = (given) => {
  if (typeof given !== "string") return new Uint8Array(given.buffer.slice(given.byteOffset, given.byteOffset + given.byteLength));
  const letters = atob(given);
  const bytes = new Uint8Array(letters.length);
  for (let at = 0; at < letters.length; at++) bytes[at] = letters.charCodeAt(at);
  return bytes;
};

// 4 significant digits; the numbers are float32, so that no digit shown is a guess.
const digits = (weight) =>
  Number.isNaN(weight) ? "–" : weight === 0 ? "0" : Math.abs(weight) < 1e-4 ? weight.toExponential(3) : weight.toPrecision(4);

const element = (tag, className, text = "") => {
  const made = document.createElement(tag);
  made.className = className;
  made.textContent = text;
  return made;
};

const rgb = (hex) => [1, 3, 5].map((at) => parseInt(hex.slice(at, at + 2), 16));

// The 256 colours between the stops of a map.
const ramp = (stops) =>
  Array.from({ length: 256 }, (_, level) => {
    const at = (level / 255) * (stops.length - 1);
    const low = Math.min(Math.floor(at), stops.length - 2);
    const [from, to] = [rgb(stops[low]), rgb(stops[low + 1])];
    return from.map((part, i) => Math.round(part + (to[i] - part) * (at - low)));
  });

class Viewer {
  constructor(root, data, changed) {
    this.root = root;
    this.data = data;
    this.changed = changed;
    this.queries = data.queries;
    this.keys = data.keys ?? data.queries;
    this.weights = new Float32Array(bytesOf(data.weights).buffer);
    const mask = data.mask ? bytesOf(data.mask) : null;
    this.mask = mask?.length ? mask : null;
    this.language = data.language || (navigator.language.startsWith("ko") ? "ko" : "en");
    this.theme = data.theme || "auto";
    this.view = data.view;
    this.opened = data.view === "overview" ? "lines" : data.view;
    this.pairs = "all";
    this.layer = data.layer;
    this.selected = [...data.heads];
    this.head = this.selected[0];
    this.pointed = this.pinned = null; // { query, key }, either of which may be null
    this.offsets = new Map();
    let offset = 0;
    for (const [layer, heads] of data.layers)
      for (const head of heads) {
        this.offsets.set(`${layer}.${head}`, offset);
        offset += this.nQueries * this.nKeys;
      }
    this.system = matchMedia("(prefers-color-scheme: dark)");
    this.system.addEventListener("change", (this.restyle = () => this.draw()));
    const isPage = root.dataset.page !== undefined;
    this.keyTarget = isPage ? document : root;
    this.keyTarget.addEventListener("keydown", (this.press = (event) => this.onKey(event)));
    if (!isPage) {
      root.tabIndex = 0;
      root.dataset.lmSuppressShortcuts = "true"; // JupyterLab would take M for "make this cell Markdown"
    }
    addEventListener("resize", this.restyle);
    this.draw();
  }

  close() {
    this.system.removeEventListener("change", this.restyle);
    this.keyTarget.removeEventListener("keydown", this.press);
    removeEventListener("resize", this.restyle);
  }

  get nQueries() { return this.queries.labels.length; }
  get nKeys() { return this.keys.labels.length; }
  get words() { return WORDS[this.language]; }
  get active() { return this.pointed ?? this.pinned; }
  headsOf(layer) { return this.data.layers.find(([number]) => number === layer)[1]; }

  // [queries * keys], row by row
  of(layer, head) {
    const first = this.offsets.get(`${layer}.${head}`);
    return this.weights.subarray(first, first + this.nQueries * this.nKeys);
  }

  // The weight of a pair in the selected heads: their mean if they are several; of the matrix in its head.
  weight(query, key) {
    const heads = this.shownHeads();
    const sum = heads.reduce((total, head) => total + this.of(this.layer, head)[query * this.nKeys + key], 0);
    return sum / heads.length;
  }

  shownHeads() { return this.view === "matrix" ? [this.head] : this.selected; }
  isMasked(query, key) { return this.mask !== null && this.mask[query * this.nKeys + key] > 0; }

  isShown(query, key) {
    if (this.isMasked(query, key)) return false;
    if (this.pairs === "all") return true;
    const [from, to] = this.pairs.split("-").map(Number);
    return this.queries.sentences[query] === from && this.keys.sentences[key] === to;
  }

  // ---- what is selected

  tell() {
    const { query = null, key = null } = this.pinned ?? {};
    this.changed({ layer: this.layer, head: this.head, query, key });
  }

  select({ layer, head, query = null, key = null }) {
    if (this.offsets.has(`${layer}.${head}`)) {
      if (layer !== this.layer || head !== this.head) this.selected = [head];
      [this.layer, this.head] = [layer, head];
    }
    const within = (at, count) => (Number.isInteger(at) && at >= 0 && at < count ? at : null);
    const pair = { query: within(query, this.nQueries), key: within(key, this.nKeys) };
    this.pinned = pair.query === null && pair.key === null ? null : pair;
    this.pointed = null; // what is below the pointer is built anew, and never hears that it leaves
    this.draw();
  }

  goTo(layer, heads) {
    const there = this.headsOf(layer);
    const kept = heads.filter((head) => there.includes(head));
    this.layer = layer;
    this.selected = kept.length ? kept : [there[0]];
    if (!this.selected.includes(this.head)) this.head = this.selected[0];
    this.draw();
    this.tell();
  }

  toggle(head) {
    const rest = this.selected.filter((one) => one !== head);
    const heads = this.selected.includes(head) ? (rest.length ? rest : this.selected) : [...this.selected, head];
    this.head = heads.includes(head) ? head : heads[0];
    this.goTo(this.layer, heads.sort((a, b) => a - b));
  }

  only(head) {
    this.head = head;
    this.goTo(this.layer, [head]);
  }

  open(view) {
    this.view = view;
    if (view !== "overview") this.opened = view;
    if (view === "matrix" && !this.selected.includes(this.head)) this.head = this.selected[0];
    this.pointed = null;
    this.draw();
  }

  pin(pair) {
    const same = this.pinned && pair && this.pinned.query === pair.query && this.pinned.key === pair.key;
    this.pinned = same ? null : pair;
    this.light();
    this.tell();
  }

  point(pair) {
    this.pointed = pair;
    this.light();
  }

  onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "SELECT") return;
    const step = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
    const across = event.key === "ArrowLeft" || event.key === "ArrowRight";
    const letter = { l: "lines", m: "matrix", o: "overview" }[event.key.toLowerCase()];
    if (step && event.shiftKey) this.walkTokens(step, across);
    else if (step) this.walkHeads(step, across);
    else if (letter) this.open(letter);
    else if (event.key.toLowerCase() === "a") this.goTo(this.layer, this.headsOf(this.layer));
    else if (event.key.toLowerCase() === "t") this.nextTheme();
    else if (event.key === "Enter" && this.view === "overview" && event.target.tagName !== "BUTTON") this.open(this.opened);
    else if (event.key === "Escape") { this.pointed = null; this.pin(null); }
    else return;
    event.preventDefault();
  }

  walkHeads(step, across) {
    const layers = this.data.layers.map(([layer]) => layer);
    const of = across ? this.headsOf(this.layer) : layers;
    const next = of[(of.indexOf(across ? this.head : this.layer) + step + of.length) % of.length];
    if (across) this.only(next);
    else this.goTo(next, this.selected);
  }

  walkTokens(step, across) {
    const count = across ? this.nKeys : this.nQueries;
    const { query = null, key = null } = this.pinned ?? {};
    const from = across ? key : query;
    const next = from === null ? (step > 0 ? 0 : count - 1) : (from + step + count) % count;
    this.pin(across ? { query, key: next } : { query: next, key });
  }

  // ---- building

  get isDark() {
    const lab = document.body.dataset.jpThemeLight; // JupyterLab; VS Code has classes
    const host = lab ? lab === "false" : document.body.classList.contains("vscode-dark") || this.system.matches;
    return this.theme === "auto" ? host : this.theme === "dark";
  }

  nextTheme() {
    this.theme = { auto: "light", light: "dark", dark: "auto" }[this.theme];
    this.draw();
  }

  draw() {
    const { root, words } = this;
    const colours = (this.colours = this.data.themes[this.isDark ? "dark" : "light"]);
    for (const [name, colour] of Object.entries(colours))
      if (typeof colour === "string") root.style.setProperty(`--${name}`, colour);
    root.classList.add("bertviz-app");
    root.style.colorScheme = this.isDark ? "dark" : "light";
    root.lang = this.language;
    this.map = ramp(colours.weights);
    const layers = this.data.layers.length;
    const sizes = this.data.keys ? words.cross(this.nQueries, this.nKeys, layers) : words.sizes(this.nQueries, layers);
    const notes = [sizes, ...(this.data.left_out ? [words.leftOut(this.data.left_out)] : []), ...this.data.facts];
    const head = element("header", "");
    head.append(element("h1", "", words.title(this.data.model)), element("p", "secondary", notes.join(" · ")));
    this.figure = element("div", "figure");
    this.readOut = element("div", "read-out");
    this.readOut.setAttribute("aria-live", "polite");
    const body = element("div", "body");
    body.append(this.figure, this.readOut);
    const foot = element("footer", "secondary");
    foot.append(element("p", "", words.digits), element("p", "", words.keys));
    const focused = root.contains(document.activeElement) ? document.activeElement.dataset.name : null;
    root.replaceChildren(head, this.controls(), body, foot);
    if (focused) root.querySelector(`[data-name="${focused}"]`)?.focus();
    const light = { lines: () => this.buildLines(), matrix: () => this.buildMatrix(), overview: () => this.buildOverview() }[this.view]();
    const lightImage = this.data.image && this.view !== "overview" ? this.buildImage(body) : () => {};
    this.light = () => { light(); lightImage(); };
    this.light();
  }

  button(text, name, run, pressed = null) {
    const made = element("button", "", text);
    made.type = "button";
    made.dataset.name = name;
    if (pressed !== null) made.setAttribute("aria-pressed", pressed);
    made.addEventListener("click", run);
    return made;
  }

  choice(label, name, options, chosen, run) {
    const made = element("label", "", `${label} `);
    const select = element("select", "");
    select.dataset.name = name;
    for (const [value, text] of options) select.add(new Option(text, value, false, String(value) === String(chosen)));
    select.addEventListener("change", () => run(select.value));
    made.append(select);
    return made;
  }

  controls() {
    const { words } = this;
    const bar = element("div", "controls");
    const views = element("span", "group");
    for (const view of VIEWS) views.append(this.button(words[view], view, () => this.open(view), this.view === view));
    const layers = this.data.layers.map(([layer]) => [layer, layer]);
    bar.append(views, this.choice(words.layer, "layer", layers, this.layer, (layer) => this.goTo(Number(layer), this.selected)));
    if (this.view !== "overview") bar.append(this.headButtons());
    if (this.view === "lines" && this.pairChoices().length > 1)
      bar.append(this.choice(words.pairs, "pairs", this.pairChoices(), this.pairs, (pairs) => { this.pairs = pairs; this.draw(); }));
    const end = element("span", "group end");
    end.append(this.button(words[this.theme], "theme", () => this.nextTheme()));
    end.append(this.button(words.other, "language", () => { this.language = this.language === "en" ? "ko" : "en"; this.draw(); }));
    bar.append(end);
    return bar;
  }

  headButtons() {
    const group = element("span", "group heads");
    group.append(element("span", "", this.view === "matrix" ? this.words.head : this.words.heads));
    const isMatrix = this.view === "matrix";
    const all = this.headsOf(this.layer);
    for (const head of all) {
      const pressed = isMatrix ? head === this.head : this.selected.includes(head);
      const made = this.button(String(head), `head${head}`, () => (isMatrix ? this.only(head) : this.toggle(head)), pressed);
      made.style.setProperty("--head", this.headColour(head));
      made.setAttribute("aria-label", `${this.words.head} ${head}`);
      if (!isMatrix) {
        made.title = this.words.only;
        made.addEventListener("dblclick", () => this.only(head));
      }
      group.append(made);
    }
    if (!isMatrix && all.length > 1) group.append(this.button(this.words.all, "all", () => this.goTo(this.layer, all)));
    return group;
  }

  headColour(head) { return this.colours.heads[head % this.colours.heads.length]; }

  pairChoices() {
    const both = (tokens) => [...new Set(tokens.sentences)].filter((one) => one >= 0).sort();
    const found = both(this.queries).flatMap((from) => both(this.keys).map((to) => [from, to]));
    const text = ([from, to]) => [`${from}-${to}`, `${this.words.sentence(from + 1)} → ${this.words.sentence(to + 1)}`];
    return [["all", this.words.everyPair], ...(found.length > 1 ? found.map(text) : [])];
  }

  canvas(width, height, label) {
    const made = element("canvas", "");
    const scale = devicePixelRatio || 1;
    Object.assign(made, { width: Math.round(width * scale), height: Math.round(height * scale) });
    Object.assign(made.style, { width: `${width}px`, height: `${height}px` });
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", label);
    const pen = made.getContext("2d");
    pen.scale(scale, scale);
    pen.font = "12px system-ui, sans-serif";
    return [made, pen];
  }

  kindOf(tokens, at) { return { "-1": "special", 1: "second" }[tokens.sentences[at]] ?? "first"; }

  // ---- lines

  buildLines() {
    const width = Math.max(80, Math.min(240, this.figure.clientWidth - 400));
    const height = Math.max(this.nQueries, this.nKeys) * ROW;
    const [canvas, pen] = this.canvas(width, height, this.words.lines);
    const columns = [this.queries, this.keys].map((tokens, side) => {
      const column = element("div", `tokens ${side ? "keys" : "queries"}`);
      const items = tokens.labels.map((label, at) => {
        const item = element("div", `token ${this.kindOf(tokens, at)}`);
        item.append(element("span", "label", label), element("span", "strip"), element("span", "number"));
        item.title = label;
        const pair = side ? { query: null, key: at } : { query: at, key: null };
        item.addEventListener("pointerenter", () => this.point(pair));
        item.addEventListener("click", () => this.pin(pair));
        column.append(item);
        return item;
      });
      column.addEventListener("pointerleave", () => this.point(null));
      return [column, items];
    });
    this.figure.classList.add("lines");
    const note = element("p", "secondary note");
    this.figure.append(columns[0][0], canvas, columns[1][0], note);
    return () => {
      this.lightTokens(columns[0][1], columns[1][1]);
      this.drawLines(pen, width, height, note);
      this.tellRow();
    };
  }

  // The tokens beside the active one get a number and, for each head, a strip as strong as its weight.
  lightTokens(queryItems, keyItems) {
    const { query = null, key = null } = this.active ?? {};
    const light = (items, own, other, weightAt, shownAt) => items.forEach((item, at) => {
      item.classList.toggle("active", at === own);
      const isOther = other !== null && shownAt(at);
      item.querySelector(".number").textContent = isOther ? digits(weightAt(at)) : "";
      const strip = item.querySelector(".strip");
      strip.replaceChildren(...(isOther ? this.selected : []).map((head) => {
        const mark = element("i", "");
        const weights = this.of(this.layer, head);
        mark.style.background = this.headColour(head);
        mark.style.opacity = items === keyItems ? weights[other * this.nKeys + at] : weights[at * this.nKeys + other];
        return mark;
      }));
    });
    light(keyItems, key, query, (at) => this.weight(query, at), (at) => this.isShown(query, at));
    light(queryItems, query, query === null ? key : null, (at) => this.weight(at, key), (at) => this.isShown(at, key));
  }

  // [weight, head, query, key] of the lines that can be seen, the strongest first
  lines() {
    const { query = null, key = null } = this.active ?? {};
    const found = [];
    for (const head of this.selected) {
      const weights = this.of(this.layer, head);
      for (let i = 0; i < this.nQueries; i++) {
        if (query !== null && query !== i) continue;
        for (let j = 0; j < this.nKeys; j++) {
          const weight = weights[i * this.nKeys + j];
          const isOf = query !== null || key === null || key === j;
          if (isOf && weight >= 1 / 255 && this.isShown(i, j)) found.push([weight, head, i, j]);
        }
      }
    }
    return found.sort(([a], [b]) => b - a);
  }

  drawLines(pen, width, height, note) {
    const lines = this.lines();
    pen.clearRect(0, 0, width, height);
    pen.lineWidth = 2;
    for (const [weight, head, query, key] of lines.slice(0, MOST_LINES)) {
      const [from, to] = [(query + 0.5) * ROW, (key + 0.5) * ROW];
      pen.strokeStyle = this.headColour(head);
      pen.globalAlpha = Math.min(1, weight);
      pen.beginPath();
      pen.moveTo(0, from);
      pen.bezierCurveTo(width / 2, from, width / 2, to, width, to);
      pen.stroke();
    }
    note.textContent = lines.length > MOST_LINES ? this.words.strongest(MOST_LINES, lines.length) : "";
  }

  // ---- matrix

  buildMatrix() {
    const weights = this.of(this.layer, this.head);
    const highest = weights.reduce((most, weight) => (weight > most ? weight : most), 0);
    const pen = document.createElement("canvas").getContext("2d");
    pen.font = "12px system-ui, sans-serif";
    const longest = (tokens) => Math.ceil(Math.min(140, tokens.labels.reduce((most, label) => Math.max(most, pen.measureText(label).width), 0))) + 12;
    const [left, top] = [longest(this.queries), longest(this.keys)];
    const room = Math.max(320, this.figure.clientWidth - left - 32);
    const cell = Math.max(6, Math.min(36, Math.floor(room / this.nKeys)));
    const place = { left, top, cell, highest };
    const [canvas, ink] = this.canvas(left + this.nKeys * cell + 2, top + this.nQueries * cell + 2, this.words.matrix);
    const image = this.imageOf(weights, this.nQueries, this.nKeys, highest);
    canvas.addEventListener("pointermove", (event) => this.point(this.cellAt(event, place)));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("click", (event) => this.pin(this.cellAt(event, place)));
    this.figure.append(canvas, this.colourBar(highest));
    return () => {
      this.drawMatrix(ink, image, place);
      this.tellRow();
    };
  }

  cellAt(event, { left, top, cell }) {
    const column = Math.floor((event.offsetX - left) / cell);
    const row = Math.floor((event.offsetY - top) / cell);
    const query = event.offsetY >= top && row < this.nQueries ? row : null;
    const key = event.offsetX >= left && column < this.nKeys ? column : null;
    return query === null && key === null ? null : { query, key };
  }

  // A canvas with one pixel for each weight.
  imageOf(weights, rows, columns, highest) {
    const canvas = document.createElement("canvas");
    Object.assign(canvas, { width: columns, height: rows });
    const pixels = new ImageData(columns, rows);
    weights.forEach((weight, at) => {
      const level = highest > 0 ? Math.round(Math.max(0, Math.min(1, weight / highest)) * 255) || 0 : 0;
      pixels.data.set([...this.map[level], Number.isNaN(weight) ? 0 : 255], at * 4);
    });
    canvas.getContext("2d").putImageData(pixels, 0, 0);
    return canvas;
  }

  drawMatrix(pen, image, { left, top, cell, highest }) {
    const [width, height] = [this.nKeys * cell, this.nQueries * cell];
    const { query = null, key = null } = this.active ?? {};
    pen.clearRect(0, 0, left + width + 4, top + height + 4);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(image, left, top, width, height);
    this.hatch(pen, left, top, cell);
    pen.strokeStyle = this.colours.rule;
    pen.lineWidth = 1;
    pen.strokeRect(left + 0.5, top + 0.5, width, height);
    this.axis(pen, this.queries, query, (at) => [left - 6, top + (at + 0.5) * cell, 0], cell, left - 8);
    this.axis(pen, this.keys, key, (at) => [left + (at + 0.5) * cell, top - 6, Math.PI / 2], cell, top - 8);
    if (query !== null && cell >= 28) this.rowNumbers(pen, query, left, top, cell, highest);
    pen.lineWidth = 2;
    for (const [at, colour, box] of [
      [query, this.colours.query, [left, top + query * cell, width, cell]],
      [key, this.colours.key, [left + key * cell, top, cell, height]],
    ])
      if (at !== null) {
        pen.strokeStyle = colour;
        pen.strokeRect(...box);
      }
  }

  axis(pen, tokens, active, placed, cell, room) {
    const every = Math.max(1, Math.ceil(13 / cell)); // labels that have no space of their own are left out
    tokens.labels.forEach((label, at) => {
      if (at !== active && (at % every !== 0 || (active !== null && every > 1 && Math.abs(at - active) < every))) return;
      const [x, y, turn] = placed(at);
      pen.save();
      pen.translate(x, y);
      pen.rotate(turn);
      pen.textAlign = "right";
      pen.textBaseline = "middle";
      pen.font = `${at === active ? "bold " : ""}12px system-ui, sans-serif`;
      const name = { special: "special", second: "sentence_b", first: "text" }[this.kindOf(tokens, at)];
      pen.fillStyle = this.colours[name];
      pen.fillText(label, 0, 0, room);
      pen.restore();
    });
  }

  rowNumbers(pen, query, left, top, cell, highest) {
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let key = 0; key < this.nKeys; key++) {
      const weight = this.weight(query, key);
      const [red, green, blue] = this.map[Math.round(Math.max(0, Math.min(1, weight / (highest || 1))) * 255) || 0];
      pen.fillStyle = 0.299 * red + 0.587 * green + 0.114 * blue > 140 ? "#000000" : "#ffffff";
      if (!this.isMasked(query, key)) pen.fillText(weight.toFixed(2), left + (key + 0.5) * cell, top + (query + 0.5) * cell);
    }
  }

  hatch(pen, left, top, cell) {
    if (!this.mask) return;
    pen.strokeStyle = this.colours.secondary;
    pen.lineWidth = 1;
    pen.beginPath();
    for (let query = 0; query < this.nQueries; query++)
      for (let key = 0; key < this.nKeys; key++)
        if (this.isMasked(query, key)) {
          const [x, y] = [left + key * cell, top + query * cell];
          pen.moveTo(x, y + cell);
          pen.lineTo(x + cell, y);
          pen.moveTo(x, y + cell / 2);
          pen.lineTo(x + cell / 2, y);
          pen.moveTo(x + cell / 2, y + cell);
          pen.lineTo(x + cell, y + cell / 2);
        }
    pen.globalAlpha = 0.6;
    pen.stroke();
    pen.globalAlpha = 1;
  }

  colourBar(highest) {
    const bar = element("div", "colour-bar secondary");
    const band = element("i", "");
    band.style.background = `linear-gradient(to right, ${this.colours.weights.join(", ")})`;
    bar.append(element("span", "", "0"), band, element("span", "", digits(highest)), element("span", "", this.words.scale));
    return bar;
  }

  // ---- the image whose patches are the keys

  // The query whose row is drawn: the one that is chosen, else the first token ahead of the patches.
  imageQuery() {
    const { query = null, key = null } = this.active ?? {};
    return query === null && key === null && this.data.image.ahead && !this.data.keys ? 0 : query;
  }

  // The weight of each key for that query; who looks at a key alone; else the mean over all queries.
  imageWeights() {
    const [query, { key = null } = {}] = [this.imageQuery(), this.active ?? {}];
    const every = this.keys.labels.map((_, at) => at);
    if (query !== null) return [every.map((at) => this.weight(query, at)), this.words.looks(this.queries.labels[query])];
    if (key !== null && !this.data.keys) return [every.map((at) => this.weight(at, key)), this.words.seen(this.keys.labels[key])];
    const mean = (at) => this.queries.labels.reduce((sum, _, row) => sum + this.weight(row, at), 0) / this.nQueries;
    return [every.map(mean), this.words.average];
  }

  buildImage(body) {
    const { image } = this.data;
    let picture = null; // read from its bytes a moment later
    const scale = 320 / Math.max(image.width, image.height);
    const [width, height] = [image.width * scale, image.height * scale];
    const [across, down] = [width / image.columns, height / image.rows];
    const [canvas, pen] = this.canvas(width + 4, height + 4, this.words.image);
    const caption = element("p", "secondary");
    const box = element("div", "image");
    box.append(caption, canvas, element("p", "secondary", this.data.keys ? this.words.crossHint : this.words.patchHint));
    const side = element("div", "side"); // the numbers of the pair below the image
    body.append(side);
    side.append(box, this.readOut);
    const tokenAt = (event) => {
      const [row, column] = [Math.floor((event.offsetY - 2) / down), Math.floor((event.offsetX - 2) / across)];
      const isIn = row >= 0 && row < image.rows && column >= 0 && column < image.columns;
      return isIn ? image.ahead + row * image.columns + column : null;
    };
    const pairAt = (event) => {
      const key = tokenAt(event);
      const query = this.pinned?.query ?? (image.ahead && !this.data.keys ? 0 : null);
      return key === null ? null : { query, key };
    };
    canvas.addEventListener("pointermove", (event) => this.point(pairAt(event)));
    canvas.addEventListener("pointerleave", () => this.point(null));
    canvas.addEventListener("click", (event) => {
      const pair = pairAt(event);
      if (pair) this.pin(this.data.keys ? pair : { query: pair.key, key: null });
    });
    const frame = (token, colour) => {
      const at = token - image.ahead;
      if (token === null || at < 0) return;
      const place = [2 + (at % image.columns) * across, 2 + Math.floor(at / image.columns) * down, across, down];
      for (const [ink, line] of [[this.colours.card, 4.5], [colour, 2.5]]) {
        pen.strokeStyle = ink;
        pen.lineWidth = line;
        pen.strokeRect(...place);
      }
    };
    const render = () => {
      const [weights, words] = this.imageWeights();
      const highest = weights.reduce((most, weight) => Math.max(most, weight || 0), 0);
      const rest = weights.slice(image.ahead);
      const heat = this.imageOf(rest, image.rows, image.columns, highest);
      const ink = heat.getContext("2d");
      const pixels = ink.getImageData(0, 0, image.columns, image.rows);
      rest.forEach((weight, at) => { pixels.data[at * 4 + 3] = highest > 0 ? 209 * Math.sqrt(Math.max(0, weight || 0) / highest) : 0; });
      ink.putImageData(pixels, 0, 0);
      pen.clearRect(0, 0, width + 4, height + 4);
      pen.filter = "grayscale(1)";
      if (picture) pen.drawImage(picture, 2, 2, width, height);
      pen.filter = "none";
      pen.imageSmoothingEnabled = false;
      pen.drawImage(heat, 2, 2, width, height);
      pen.strokeStyle = this.colours.card;
      pen.globalAlpha = 0.35;
      pen.lineWidth = 1;
      for (let row = 1; row < image.rows; row++) pen.strokeRect(2, 2 + row * down, width, 0);
      for (let column = 1; column < image.columns; column++) pen.strokeRect(2 + column * across, 2, 0, height);
      pen.globalAlpha = 1;
      const { key = null } = this.active ?? {};
      frame(key, this.colours.key);
      if (!this.data.keys) frame(this.imageQuery(), this.colours.query);
      caption.textContent = `${words} · 0 – ${digits(highest)}`;
    };
    createImageBitmap(new Blob([bytesOf(image.png)], { type: "image/png" })).then((bitmap) => { picture = bitmap; render(); });
    return render;
  }

  // ---- overview

  buildOverview() {
    const most = Math.max(...this.data.layers.map(([, heads]) => heads.length));
    const cell = Math.max(28, Math.min(72, Math.floor((this.figure.clientWidth - 60) / most)));
    const [left, top] = [28, 22];
    const [canvas, pen] = this.canvas(left + most * cell + 2, top + this.data.layers.length * cell + 2, this.words.overview);
    const pictures = this.data.layers.map(([layer, heads]) => heads.map((head) => this.thumbnail(layer, head, cell - 4)));
    const headAt = (event) => {
      const row = this.data.layers[Math.floor((event.offsetY - top) / cell)];
      const head = row?.[1][Math.floor((event.offsetX - left) / cell)];
      return head === undefined ? null : [row[0], head];
    };
    let at = null;
    const render = () => {
      pen.clearRect(0, 0, canvas.width, canvas.height);
      pen.fillStyle = this.colours.secondary;
      pen.imageSmoothingEnabled = false;
      pen.textAlign = "center";
      pen.textBaseline = "middle";
      this.data.layers.forEach(([layer, heads], row) => {
        pen.fillText(layer, left / 2, top + (row + 0.5) * cell);
        heads.forEach((head, column) => {
          const [x, y] = [left + column * cell, top + row * cell];
          pen.drawImage(pictures[row][column], x + 2, y + 2, cell - 4, cell - 4);
          const chosen = layer === this.layer && head === this.head;
          const pointed = at && at[0] === layer && at[1] === head;
          pen.strokeStyle = chosen || pointed ? this.colours.accent : this.colours.rule;
          pen.lineWidth = chosen ? 3 : pointed ? 2 : 1;
          pen.strokeRect(x + 1.5, y + 1.5, cell - 3, cell - 3);
        });
      });
      const columns = this.data.layers.find(([, heads]) => heads.length === most)[1];
      if (this.data.layers.every(([, heads]) => heads.every((head, column) => head === columns[column])))
        columns.forEach((head, column) => pen.fillText(head, left + (column + 0.5) * cell, top / 2));
      this.tellHead(...(at ?? [this.layer, this.head]));
    };
    canvas.addEventListener("pointermove", (event) => { at = headAt(event); render(); });
    canvas.addEventListener("pointerleave", () => { at = null; render(); });
    canvas.addEventListener("click", (event) => {
      const found = headAt(event);
      if (!found) return;
      [this.layer, this.head] = found;
      this.selected = [this.head];
      this.open(this.opened);
      this.tell();
    });
    this.figure.append(canvas, element("p", "secondary", this.words.own));
    return render;
  }

  // At most `size` pixels high and wide; each has the largest of its weights, so that single cells survive.
  thumbnail(layer, head, size) {
    const weights = this.of(layer, head);
    const [rows, columns] = [Math.min(size, this.nQueries), Math.min(size, this.nKeys)];
    const found = new Float32Array(rows * columns);
    for (let query = 0; query < this.nQueries; query++)
      for (let key = 0; key < this.nKeys; key++) {
        const at = Math.floor((query * rows) / this.nQueries) * columns + Math.floor((key * columns) / this.nKeys);
        found[at] = Math.max(found[at], weights[query * this.nKeys + key] || 0);
      }
    return this.imageOf(found, rows, columns, found.reduce((most, weight) => Math.max(most, weight), 0));
  }

  tellHead(layer, head) {
    const weights = this.of(layer, head);
    const at = weights.reduce((best, weight, index) => (weight > (weights[best] || 0) ? index : best), 0);
    const [query, key] = [Math.floor(at / this.nKeys), at % this.nKeys];
    const { words } = this;
    this.readOut.replaceChildren(
      element("h2", "", `${words.layer} ${layer} · ${words.head} ${head}`),
      element("p", "secondary", words.largest),
      this.pairLine(query, key, weights[at]),
    );
  }

  // ---- the read-out

  pairLine(query, key, weight) {
    const line = element("p", "pair");
    const from = element("b", "query", `${query} ${this.queries.labels[query]}`);
    const to = element("b", "key", `${key} ${this.keys.labels[key]}`);
    line.append(from, " → ", to, element("output", "", this.isMasked(query, key) ? this.words.masked : digits(weight)));
    return line;
  }

  tellRow() {
    const { words } = this;
    const heads = this.shownHeads();
    const several = heads.length > 1 ? `${words.heads} ${heads.join(", ")} (${words.mean(heads.length)})` : `${words.head} ${heads[0]}`;
    const parts = [element("h2", "", `${words.layer} ${this.layer} · ${several}`)];
    const { query = null, key = null } = this.active ?? {};
    if (query === null && key === null) parts.push(element("p", "secondary", words.rest));
    if (query !== null && key !== null) {
      const weight = this.weight(query, key);
      const seen = this.keys.labels.map((_, at) => at).filter((at) => !this.isMasked(query, at));
      const stronger = seen.filter((at) => this.weight(query, at) > weight).length;
      parts.push(this.pairLine(query, key, weight));
      if (!this.isMasked(query, key)) parts.push(element("p", "secondary", words.rank(stronger + 1, seen.length)));
    }
    if (query !== null) parts.push(this.list(words.looks(`${query} ${this.queries.labels[query]}`), this.keys, (at) => this.weight(query, at), (at) => this.isMasked(query, at)));
    else if (key !== null) parts.push(this.list(words.seen(`${key} ${this.keys.labels[key]}`), this.queries, (at) => this.weight(at, key), (at) => this.isMasked(at, key)));
    this.readOut.replaceChildren(...parts);
  }

  // All tokens of a row or a column, the largest weight first.
  list(title, tokens, weightAt, maskedAt) {
    const made = element("div", "");
    const table = element("table", "");
    const open = tokens.labels.map((_, at) => at).filter((at) => !maskedAt(at)).map((at) => [weightAt(at), at]);
    open.sort(([a, at], [b, bt]) => b - a || at - bt);
    for (const [weight, at] of open) {
      const row = table.insertRow();
      const bar = element("i", "");
      bar.style.width = `${Math.max(0, Math.min(1, weight)) * 100}%`;
      row.append(element("td", "at", String(at)), element("td", `token ${this.kindOf(tokens, at)}`, tokens.labels[at]), element("td", "number", digits(weight)), element("td", "bar"));
      row.lastChild.append(bar);
    }
    made.append(element("h3", "", title), table);
    return made;
  }
}
