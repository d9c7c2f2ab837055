"""The demo company: a GPU cluster that never was, told the same way every time.

`company`, `jobs` and `fleet` declare who is in it; `plan/` says which pod runs where in a week; `curves` says how busy
it is at any instant. All of it is a pure function of (seed, time): any hour can be asked for alone, today or tomorrow.

Weeks turn in cycles of four. The week whose index is the seed's, modulo four, is the story week: a gang that sits
with 12 of 16 pods on Tuesday, a silent exporter on Wednesday, an expensive Thursday. `weeks.seed_for(now)` picks the
seed whose story week holds the last complete Thursday, so that a demo started today has it in its last eight days;
who keeps that seed keeps the history for ever.
"""
