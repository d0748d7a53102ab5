// The page of all answers to a question: which one is at hand, keys, and comments to reuse.
// answer.js has what is given for one answer.
"use strict";

const TWO_DIGITS = 800; // within which two digits are one number

const answers = [...main.querySelectorAll("article")].map(
    (one, place) => new Answer(one, place + 1),
);
let current = null;
let kept = [];
let digits = { text: "", at: 0 };

function become(answer) {
    if (current === answer) return;
    const before = current;
    current = answer;
    before?.article.removeAttribute("aria-current");
    before?.save();
    answer.article.setAttribute("aria-current", "true");
    answer.load();
    showMistakes(answer);
}

function go(answer, scrolling = true) {
    if (!answer) return;
    answer.article.focus({ preventScroll: true });
    if (scrolling) answer.article.scrollIntoView({ block: "start" });
}

const beside = (by) => answers[answers.indexOf(current) + by];

// The next one that waits, from here round to here.
function nextWaiting() {
    const here = answers.indexOf(current);
    const order = [...answers.slice(here + 1), ...answers.slice(0, here + 1)];
    // What is given here is on its way to be saved.
    const next = order.find((one) => one.waits && (one.held || !one.dirty));
    if (next) go(next);
    else say("No answer is left that waits.");
    current?.save();
}

function progress() {
    const done = answers.filter((one) => !one.waits).length;
    const left = answers.length - done;
    document.getElementById("progress").textContent =
        `${done} of ${answers.length} done${left ? `, ${left} left` : ""}`;
    document.getElementById("done").value = done;
}

// Comments to reuse: those that are kept, and below them what the tests have named of this student.

function showKept(comments) {
    kept = comments;
    document.getElementById("reuse-none").hidden = comments.length > 0;
    const items = comments.map((comment) => {
        const forget = element("button", "×");
        forget.title = "Keep it no longer";
        forget.setAttribute("aria-label", `Keep no longer: ${comment}`);
        forget.addEventListener("click", () => bank("DELETE", comment));
        return item(comment, forget);
    });
    document.getElementById("kept").replaceChildren(...items);
    number();
}

function showMistakes(answer) {
    document.getElementById("mistakes-of").hidden = !answer.mistakes.length || !answer.comment;
    document.getElementById("mistakes").replaceChildren(...answer.mistakes.map((one) => item(one)));
    number();
}

function item(comment, ...more) {
    const use = element("button", "", "use");
    use.append(element("kbd"), " ", ...withCode(comment));
    use.addEventListener("click", () => {
        current?.add(comment);
        if (current) say(`Added to the comment on answer ${current.number}.`);
    });
    const made = element("li");
    made.append(use, ...more);
    return made;
}

// What stands between backticks is code; a backtick without another stays.
function withCode(text) {
    const parts = text.split("`");
    return parts.map((part, place) => {
        if (place % 2 === 0) return part;
        return place < parts.length - 1 ? element("code", part) : `\`${part}`;
    });
}

function number() {
    document.querySelectorAll("#reuse button.use").forEach((use, place) => {
        const key = use.querySelector("kbd");
        key.textContent = place < 9 ? String(place + 1) : "";
        key.hidden = place >= 9;
    });
}

async function bank(method, comment) {
    try {
        const path = `comments/${main.dataset.comments}`;
        const outcome = await ask(path, method, comment === undefined ? undefined : { comment });
        if (outcome.error) throw new Error(outcome.error);
        showKept(outcome.comments);
        return true;
    } catch (error) {
        const none = document.getElementById("reuse-none");
        none.textContent = error.message;
        none.hidden = false;
        say(error.message);
        return false;
    }
}

async function keep(answer) {
    const comment = answer.comment?.value.trim();
    if (!comment) say("There is no comment to keep.");
    else if (kept.includes(comment)) say("This comment is kept already.");
    else if (await bank("POST", comment)) say("Kept for other answers.");
}

// Keys. Within a field they write; elsewhere each does what the list of keys says.

function digit(key) {
    const both = digits.text + key;
    const soon = Date.now() - digits.at < TWO_DIGITS && digits.of === current;
    const text = soon && Number(both) <= outOf ? both : key;
    digits = { text, at: Date.now(), of: current };
    if (Number(text) <= outOf) current?.give(Number(text));
    else say(`This question gives ${inWords(outOf)} at most.`);
}

function half() {
    const points = current?.given()?.points ?? 0;
    current?.step(Number.isInteger(points) && points + 0.5 <= outOf ? 0.5 : -0.5);
}

const KEYS = {
    j: () => go(current ? beside(1) : answers[0]),
    k: () => go(beside(-1)),
    n: nextWaiting,
    c: () => current?.comment?.focus(),
    r: () => document.getElementById("reuse").focus(),
    m: () => current && keep(current),
    ".": half,
    ",": half,
    "+": () => current?.step(0.5),
    "-": () => current?.step(-0.5),
    "?": () => document.getElementById("keys").togglePopover(),
    Delete: () => current?.give(null),
    Backspace: () => current?.give(null),
};
KEYS.ArrowDown = KEYS.j;
KEYS.ArrowUp = KEYS.k;

function inField(event) {
    if (event.key === "Escape" || (event.key === "Enter" && event.target.matches("input"))) {
        current?.save();
        current?.article.focus({ preventScroll: true });
    } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) nextWaiting();
    else return;
    event.preventDefault();
}

// With the comments to reuse in focus, a number is one of them.
function inReuse(event) {
    // On a narrow page, the answer is further down.
    if (event.key === "Escape") current?.article.focus();
    else if (/^[1-9]$/.test(event.key)) {
        document.querySelectorAll("#reuse button.use")[Number(event.key) - 1]?.click();
    } else return false;
    event.preventDefault();
    return true;
}

document.addEventListener("keydown", (event) => {
    const { target } = event;
    if (target.matches("input, textarea")) return inField(event);
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (target.closest("#reuse") && inReuse(event)) return;
    const onControl = target.closest("button, a, summary");
    if (event.key === "Enter" && !onControl) nextWaiting();
    else if (/^[0-9]$/.test(event.key)) digit(event.key);
    else if (Object.hasOwn(KEYS, event.key)) KEYS[event.key]();
    else return;
    event.preventDefault();
});

window.addEventListener("beforeunload", (event) => {
    if (answers.some((one) => one.dirty)) event.preventDefault();
});
document.addEventListener("visibilitychange", () => {
    for (const one of answers) if (document.hidden && one.dirty) one.save();
});

async function begin() {
    progress();
    bank("GET");
    // At the first answer, the question above it stays in sight.
    const first = answers.find((one) => one.waits) ?? answers[0];
    go(first, first !== answers[0]);
    for (const one of answers) await one.load();
}
begin();
