// One answer on the page of all answers to a question: its text, and what is given for it, which is
// saved as one goes. reading.js has the page around it.
"use strict";

const main = document.getElementById("answers");
const api = main.dataset.api;
const outOf = Number(main.dataset.outOf);
const token = document.querySelector("meta[name=xsrf]").content;
const wait = (time) => new Promise((done) => setTimeout(done, time));
const PAUSE = 500; // between a key and saving what it gave, in ms
const AGAIN = 3000; // before what could not be sent is sent again

async function ask(path, method = "GET", content = undefined) {
    const answer = await fetch(`${api}/${path}`, {
        method,
        headers: { "X-XSRFToken": token },
        body: content && JSON.stringify(content),
    });
    if (answer.redirected) throw new Error("you are logged out; log in in another tab");
    if (![200, 409].includes(answer.status)) {
        throw new Error(`the server answers with ${answer.status}`);
    }
    return JSON.parse(await answer.text());
}

function say(text) {
    document.getElementById("said").textContent = text;
}

function element(name, text = "", type = "") {
    const made = document.createElement(name);
    made.textContent = text;
    if (type) made.className = type;
    if (name === "button") made.type = "button";
    return made;
}

const plain = (points) => String(Math.round(points * 100) / 100);

function inWords(points) {
    if (points === null) return "no points";
    return points === 1 ? "1 point" : `${plain(points)} points`;
}

// One answer: what stands on the page, what the gradebook is known to have, and what is under way.
class Answer {
    constructor(article, number) {
        this.article = article;
        this.number = number;
        this.grade = article.dataset.grade;
        this.points = article.querySelector("input");
        this.comment = article.querySelector("textarea");
        this.state = article.querySelector(".state");
        this.trouble = article.querySelector(".trouble");
        this.automatic = this.points.placeholder !== "";
        const points = article.dataset.points;
        this.saved = {
            points: points === "" ? null : Number(points),
            comment: this.comment ? this.comment.defaultValue : "",
        };
        this.waits = article.dataset.waits === "yes";
        this.mistakes = [];
        this.saving = null;
        this.held = false; // until the tutor has chosen, nothing is sent
        this.points.addEventListener("input", () => this.changed());
        this.comment?.addEventListener("input", () => this.changed());
        for (const field of [this.points, this.comment]) {
            field?.addEventListener("change", () => this.save());
        }
        article.querySelector(".keep")?.addEventListener("click", () => keep(this));
        article.addEventListener("focusin", () => become(this));
        article.addEventListener("pointerdown", () => become(this));
        this.show();
    }

    // What the tutor has given on the page; null where that is no number.
    given() {
        const comment = this.comment ? this.comment.value : "";
        if (this.points.validity.badInput) return null;
        const points = this.points.value === "" ? null : Number(this.points.value);
        // What is shown of many decimals is not what was typed.
        const same = this.saved.points !== null && this.points.value === plain(this.saved.points);
        return { points: same ? this.saved.points : points, comment };
    }

    get dirty() {
        const given = this.given();
        if (!given || given.comment !== this.saved.comment) return true;
        // Points from before the answer was graded anew are given again.
        const confirmed = this.confirmed && this.waits && given.points !== null;
        return confirmed || given.points !== this.saved.points;
    }

    load() {
        this.loading ??= this.fetchText();
        return this.loading;
    }

    async fetchText() {
        const text = this.article.querySelector(".text");
        try {
            const found = await ask(`answer/${this.grade}`);
            if (found.error) throw new Error(found.error);
            // Made by the server of text that is escaped; the page's policy lets no script run.
            text.innerHTML = found.html;
            if (!text.textContent.trim() && !text.querySelector("img")) {
                text.replaceChildren(element("p", "Nothing is written here.", "soft"));
            }
            this.digest = found.digest;
            this.mistakes = found.mistakes;
            for (const field of this.article.querySelectorAll(":disabled")) field.disabled = false;
            if (current === this) showMistakes(this);
        } catch (error) {
            this.loading = null;
            const again = element("button", "Load it again");
            again.addEventListener("click", () => this.load());
            text.replaceChildren(element("p", error.message), again);
        }
    }

