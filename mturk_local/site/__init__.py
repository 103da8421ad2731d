"""The annotators' site: plain pages that work without JavaScript."""
