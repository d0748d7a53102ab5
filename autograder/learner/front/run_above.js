// Runs the cells above the selected one, and then it: what a kernel that has not run them offers.
(() => {
    const RUN = "autograder-learner:run-with-cells-above";
    const WAITS = "Running the cells above, then this one …";

    function activate(app, tracker, { Notification }) {
        async function run() {
            const said = Notification.emit(WAITS, "in-progress", { autoClose: false });
            try {
                await runAbove();
            } finally {
                await drawn(said);
                Notification.dismiss(said);
            }
        }

        async function runAbove() {
            const notebook = tracker.currentWidget.content;
            const cell = notebook.activeCell;
            await app.commands.execute("notebook:run-all-above");
            // Whoever waits may have gone on to another cell, and may have deleted this one.
            const place = notebook.widgets.indexOf(cell);
            if (place >= 0) {
                notebook.deselectAll();
                notebook.activeCellIndex = place;
                await app.commands.execute("notebook:run-cell");
            }
        }

        app.commands.addCommand(RUN, {
            label: "Run the cells above and this one",
            isEnabled: () => Boolean(tracker.activeCell),
            execute: run,
        });
    }

    parts.push({ name: "run-above", activate });
})();
