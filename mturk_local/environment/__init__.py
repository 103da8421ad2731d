"""Settings from the environment: a table of variables, each with its kind, read by one parser.

The service on its own and a site that holds it have a table each.
"""
