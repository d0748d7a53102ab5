// Gives the exercise of the selected cell back as it was at first, by a button.
//
// It does what `autograder reset` does, in a kernel of its own: the notebook's may be busy.
const beginAnew = (() => {
    const BEGIN_ANEW = "autograder-learner:begin-anew";

    // The exercise that a cell belongs to: as its answer, its check, or the card above.
    function exerciseAt(notebook) {
        const cells = notebook.widgets;
        const here = notebook.activeCellIndex;
        const answers = (cell) => {
            const marks = cell && cell.model.getMetadata("nbgrader");
            return marks && marks.solution ? marks.grade_id : "";
        };
        const marks = (cells[here] && cells[here].model.getMetadata("nbgrader")) || {};
        const checked = cells.find((cell) => `${answers(cell)}_check` === marks.grade_id);
        return answers(cells[here]) || (checked ? answers(checked) : answers(cells[here + 1]));
    }

    // The lesson that a notebook is; nothing for a copy of one, or for notes beside it.
    function lessonOf(panel) {
        const [folder, file, ...rest] = panel.context.localPath.split("/");
        return !rest.length && file === `${folder}.ipynb` ? folder : "";
    }

    // Run `autograder reset`: what it says, or an error with the sentence that it ends with.
    async function reset(app, panel, lesson, exercise) {
        const folder = panel.context.localPath.split("/")[0];
        const kernel = await app.serviceManager.kernels.startNew({ name: "python3", path: folder });
        const said = { stdout: "", stderr: "" };
        try {
            const names = [lesson, exercise].map((name) => JSON.stringify(name)).join(", ");
            const code = `from autograder.learner.begin_anew import begin_anew; begin_anew(${names})`;
            const future = kernel.requestExecute({ code, silent: true, store_history: false });
            future.onIOPub = ({ header, content }) => {
                if (header.msg_type === "stream") {
                    said[content.name] += content.text;
                } else if (header.msg_type === "error") {
                    said.stderr += `${content.ename}: ${content.evalue}`;
                }
            };
            await future.done;
        } finally {
            // Nobody has to wait until it is gone.
            kernel.shutdown().finally(() => kernel.dispose());
        }
        if (!said.stdout) {
            throw new Error(said.stderr.trim() || "The kernel that was to do it has ended.");
        }
        return said.stdout.trim();
    }

    async function ask(app, panel, { showDialog, showErrorMessage, Dialog, Notification }) {
        const lesson = lessonOf(panel);
        const exercise = exerciseAt(panel.content);
        const title = `Begin ${exercise} anew?`;
        const body =
            "Its cell becomes what it was at first. Your notebook as it is now, with your answer, " +
            "is kept beside it.";
        const buttons = [Dialog.cancelButton(), Dialog.okButton({ label: "Begin anew" })];
        if (!(await showDialog({ title, body, buttons })).button.accept) {
            // The list of commands, which had the focus before, is gone.
            panel.content.activeCell.node.focus();
            return;
        }
        const id = Notification.emit(`Giving ${exercise} back …`, "in-progress", { autoClose: false });
        try {
            await panel.context.save();
            const message = await reset(app, panel, lesson, exercise);
            await panel.context.revert();
            Notification.update({ id, message, type: "success", autoClose: 8000 });
        } catch (error) {
            Notification.dismiss(id);
            await showErrorMessage(`${exercise} is as it was`, error);
        }
        const there = panel.content.widgets.find(
            (cell) => (cell.model.getMetadata("nbgrader") || {}).grade_id === exercise
        );
        if (there) {
            await panel.content.setFragment(`#cell-id=${there.model.id}`);
        }
    }

    function activate(app, tracker, parts, palette) {
        app.commands.addCommand(BEGIN_ANEW, {
            label: "Begin anew",
            caption: "Give the exercise of the selected cell back as it was at first",
            isVisible: () => Boolean(tracker.currentWidget && lessonOf(tracker.currentWidget)),
            isEnabled: () => {
                const panel = tracker.currentWidget;
                return Boolean(panel && lessonOf(panel) && exerciseAt(panel.content));
            },
            execute: () => ask(app, tracker.currentWidget, parts),
        });
        tracker.activeCellChanged.connect(() => app.commands.notifyCommandChanged(BEGIN_ANEW));
        palette.addItem({ command: BEGIN_ANEW, category: "Notebook Cell Operations" });
    }

    return activate;
})();
