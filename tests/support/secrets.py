"""Secrets of every form that one is given in, and who rewrites them."""

FORMS = {
    "mixed case": "aB3dE9fG7hJ2kL5mN8pQ",
    "with separators": "Kx7-pQ2m_Zt9.Wv4r",
    "a UUID": "3F2A9C1E-7b4d-4E8A-9c0f-D1b2A3c4E5f6",
    "base64": "q7Zk+3Xv/9TgB2w8Rn5Y4sLd==",
    "with spaces": "open sesame 4 the 7th door",
    "an address": "https://u5er:p4ss-W0rd@db.internal.example/x?k=w8xq",
}
"""None is a plain word; each has parts that would tell of it."""


def parts(secret: str) -> set[str]:
    """What of a secret must not be seen, in lower case: the telling words that it consists of."""
    words = "".join(one if one.isalnum() else " " for one in secret.lower()).split()
    return {word for word in words if any(map(str.isdigit, word)) and len(word) > 1}
