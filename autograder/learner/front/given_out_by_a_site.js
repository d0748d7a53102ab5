// Gives an exercise back where the lessons run in a browser: as the site has it, at the address of
// the notebook's own file.
const giveBack = (() => {
    // As `make lite` names a lesson's notebook: with a digest of what was given out.
    const LESSON = /^([^/]+)\/\1-[0-9a-f]{8}\.ipynb$/;

    const nameOf = (cell) => ((cell.metadata || {}).nbgrader || {}).grade_id;

    async function asGivenOut(app, path) {
        const { baseUrl } = app.serviceManager.serverSettings;
        const answer = await fetch(`${baseUrl}files/${path.split("/").map(encodeURIComponent).join("/")}`);
        if (!answer.ok) {
            throw new Error(
                "The site has a newer version of this lesson, and this one no longer: the list of " +
                "lessons leads to both."
            );
        }
        return answer.json();
    }

    // A name that says when, beside the notebook.
    function nameOfCopy(path) {
        const now = new Date();
        const here = new Date(now - now.getTimezoneOffset() * 60000);
        const dated = here.toISOString().slice(0, 19).replace("T", " ").replaceAll(":", ".");
        return path.replace(/\.ipynb$/, ` (kept ${dated}).ipynb`);
    }

    async function of(app, panel, exercise) {
        const path = panel.context.localPath;
        const { contents } = app.serviceManager;
        const given = (await asGivenOut(app, path)).cells.find((cell) => nameOf(cell) === exercise);
        const source = [given.source].flat().join("");
        const save = (to, content) => contents.save(to, { type: "notebook", format: "json", content });
        const notebook = panel.context.model.toJSON();
        const mine = notebook.cells.filter((cell) => nameOf(cell) === exercise);
        if (mine.every((cell) => [cell.source].flat().join("") === source)) {
            return `${exercise} is as it was given out already: nothing was changed.`;
        }
        const kept = nameOfCopy(path);
        await save(kept, structuredClone(notebook));
        for (const cell of notebook.cells) {
            if (mine.includes(cell)) {
                cell.source = source;
            }
            // What its check has shown was said of the answer that is gone.
            if (cell.cell_type === "code" && [exercise, `${exercise}_check`].includes(nameOf(cell))) {
                cell.outputs = [];
                cell.execution_count = null;
            }
        }
        await save(path, notebook);
        return `${exercise} is as it was given out. What you had is kept: see All lessons in the browser.`;
    }

    return { isLesson: (panel) => LESSON.test(panel.context.localPath), of };
})();
