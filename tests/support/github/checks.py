"""Check runs: the loopback GitHub's rules, with those that its description doesn't tell."""

from support.github.answers import NOT_FOUND, Answer, Call, error, invalid
from support.github.description import Node, example

TEXT_BYTES = 65_535
MESSAGE_BYTES = 64 * 1024
BATCH = 50
TITLE = 255


def create(call: Call) -> Answer:
    if call.token.app is None:
        return error(403, "You must authenticate via a GitHub App.")
    if call.body["head_sha"] not in call.state.commits:
        return _invalid(f"No commit found for SHA: {call.body['head_sha']}", "head_sha")
    wrong = _unfit(call.body)
    if wrong is not None:
        return wrong
    made = call.state.next_id()
    app = example(
        "nullable-integration", id=call.token.app_id, slug=call.token.app, name=call.token.app
    )
    node = example(
        "check-run",
        id=made,
        name=call.body["name"],
        head_sha=call.body["head_sha"],
        html_url=f"https://github.example/acme/agent/runs/{made}",
        status="queued",
        app=app,
    )
    call.state.check_runs[made] = node
    call.state.annotations[made] = []
    _apply(call, node)
    return Answer(status=201, body=node)


def update(call: Call) -> Answer:
    node = call.state.check_runs.get(call.arguments["check_run_id"])
    if node is None:
        return NOT_FOUND
    if node["app"]["id"] != call.token.app_id:
        text = "check run can only be modified by the GitHub App that created it."
        return error(403, f"Invalid app_id `{call.token.app_id}` - {text}")
    wrong = _unfit(call.body)
    if wrong is not None:
        return wrong
    _apply(call, node)
    return Answer(body=node)


def get(call: Call) -> Answer:
    node = call.state.check_runs.get(call.arguments["check_run_id"])
    return NOT_FOUND if node is None else Answer(body=node)


def of_commit(call: Call) -> Answer:
    """`latest` shows one of each name."""
    sha, name = call.arguments["ref"], call.arguments.get("check_name")
    found = [
        node
        for node in call.state.check_runs.values()
        if node["head_sha"] == sha and name in {None, node["name"]}
    ]
    if call.arguments.get("filter", "latest") == "latest":
        found = list({node["name"]: node for node in found}.values())
    return Answer(body={"total_count": len(found), "check_runs": found})


def _apply(call: Call, node: Node) -> None:
    """Output is replaced, annotations are added; a conclusion completes."""
    body = call.body
    plain = ("status", "conclusion", "started_at", "completed_at", "external_id", "details_url")
    node.update({name: body[name] for name in plain if name in body})
    if "conclusion" in body:
        node["status"] = "completed"
    shown = body.get("output", {})
    call.state.annotations[node["id"]] += shown.get("annotations", [])
    if shown:
        node["output"] = {
            **node["output"],
            "title": shown.get("title", node["output"].get("title")),
            "summary": shown["summary"],
        }
    node["output"]["annotations_count"] = len(call.state.annotations[node["id"]])


def _unfit(body: Node) -> Answer | None:
    if body.get("status") == "completed" and "conclusion" not in body:
        return _invalid("a completed check run needs a conclusion", "conclusion")
    shown = body.get("output", {})
    for name in ("summary", "text"):
        if len(shown.get(name, "").encode()) > TEXT_BYTES:
            return _invalid(f"{name} exceeds a maximum bytesize of {TEXT_BYTES}", name)
    if len(shown.get("title", "")) > TITLE or shown.get("summary") == "":
        return _invalid("title is too long, or summary is missing", "output")
    annotations = shown.get("annotations", [])
    if len(annotations) > BATCH:
        return _invalid(f"No more than {BATCH} items are allowed", "annotations")
    faults = [fault for one in annotations if (fault := _fault(one))]
    return _invalid(faults[0], "annotations") if faults else None


def _fault(annotation: Node) -> str:
    first, last = annotation["start_line"], annotation["end_line"]
    if not annotation["path"] or annotation["path"].startswith("/"):
        return "path must be relative to the repository"
    if first < 1 or last < first:
        return "lines must be positive and in order"
    columns = {"start_column", "end_column"} & set(annotation)
    if columns and first != last:
        return "columns can only be given for one line"
    if not annotation["message"] or len(annotation["message"].encode()) > MESSAGE_BYTES:
        return "message is missing or too long"
    if len(annotation.get("raw_details", "").encode()) > MESSAGE_BYTES:
        return "raw_details is too long"
    return "title is too long" if len(annotation.get("title", "")) > TITLE else ""


def _invalid(message: str, field: str) -> Answer:
    return invalid(message, field=field, resource="CheckRun")
