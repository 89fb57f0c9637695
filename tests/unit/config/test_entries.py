"""What no call could ever be made with: found in the file, at its line and column."""

from pathlib import Path

import pytest

from mergebar import config, plugins
from mergebar.model.problems import Level, Problem
from mergebar.reading import schemas

COMMON = {
    "attempts",
    "cache",
    "concurrency",
    "confirm_failures",
    "output_limit",
    "runs",
    "timeout",
}
LONG = "x" * (1024 * 1024 + 1)


def problems(text: str, root: Path) -> tuple[Problem, ...]:
    """Those of a configuration that lies in `root`."""

    def faults(section: str, kind: str, entry: object) -> object:
        return plugins.entry_faults(section, kind, entry, root=root)  # type: ignore[arg-type]

    parsed = config.parse(
        text.encode(),
        path="mergebar.yml",
        explain=plugins.explain,
        entry_faults=faults,  # type: ignore[arg-type]
    )
    return parsed.problems


def entry(head: str, *, of: str, given: str) -> str:
    """One key to a line, so that a line is a key; `given` is the last of them."""
    keys = [*head.split("; "), *given.split("\n")]
    if of == "sessions":
        group = "version: 1\nartifacts:\n  - paths: [skills]\n    sessions:\n"
        return group + "".join(f"      {key}\n" for key in keys)
    indent = "  " if of == "judge" else "    "
    start = "version: 1\njudge:\n" if of == "judge" else "version: 1\nagents:\n  a:\n"
    return start + "".join(f"{indent}{key}\n" for key in keys)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A working directory with what entries may name."""
    place = tmp_path / "repository"
    (place / "bots").mkdir(parents=True)
    (place / "prompt.md").write_text("Be brief.")
    (place / "latin.md").write_bytes(b"caf\xe9")
    (place / "large.md").write_text(LONG)
    (tmp_path / "outside").mkdir()
    (tmp_path / "outside.md").write_text("secret")
    (place / "away").symlink_to(tmp_path / "outside")
    return place


COMMAND = "type: command; sources: []"
RUN = "type: command; sources: []; command: [run]"
HTTP = "type: http; sources: []; url: https://a.example/ask"
BARE = "type: http; sources: []"
OPENAI = "type: openai; sources: []; model: m"
JUDGE = "type: openai; model: m"
AZURE = "type: azure"
SESSIONS = "prompts: [p.md]"
SESSION = "prompts: [p.md]; command: [run, '{prompt}']"

# Of what; its other keys; the key in question; where the place is; what is said.
BAD = [
    ("agents", COMMAND, "command: []", "[]", "`command` must not be empty"),
    ("agents", COMMAND, 'command: [""]', '""', "`agents.a.command[0]` is blank"),
    ("agents", COMMAND, 'command: [" ", x]', '" "', "is blank: name the program"),
    ("agents", COMMAND, 'command: [a, "b\\0"]', '"b', "a NUL character"),
    ("agents", COMMAND, "command: python3 agent.py", "python3", "write a list such as"),
    ("agents", RUN, "cwd: ..", "..", "leads out of the working directory"),
    ("agents", RUN, "cwd: ../outside", "../", "leads out of the working directory"),
    ("agents", RUN, "cwd: /", "/", "leads out of the working directory"),
    ("agents", RUN, "cwd: away", "away", "leads out of the working directory"),
    ("agents", RUN, "cwd: bot", "bot", "there is no folder `bot` here"),
    ("agents", RUN, "cwd: prompt.md", "prompt.md", "there is no folder `prompt.md` here"),
    ("agents", RUN, "env: [A-B]", "A-B", "letters, digits"),
    ("agents", RUN, "env: [GITHUB_TOKEN]", "GITHUB_TOKEN", "is refused"),
    ("agents", RUN, "persistent: yes", "yes", "write `true`"),
    ("agents", RUN, "concurrency: 0", "0", "`concurrency` must be at least 1"),
    ("agents", RUN, "timeout: 0s", "0s", "must be more than 0"),
    ("agents", RUN, "timeout: 30", "30", "write it with a unit: `30s`"),
    ("agents", RUN, "attempts: 0", "0", "`attempts` must be at least 1"),
    ("agents", RUN, "output_limit: 0B", "0B", "must be more than 0"),
    ("agents", RUN, "cache: 1", "1", "`cache` must be"),
    ("agents", RUN, "url: https://a.example", "url", "`url`"),
    ("agents", BARE, "url: a.example/ask", "a.ex", "must be a URL that begins with `http://`"),
    ("agents", BARE, "url: ftp://a.example", "ftp", "must be a URL that begins with `http://`"),
    ("agents", BARE, 'url: "http://"', '"http', "must be a URL that begins with `http://`"),
    ("agents", BARE, "url: http://a..b/", "http", "must be a URL that begins with `http://`"),
    ("agents", BARE, "url: http://a:70000/", "http", "must be a URL that begins with `http://`"),
    ("agents", BARE, 'url: "http://[::1/"', '"http', "must be a URL that begins with `http://`"),
    ("agents", BARE, 'url: "http://{case}.example/"', '"http', "must not choose the host"),
    ("agents", BARE, 'url: "http://{case}.${HOST}/"', '"http', "must not choose the host"),
    ("agents", HTTP, "method: post", "post", "did you mean `POST`?"),
    ("agents", HTTP, 'method: GET\nbody: {q: "{prompt}"}', "{q", "`method: GET`, which has no"),
    ("agents", BARE, "method: GET\nurl: https://a.example/", "https", "never mentions `{prompt}`"),
    ("agents", HTTP, "body: {question: hello}", "{ques", "never mentions `{prompt}`"),
    ("agents", HTTP, "body: []", "[]", "never mentions `{prompt}`"),
    ("agents", HTTP, 'body: {q: "{promt}", p: "{prompt}"}', '"{promt', "did you mean `{prompt}`?"),
    ("agents", HTTP, 'body: {q: "{promts}"}', '"{promts', "did you mean `{prompt}`?"),
    ("agents", HTTP, 'body: [{q: ["{prompt} {Turn}"]}]', '"{prompt} {T', "mean `{turn}`?"),
    ("agents", HTTP, 'body: {q: "{{ prompt }}"}', '"{{', "write `{prompt}`"),
    ("agents", HTTP, 'headers: {x-id: "{conversationId}"}', '"{conv', "`{conversation_id}`?"),
    ("agents", BARE, 'url: "https://a.example/{cases}"', '"https', "did you mean `{case}`?"),
    ("agents", HTTP, 'headers: {x: "a\\r\\nb: c"}', '"a', "holds characters that no header has"),
    ("agents", HTTP, 'headers: {x: "a\\nb"}', '"a', "holds characters that no header has"),
    ("agents", HTTP, "headers: {x: caf\u00e9}", "caf", "holds characters that no header has"),
    ("agents", HTTP, "headers: {a b: x}", "x}", "headers.a b` is no name of a header"),
    ("agents", HTTP, "headers: {Content-Length: '3'}", "'3'", "counted from what is sent"),
    ("agents", HTTP, "headers: {X-A: b, x-a: c}", "c}", "is the same header as `X-A`"),
    ("agents", HTTP, "headers: [a]", "[a]", "`headers` must be an object"),
    ("agents", HTTP, "select: {response: a..b}", "a..b", "`.` at its character 3"),
    ("agents", HTTP, "select: {citations: 'a['}", "'a[", "is no JMESPath: it breaks off"),
    ("agents", HTTP, 'select: {usage: "\'x"}', "\"'x", "never ends"),
    ("agents", HTTP, "select: {diagnostics: 'joined(a)'}", "'joined", "did you mean `join`?"),
    ("agents", HTTP, "select: {tool_calls: 'length()'}", "'length", "takes 1"),
    ("agents", HTTP, "select: {conversation_id: '@ @'}", "'@ @", "is no JMESPath"),
    ("agents", HTTP, "select: {answer: a}", "answer", "`answer`"),
    ("agents", OPENAI, "base_url: localhost:8080/v1", "local", "must be a URL"),
    ("agents", OPENAI, "base_url: https://a.example/v1/chat/completions", "http", "leave that off"),
    ("agents", OPENAI, 'api_key: "sk-a\\nb"', '"sk', "holds characters that no key has"),
    ("agents", OPENAI, "api: chatt", "chatt", "did you mean `chat`?"),
    ("agents", OPENAI, "api: completions", "comp", "`api` must be one of `chat`, `responses`"),
    ("agents", OPENAI, "system: promt.md", "promt", "did you mean `prompt.md`?"),
    ("agents", OPENAI, "system: ../outside.md", "../", "lies outside"),
    ("agents", OPENAI, "system: bots", "bots", "is a directory"),
    ("agents", OPENAI, "system: latin.md", "latin", "is not UTF-8"),
    ("agents", OPENAI, "system: large.md", "large", "1,048,577 bytes"),
    ("agents", "type: openai; sources: []", 'model: " "', '" "', "is not set: name the model"),
    ("agents", "sources: []", "type: htttp", "htttp", "did you mean `http`?"),
    ("agents", "type: replay", "recordings: ../outside", "../", "leads out of"),
    ("judge", "type: openai", 'model: " "', '" "', "is not set: name the model"),
    ("judge", JUDGE, "base_url: localhost:8080/v1", "local", "must be a URL"),
    ("judge", JUDGE, "base_url: https://a.example/v1/responses", "http", "leave that off"),
    ("judge", JUDGE, 'api_key: "sk-a\\nb"', '"sk', "holds characters that no key has"),
    ("judge", JUDGE, "runs: 0", "0", "`runs` must be at least 1"),
    ("judge", JUDGE, "confirm_failures: -1", "-1", "must be at least 0"),
    ("judge", JUDGE, "timeout: 0s", "0s", "must be more than 0"),
    ("judge", JUDGE, "attempts: 0", "0", "`attempts` must be at least 1"),
    ("judge", JUDGE, "concurrency: 0", "0", "`concurrency` must be at least 1"),
    ("judge", "model: m", "type: opanai", "opanai", "did you mean `openai`?"),
    ("judge", AZURE, "model: 5", "5", "`model` must be a string"),
    ("judge", "type: replay", "model: 5", "5", "`model` must be a string"),
    ("judge", AZURE, "endpoint: my-resource", "my-", "must be the URL of the Azure resource"),
    ("judge", AZURE, 'deployment: " "', '" "', "name the deployment"),
    ("judge", AZURE, "api_version: 2024", "2024", "`api_version` must be"),
    ("judge", AZURE, "api_version: 24-10-21", "24-", "write a date such as `2024-10-21`"),
    ("judge", AZURE, 'api_key: "k\u201d"', '"k', "holds characters that no key has"),
    ("judge", AZURE, "auth: entraid", "entraid", "did you mean `entra`?"),
    ("judge", "type: replay", "recordings: /", "/", "leads out of"),
    ("sessions", SESSIONS, "command: []", "[]", "`command` must not be empty"),
    ("sessions", SESSIONS, 'command: ["", "{prompt}"]', '""', ".command[0]` is blank: name"),
    ("sessions", SESSIONS, 'command: [" ", "{prompt}"]', '" "', "is blank: name the program"),
    ("sessions", SESSIONS, 'command: ["{prompt}\\0"]', '"{prompt}', "a NUL character"),
    ("sessions", SESSIONS, "command: run {prompt}", "run", "write a list such as"),
    ("sessions", SESSIONS, "command: [run]", "[run]", "no session gets its prompt"),
    ("sessions", SESSIONS, "command: [run, '{workdir}']", "[run", "no session gets its prompt"),
    ("sessions", SESSIONS, "command: [run, '{ prompt }']", "[run", "no session gets its prompt"),
    ("sessions", "command: [run, '{prompt}']", "prompts: []", "[]", "`prompts` must not be empty"),
    ("sessions", SESSION, "env: [A-B]", "A-B", "letters, digits"),
    ("sessions", SESSION, "env: [GITHUB_TOKEN]", "GITHUB_TOKEN", "is refused"),
    ("sessions", SESSION, "timeout: 0s", "0s", "must be more than 0"),
    ("sessions", SESSION, "timeout: 30", "30", "write it with a unit: `30s`"),
    ("sessions", SESSION, "concurrency: 0", "0", "`concurrency` must be at least 1"),
]

ODD = [
    ("agents", HTTP, 'body: {q: "{prompt} {zzz}"}', '"{p', "`{zzz}`, which is sent as it stands"),
    ("agents", BARE, "body: {q: hi}\nurl: ${URL}", "{q", "never mentions `{prompt}`"),
    ("judge", AZURE, "auth: entra\napi_key: ${KEY}", "${KEY", "isn't used with `auth: entra`"),
]

FINE = [
    ("agents", "type: replay", "recordings: tapes"),
    ("judge", "type: replay", "recordings: tapes"),
    ("agents", RUN, "cwd: bots"),
    ("agents", RUN, "cwd: ${FOLDER}"),
    ("agents", BARE, "url: ${URL}"),
    ("agents", BARE, "url: https://${HOST}/ask"),
    ("agents", HTTP, "headers: {Authorization: 'Bearer ${KEY}', X-Turn: '{turn}'}"),
    ("agents", HTTP, "body: {q: ['{messages}'], graph: 'query { a { b } }', x: }"),
    ("agents", HTTP, "body: {q: '${WRAPPED}', p: '{prompt}'}"),
    ("agents", HTTP, "select: {response: '${WHERE}', citations: \"join(', ', a[?b=='c'].d)\"}"),
    ("agents", BARE, 'method: GET\nurl: "https://[::1]:8080/ask?q={prompt}"'),
    ("agents", OPENAI, "system: prompt.md"),
    ("agents", OPENAI, "base_url: ${BASE}\napi_key: ${KEY}\nsystem: ${FILE}"),
    ("judge", JUDGE, "base_url: https://a.example/v1/"),
    ("judge", AZURE, "endpoint: ${ENDPOINT}\napi_version: 2024-12-01-preview"),
    ("judge", AZURE, "api_version: ${VERSION}"),
    ("sessions", SESSIONS, "command: [run, '--in={workdir}', 'Do: {prompt}']"),
]


@pytest.mark.parametrize(("of", "head", "given", "at", "said"), BAD)
def test_an_entry_that_can_never_work_is_an_error_at_its_place(
    of: str, head: str, given: str, at: str, said: str, root: Path
) -> None:
    text = entry(head, of=of, given=given)

    (problem,) = problems(text, root)

    assert problem.level is Level.ERROR
    assert said in problem.message
    assert problem.rule.startswith("config/")
    assert _rest(text, problem).startswith(at)


@pytest.mark.parametrize(("of", "head", "given", "at", "said"), ODD)
def test_what_may_still_work_is_a_warning_at_its_place(
    of: str, head: str, given: str, at: str, said: str, root: Path
) -> None:
    text = entry(head, of=of, given=given)

    (problem,) = problems(text, root)

    assert problem.level is Level.WARNING
    assert said in problem.message
    assert _rest(text, problem).startswith(at)


@pytest.mark.parametrize(("of", "head", "given"), FINE)
def test_what_can_work_is_left_alone(of: str, head: str, given: str, root: Path) -> None:
    assert problems(entry(head, of=of, given=given), root) == ()


@pytest.mark.parametrize(
    ("of", "kind"), [(of, kind) for of in plugins.ENTRY_FAULTS for kind in plugins.ENTRY_FAULTS[of]]
)
def test_each_key_of_each_type_is_in_the_table(of: str, kind: str) -> None:
    definition = schemas.load("config.v1.json")["$defs"][f"{kind}_{of.removesuffix('s')}"]  # type: ignore[index,call-overload]
    tried = {
        line.partition(":")[0]
        for section, head, given, _, _ in (*BAD, *ODD)
        if section == of and (f"type: {kind}" in head or line_is_common(given))
        for line in given.split("\n")
    }

    assert set(definition["properties"]) - tried <= {"type", "sources"}  # type: ignore[index,call-overload,arg-type]


def test_each_key_of_sessions_is_in_the_table() -> None:
    group = schemas.load("config.v1.json")["$defs"]["artifact_group"]  # type: ignore[index,call-overload]
    tried = {given.partition(":")[0] for of, _, given, _, _ in BAD if of == "sessions"}

    assert set(group["properties"]["sessions"]["properties"]) == tried  # type: ignore[index,call-overload,arg-type]


def line_is_common(given: str) -> bool:
    """Whether a key means the same for every type."""
    return given.partition(":")[0] in COMMON


def _rest(text: str, problem: Problem) -> str:
    """What stands in the file at the place of a problem."""
    assert problem.line is not None
    assert problem.column is not None
    return text.splitlines()[problem.line - 1][problem.column - 1 :]