    changed() {
        this.show();
        clearTimeout(this.timer);
        this.timer = setTimeout(() => this.save(), PAUSE);
    }

    give(points) {
        if (this.points.disabled) return;
        this.confirmed = true;
        this.points.value = points === null ? "" : plain(Math.min(outOf, Math.max(0, points)));
        this.changed();
    }

    step(by) {
        this.give((this.given()?.points ?? 0) + by);
    }

    add(comment) {
        if (!this.comment || this.comment.disabled) return;
        const before = this.comment.value.trimEnd();
        if (before.includes(comment)) return;
        this.comment.value = before ? `${before}\n${comment}` : comment;
        this.changed();
    }

    // Sends what is not saved yet, one after the other, until nothing is left to send.
    save() {
        clearTimeout(this.timer);
        this.saving ??= this.sendAll().finally(() => {
            this.saving = null;
            this.show();
        });
        return this.saving;
    }

    async sendAll() {
        while (this.dirty && !this.held && this.digest) {
            const given = this.given();
            if (!given) return this.refuse("The points are no number.");
            this.show();
            let outcome;
            try {
                const sent = { ...given, seen: this.saved, digest: this.digest };
                outcome = await ask(`answer/${this.grade}`, "PUT", sent);
            } catch (error) {
                this.refuse(`Not saved yet: ${error.message}. It is sent again by itself.`, false);
                await wait(AGAIN);
                continue;
            }
            if (outcome.now) return this.choose(outcome.error, outcome.now);
            if (outcome.another_text) return this.readAgain(outcome.error);
            if (outcome.again) {
                this.refuse(outcome.error, false);
                await wait(AGAIN);
                continue;
            }
            if (outcome.error) return this.refuse(outcome.error);
            this.saved = { points: outcome.points, comment: outcome.comment };
            this.waits = outcome.waits;
            this.settle();
            say(`Saved: answer ${this.number}, ${inWords(outcome.points)}.`);
        }
    }

    // Nothing more is sent before the tutor changes something, unless it is sent again by itself.
    refuse(sentence, invalid = true) {
        this.points.setAttribute("aria-invalid", String(invalid));
        this.tell(sentence);
    }

    choose(sentence, now) {
        const comment = now.comment ? `, “${now.comment}”` : "";
        const theirs = element("p", `Theirs: ${inWords(now.points)}${comment}`);
        const take = element("button", "Keep theirs");
        const mine = element("button", "Save mine instead");
        this.held = true;
        const go = (given) => {
            this.saved = { points: now.points, comment: now.comment };
            this.waits = now.waits;
            this.held = false;
            if (given) this.fill(given);
            this.settle();
            this.article.focus();
            this.save();
        };
        take.addEventListener("click", () => go(now));
        mine.addEventListener("click", () => go(null));
        this.tell(sentence, theirs, take, mine);
    }

    async readAgain(sentence) {
        this.held = true;
        this.loading = null;
        await this.load();
        const mine = element("button", "I have read it: save mine");
        mine.addEventListener("click", () => {
            this.held = false;
            this.settle();
            this.article.focus();
            this.save();
        });
        this.tell(sentence, mine);
    }

    fill({ points, comment }) {
        this.points.value = points === null ? "" : plain(points);
        if (this.comment) this.comment.value = comment;
    }

    tell(sentence, ...more) {
        this.trouble.replaceChildren(element("p", sentence), ...more);
        this.trouble.hidden = false;
    }

    settle() {
        this.trouble.hidden = true;
        this.trouble.replaceChildren();
        this.points.removeAttribute("aria-invalid");
        this.show();
        progress();
    }

    show() {
        this.article.dataset.waits = this.waits ? "yes" : "";
        const { dirty } = this;
        const blank = this.automatic && this.saved.points === null;
        let state = this.waits ? "waits" : "done ✓";
        if (blank) state = `${this.points.placeholder}, graded by itself`;
        if (dirty) state = this.saving ? "saving …" : "not saved";
        this.state.textContent = state;
        this.state.classList.toggle("saved", !dirty && !this.waits);
        this.state.classList.toggle("unsaved", dirty && !this.saving);
    }
}
