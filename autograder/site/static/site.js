// What a course's figures, cards and views look for to be dark is what JupyterLab says of its theme.
const page = document.documentElement;

function tellTheme() {
    page.dataset.jpThemeLight = String(page.dataset.theme !== "dark");
}

new MutationObserver(tellTheme).observe(page, { attributeFilter: ["data-theme"] });
tellTheme();

// A page that was opened from a folder can't start Python in the browser.
if (location.protocol === "file:") {
    page.classList.add("from-a-folder");
}

// What is wider than the page is moved from side to side, by the keyboard too.
function letWideOnesMove() {
    for (const formula of document.querySelectorAll(".in-line")) {
        const room = formula.closest("p, li, td, summary")?.clientWidth ?? Infinity;
        const width = formula.firstElementChild.getBoundingClientRect().width;
        formula.classList.toggle("wide", width > room);
    }
    for (const part of document.querySelectorAll(".formula, .wide, .output, .ag-card pre, .ag-tables")) {
        part.removeAttribute("tabindex");
        if (part.scrollWidth > part.clientWidth) {
            part.tabIndex = 0;
        }
    }
}

addEventListener("load", letWideOnesMove);
addEventListener("resize", letWideOnesMove);
