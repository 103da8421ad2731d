"""Who may do what: the permission that each operation takes. The tests of pages and API read it.

What a role may do with these permissions is `ROLE_PERMISSIONS`; here, too, a change has to be
written down twice to count, and nowhere a third time.
"""

from annotation.core.operations import AnyOperation
from annotation.vocabulary import Action

_OPERATIONS: dict[Action | None, str] = {
    # A permit of the site, the account itself, or a shell on its machine.
    None: "create study, bring votes, import bundle, create owner link, create token, "
    "revoke token, set email, turn on second factor, renew recovery codes, turn off second factor, "
    "add security key, remove security key, reset second factor",
    Action.VIEW: "bundle",
    Action.ANNOTATE: "enter the crowd service",
    Action.ADJUDICATE: "adjudicate, withdraw decision",
    Action.MANAGE: """
        change study, duplicate study, release, rename, archive, unarchive, remove, undo removal,
        add member, change role, remove member, invite member, revoke invitation, set permits,
        add file, point to file, rank, score, pool, pool pairs, draw sample, prepare sample,
        apply retention, create batch, change scheme, begin adaptive, collect, read again, refresh,
        stop,
        dispose, invite by link, invite by account, invite by panel, revoke channel, answer message,
        read study,
        label, import labels, import votes, add votes, import model labels, import qrels,
        remove model labels, train classifier, create report, report, reject answer,
        discard votes, restore votes, exclude, readmit, send exclusions, import approvals,
        import responses,
        erase personal data
    """,
    Action.PUBLISH: "publish, budget, extend, top up, plan round, adaptive round, ask model, "
    "connect prolific, draft study, publish study, pause study, resume study, stop study, "
    "add places, choose crowd, upload tasks",
    Action.PAY: "approve, bonus, approve answer, restore answer, answer bonus, "
    "approve submissions, reject submission, request return, set up bonuses, pay bonuses, "
    "decide bonuses",
}
#: By the operation's name.
WHO_MAY: dict[str, Action | None] = {
    name.strip(): permission
    for permission, names in _OPERATIONS.items()
    for name in names.split(",")
}


def permission_of(operation: AnyOperation) -> Action:
    """What it takes in a study; the other operations stand in the tables of addresses."""
    permission = WHO_MAY[operation.name]
    assert permission is not None, operation.name
    return permission
