"""``tgrag doctor``: does this machine, its root and its cluster have what the settings ask for?

In: settings and an address of Ray. Out: a Diagnosis, one finding a check, each with what to do. The checks are pure
functions of what was observed; ``run`` observes. Nothing is changed, except for a probe below the root that comes and
goes.
"""
