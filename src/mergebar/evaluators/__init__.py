"""The built-in evaluators: one turn's evidence in, a score or a failure out, one module each.

`measuring` and `judging` are the two ways to score; an evaluator's own module says only what is
particular to it.
"""
