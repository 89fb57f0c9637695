"""Names of artifacts and of the files in them in; what is wrong with one out."""

_FORBIDDEN_IN_PATH = '":<>|*?\\'
_FORBIDDEN_IN_NAME = _FORBIDDEN_IN_PATH + "/"


def name_problem(name: str) -> str | None:
    """What is wrong with the name of an artifact: the end of a sentence."""
    if not name:
        return "is empty"
    return _characters(name, _FORBIDDEN_IN_NAME)


def path_problem(path: str) -> str | None:
    """What is wrong with the path of a file in an artifact: the end of a sentence.

    A backslash is a separator where some people unpack it.
    """
    parts = path.split("/")
    if path.startswith("/"):
        return "is absolute"
    if ".." in parts:
        return "leaves the artifact"
    if "" in parts or "." in parts:
        return "has an empty part"
    return _characters(path, _FORBIDDEN_IN_PATH)


def _characters(text: str, forbidden: str) -> str | None:
    found = next((mark for mark in text if mark in forbidden), None)
    if found:
        return f"has the character {found}, which artifacts can't have in a name"
    if any(ord(mark) < ord(" ") or mark == "\x7f" for mark in text):
        return "has a line break or another control character"
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        return "has half of a surrogate pair"
    return None
