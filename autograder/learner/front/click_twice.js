// Lets a text be written where it is clicked twice.
//
// JupyterLab shows its source at a double click, but takes what is typed next for commands, of which
// some delete cells.
(() => {
    function activate(app, tracker) {
        function follow(panel) {
            const notebook = panel.content;
            notebook.node.addEventListener("dblclick", () => {
                if (notebook.activeCell?.model.type === "markdown") {
                    notebook.mode = "edit";
                }
            });
        }
        withEach(tracker, follow);
    }

    parts.push({ name: "click-twice", activate });
})();
