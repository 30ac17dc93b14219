"""A small local web app for people: review drafts, second opinion, human baseline, error labels, rubric scores."""
