"""One job explained: what it cost and why, phase by phase, with every input of its figures."""
