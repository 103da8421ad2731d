"""People of the site: accounts, members of studies, invitations, tokens."""
