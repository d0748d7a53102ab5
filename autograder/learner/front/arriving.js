// Selects the cell that a link leads to.
//
// JupyterLab brings it into sight and leaves the selection where it was, at the first cell of a
// lesson that has just been opened: the next arrow key would lead back there.
(() => {
    function placeOf(notebook, fragment) {
        const target = decodeURIComponent(fragment.slice(1));
        const id = target.replace(/^cell-id=/, "");
        const heading = `[data-jupyter-id="${CSS.escape(target.replace(/^heading=/, ""))}"]`;
        return notebook.widgets.findIndex(
            (cell) => cell.model.id === id || cell.node.querySelector(heading)
        );
    }

    async function select(panel, fragment) {
        const notebook = panel.content;
        // A notebook that has just been opened takes the focus to its first cell.
        await panel.revealed;
        await notebook.activeCell?.ready;
        const place = placeOf(notebook, fragment);
        if (place >= 0) {
            notebook.deselectAll();
            notebook.activeCellIndex = place;
            await notebook.activeCell.ready;
            notebook.activeCell.node.focus({ preventScroll: true });
        }
    }

    function activate(app, tracker) {
        function follow(panel) {
            const notebook = panel.content;
            const bringIntoSight = notebook.setFragment.bind(notebook);
            notebook.setFragment = async (fragment) => {
                await bringIntoSight(fragment);
                await select(panel, fragment);
            };
        }
        withEach(tracker, follow);
    }

    parts.push({ name: "arriving", activate });
})();
