"""What was planned, measured and decided in, and every way of showing it out; nothing is sent.

`building` makes the report, and all else is a pure function of that: `json_report` writes and
reads report.json, `comment`, `summary` and `terminal` draw it for people. `documents` writes the
results into copies of the eval documents.
"""
