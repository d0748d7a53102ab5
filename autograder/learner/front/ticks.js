// Lets the points of "Look through your answer" be ticked by a click or with the space bar.
//
// JupyterLab shows the boxes of a list in Markdown and takes no clicks on them. Here a click writes
// what one would write by hand, an x between the brackets, into the cell, and nothing else: what is
// saved and counted is the text.
(() => {
    const BOXES = 'li input[type="checkbox"]';
    const ITEM = /^(\s*[-*+]\s+\[)([ xX])\](?=\s+\S)/gm;

    // The cell that a box stands in, if it is one with points to tick.
    function cellOf(tracker, box) {
        const node = box.closest(".jp-MarkdownCell");
        let found = null;
        tracker.forEach((panel) => {
            found = found || panel.content.widgets.find((cell) => cell.node === node);
        });
        return found && markOf(found, "points_of") ? found : null;
    }

    function tick(cell, place, ticked) {
        const text = cell.model.sharedModel.getSource();
        const item = [...text.matchAll(ITEM)][place];
        if (item) {
            const start = item.index + item[1].length;
            cell.model.sharedModel.updateSource(start, start + item[2].length, ticked ? "x" : " ");
        }
    }

    function activate(app, tracker) {
        // The fold of a cell is closed when the cell is drawn anew, and would be after each tick.
        const open = new WeakSet();

        function prepare() {
            for (const box of document.querySelectorAll(`.jp-MarkdownCell ${BOXES}:disabled`)) {
                const cell = cellOf(tracker, box);
                if (cell) {
                    box.disabled = false;
                    box.setAttribute("aria-label", box.closest("li").textContent.trim());
                    if (open.has(cell)) {
                        box.closest("details")?.setAttribute("open", "");
                    }
                }
            }
        }

        document.addEventListener("change", (event) => {
            const box = event.target;
            const cell = box instanceof HTMLInputElement && box.matches(BOXES) && cellOf(tracker, box);
            if (cell) {
                open.add(cell);
                const boxes = [...cell.node.querySelectorAll(`.jp-MarkdownOutput ${BOXES}`)];
                tick(cell, boxes.indexOf(box), box.checked);
            }
        });
        new MutationObserver(prepare).observe(document.body, { childList: true, subtree: true });
        prepare();
    }

    parts.push({ name: "ticks", activate });
})();
