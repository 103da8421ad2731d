"""The crowds that this machine can reach."""

from annotation.crowd.doctor import examine
from annotation.management.readings import Answer, reads
from annotation.prolific.connection import look_at_access, site_prolific
from metrics.errors import InputError


@reads("crowd check")
def check() -> Answer:
    """Print whether the crowd service can be reached, with which account and clock."""
    findings = examine()
    wrong = [
        InputError(f"{finding.subject}: {finding.says.rstrip('.')}.", remedy=finding.remedy)
        for finding in findings
        if not finding.ok
    ]
    lines = [
        f"{'ok   ' if finding.ok else 'WRONG'} {finding.subject}: {finding.says}"
        for finding in findings
    ]
    result = {"ok": not wrong, "findings": findings}
    return Answer(result, lines, problem=wrong[0] if wrong else None)


@reads("crowd check-prolific", needs_databases=False)
def check_prolific() -> Answer:
    """Print whose Prolific token the site has, and what it can spend."""
    access = look_at_access(site_prolific())
    kind = "a rehearsal at" if access.is_rehearsal else "Prolific at"
    lines = [f"{kind} {access.address}, as {access.account}", *map(str, access.workspaces)]
    return Answer(access, lines)
