"""How right is told from wrong: one module per lesson, one exam per exercise."""
