"""Changes of the state of HITs and assignments: short transactions, conditional updates."""
