// Runs GitHub's language service over files of a repository: `node language_service.mjs JSON`, where
// the JSON has texts by the path that each has there. Prints a JSON list of what is wrong.
import { register } from "node:module";

// The service imports JSON without the attribute that Node asks for.
const loader = `export async function load(url, context, next) {
  return next(url, url.endsWith(".json") ? { ...context, importAttributes: { type: "json" } } : context);
}`;
register(`data:text/javascript,${encodeURIComponent(loader)}`);
const { validate } = await import("@actions/languageservice");
const { TextDocument } = await import("vscode-languageserver-textdocument");

const found = [];
for (const [path, text] of Object.entries(JSON.parse(process.argv[2]))) {
  const document = TextDocument.create(`file:///repository/${path}`, "yaml", 1, text);
  for (const { message, range } of await validate(document)) {
    found.push(`${path}:${range.start.line + 1}: ${message}`);
  }
}
process.stdout.write(JSON.stringify(found));
