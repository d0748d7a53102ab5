"""What stands beside the buttons that begin Python in the browser: how much has to be loaded."""

from autograder.authoring.browser.lite import LOADED

_SENTENCE = f"In the browser, a lesson loads {LOADED} the first time."
NOTE = f'<small class="needs-server">{_SENTENCE}</small>'
