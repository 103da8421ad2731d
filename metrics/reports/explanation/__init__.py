"""One ranking explained, document by document, alone or beside its counterfactual."""
