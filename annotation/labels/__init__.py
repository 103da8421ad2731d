"""Votes and labels: importing, deciding, adjudicating, exporting them."""
