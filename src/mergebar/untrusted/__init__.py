"""Text from elsewhere, made safe to show: one module per sink, and redaction for all of them.

Redact first, then cut, then escape: a secret cut in half is no longer found.
"""
