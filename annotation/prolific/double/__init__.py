"""A market that answers as Prolific does, on this machine, without people and without money.

Rehearsals and tests run against it. It follows Prolific's published contract; where that says
nothing, it does the worst: a bonus that is sent twice is paid twice.
"""
