// Shows what the learner expected below what came.
//
// The guess is the text of its own cell, above the code. It is only repeated here, below the
// outputs, so it is never saved twice, and follows when it is written anew.
(() => {
    // As it is given out; a guess may be written behind it, before it, or in its place.
    const PROMPT = /^\s*>|\*\*Your guess\*\*(\s*\([^)]*\))?:?/gm;
    const GIVEN = /^[0-9a-f]{12}(-\d+)?$/;
    const SHOWN = "autograder-guess";
    const LOOK =
        "margin:4px 0 2px;padding:2px 10px;border-left:3px solid var(--jp-brand-color1);white-space:pre-wrap;" +
        "font-family:var(--jp-content-font-family);font-size:var(--jp-content-font-size1);" +
        "color:var(--jp-content-font-color1);overflow-wrap:anywhere";

    function guessIn(cell) {
        const text = cell.model.sharedModel.getSource().replace(PROMPT, "");
        return text.split("\n").map((line) => line.trim()).join("\n").trim();
    }

    function showGuesses(notebook) {
        let guess = "";
        for (const cell of notebook.widgets) {
            if (markOf(cell, "guess_on")) {
                guess = guessIn(cell);
            } else if (cell.model.type === "code") {
                // A cell of the learner's own may stand between.
                const answers = GIVEN.test(cell.model.id);
                showGuess(cell, answers && cell.model.outputs.length ? guess : "");
                guess = answers ? "" : guess;
            }
        }
    }

    // As wide as an output, and as far from the left, in a narrow window as well.
    function lineBesideOutputs() {
        const [line, margin, text] = ["div", "div", "div"].map((one) => document.createElement(one));
        line.className = `${SHOWN} jp-OutputArea-child`;
        margin.className = "jp-OutputPrompt jp-OutputArea-prompt";
        text.className = "jp-OutputArea-output";
        text.style.cssText = LOOK;
        line.append(margin, text);
        return line;
    }

    function showGuess(cell, guess) {
        const area = cell.outputArea.node;
        let shown = area.querySelector(`:scope > .${SHOWN}`);
        if (!guess) {
            shown?.remove();
            return;
        }
        if (!shown) {
            shown = lineBesideOutputs();
        }
        const text = `Your guess: ${guess}`;
        if (shown.textContent !== text) {
            shown.lastElementChild.textContent = text;
        }
        // Outputs are put in by their number, which holds as long as all else comes after them.
        if (area.lastElementChild !== shown) {
            area.append(shown);
        }
    }

    // Whoever presses Enter on a line as it was given out writes behind it.
    function beginBehindPrompt(notebook, { name, newValue }) {
        const cell = notebook.activeCell;
        if (name === "mode" && newValue === "edit" && markOf(cell, "guess_on") && !guessIn(cell)) {
            cell.editor.setCursorPosition({ line: 0, column: cell.editor.getLine(0).length });
        }
    }

    function activate(app, tracker) {
        function follow(panel) {
            let waiting = false;
            function later() {
                if (!waiting) {
                    waiting = true;
                    setTimeout(() => {
                        waiting = false;
                        if (!panel.isDisposed) {
                            showGuesses(panel.content);
                        }
                    }, 100);
                }
            }
            panel.content.modelContentChanged.connect(later);
            panel.content.stateChanged.connect(beginBehindPrompt);
            panel.context.ready.then(later);
        }
        withEach(tracker, follow);
    }

    parts.push({ name: "guesses", activate });
})();
