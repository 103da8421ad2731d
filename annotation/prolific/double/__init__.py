"""A market that answers as Prolific does, on this machine, without people and without money.

Rehearsals and tests run against it. It follows Prolific's published contract; where that says
nothing, it does what would hurt most: a bonus that is paid twice is paid twice.
"""
