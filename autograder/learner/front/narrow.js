// Leaves a narrow window, as a phone has, to the notebook: the list of files would cover most of it,
// and a word about trust the menu. What is left in the toolbar can be met with a finger.
(() => {
    const NARROW = 600;
    const STYLE = `
        @media (max-width: ${NARROW}px) {
            .jp-NotebookTrustedStatus,
            .jp-NotebookPanel-toolbar [data-jp-item-name="insert"],
            .jp-NotebookPanel-toolbar [data-jp-item-name="cut"],
            .jp-NotebookPanel-toolbar [data-jp-item-name="copy"],
            .jp-NotebookPanel-toolbar [data-jp-item-name="paste"] {
                display: none;
            }
            .jp-NotebookPanel-toolbar jp-button.jp-ToolbarButtonComponent {
                min-width: 2.5rem;
            }
            .jp-RenderedHTMLCommon mjx-container[display="true"] {
                overflow-x: auto;
                overflow-y: hidden;
            }
        }`;

    function activate(app) {
        document.head.append(Object.assign(document.createElement("style"), { textContent: STYLE }));
        app.restored.then(() => {
            if (window.innerWidth < NARROW) {
                app.shell.collapseLeft?.();
            }
        });
    }

    parts.push({ name: "narrow", activate });
})();
