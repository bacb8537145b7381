"""The search pipeline as pure functions: candidates, fusion, noise gate, decay, MMR, custom processors."""
