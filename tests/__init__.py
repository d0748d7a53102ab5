"""The tests, in the folders of what they test; `support/` holds what they share."""
