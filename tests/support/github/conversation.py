"""Comments, pull requests and who is asking: the loopback GitHub's part about people."""

from support.github.answers import NOT_ACCESSIBLE, NOT_FOUND, Answer, Call, invalid
from support.github.description import Node, example, resolved
from support.github.state import Token

LONGEST = 65_536
LARGEST = 262_144


def user(call: Call) -> Answer:
    """Only a person's token may ask."""
    if call.token.app is not None:
        return NOT_ACCESSIBLE
    return Answer(body=example("public-user", login=call.token.login))


def list_comments(call: Call) -> Answer:
    number = call.arguments["issue_number"]
    if number not in call.state.pulls:
        return NOT_FOUND
    return Answer(body=[node for on, node in call.state.comments.values() if on == number])


def create_comment(call: Call) -> Answer:
    number = call.arguments["issue_number"]
    if number not in call.state.pulls:
        return NOT_FOUND
    wrong = _unfit(call.body["body"])
    if wrong is not None:
        return wrong
    made = call.state.comment(number, call.body["body"], login=call.token.login)
    node = call.state.comments[made][1]
    node["performed_via_github_app"] = _app(call.token)
    return Answer(status=201, body=node)


def update_comment(call: Call) -> Answer:
    found = call.state.comments.get(call.arguments["comment_id"])
    if found is None:
        return NOT_FOUND
    wrong = _unfit(call.body["body"])
    if wrong is not None:
        return wrong
    found[1]["body"] = call.body["body"]
    return Answer(body=found[1])


def delete_comment(call: Call) -> Answer:
    if call.state.comments.pop(call.arguments["comment_id"], None) is None:
        return NOT_FOUND
    return Answer(status=204)


def _unfit(body: str) -> Answer | None:
    if not body.strip():
        return invalid("body can't be blank")
    if len(body) > LONGEST or len(body.encode()) > LARGEST:
        return invalid(f"body is too long (maximum is {LONGEST} characters)")
    return None


def _app(token: Token) -> Node | None:
    if token.app is None:
        return None
    return example("nullable-integration", id=token.app_id, slug=token.app, name=token.app)


def get_pull(call: Call) -> Answer:
    node = call.state.pulls.get(call.arguments["pull_number"])
    return NOT_FOUND if node is None else Answer(body=node)


def list_pulls(call: Call) -> Answer:
    state, head = call.arguments.get("state", "open"), call.arguments.get("head")
    found = [
        _simple(node)
        for node in call.state.pulls.values()
        if state in {"all", node["state"]} and head in {None, node["head"]["label"]}
    ]
    return Answer(body=found)


def pulls_of_commit(call: Call) -> Answer:
    """A fork's commit is no commit of this repository, so that GitHub finds nothing by it."""
    sha = call.arguments["commit_sha"]
    found = [
        _simple(node)
        for node in call.state.pulls.values()
        if node["head"]["sha"] == sha and node["head"]["label"].startswith("acme:")
    ]
    return Answer(body=found)


def _simple(node: Node) -> Node:
    """A pull request as lists show it: without its counts."""
    names = resolved({"$ref": "#/components/schemas/pull-request-simple"})["properties"]
    return {name: value for name, value in node.items() if name in names}


def list_files(call: Call) -> Answer:
    number = call.arguments["pull_number"]
    if number not in call.state.pulls:
        return NOT_FOUND
    return Answer(body=call.state.files[number][:3000])
