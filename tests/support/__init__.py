"""What tests share: the course, samples of exams and cells, attacks, a browser."""
