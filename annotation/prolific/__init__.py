"""Recruiting on Prolific: people come from there, answers and votes stay here."""
