"""From drafts to a dataset: what people accepted and nothing else."""
