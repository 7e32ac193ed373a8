"""What several test modules use: models, inputs, oracles, processes."""
