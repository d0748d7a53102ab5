"""How right is told from wrong: a package for each lesson, a file for each exercise."""
