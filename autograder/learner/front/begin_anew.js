// Gives the exercise of the selected cell back as it was at first, by a button.
//
// How that is done is another script's, which differs with where the lessons lie.
(() => {
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

    async function ask(app, panel, { showDialog, showErrorMessage, Dialog, Notification }) {
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
            const message = await giveBack.of(app, panel, exercise);
            await panel.context.revert();
            await drawn(id);
            Notification.update({ id, message, type: "success", autoClose: 8000 });
        } catch (error) {
            await drawn(id);
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

    function activate(app, tracker, apputils, palette) {
        app.commands.addCommand(BEGIN_ANEW, {
            label: "Begin anew",
            caption: "Give the exercise of the selected cell back as it was at first",
            isVisible: () => Boolean(tracker.currentWidget && giveBack.isLesson(tracker.currentWidget)),
            isEnabled: () => {
                const panel = tracker.currentWidget;
                return Boolean(panel && giveBack.isLesson(panel) && exerciseAt(panel.content));
            },
            execute: () => ask(app, tracker.currentWidget, apputils),
        });
        tracker.activeCellChanged.connect(() => app.commands.notifyCommandChanged(BEGIN_ANEW));
        palette.addItem({ command: BEGIN_ANEW, category: "Notebook Cell Operations" });
    }

    parts.push({ name: "begin-anew", activate, needs: ({ ICommandPalette }) => [ICommandPalette] });
})();
