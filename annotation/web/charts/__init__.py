"""Pictures as plain shapes that one template writes as SVG; docs/decisions/0003 says why."""
