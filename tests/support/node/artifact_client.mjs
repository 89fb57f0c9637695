// Drives the client of GitHub itself: `node artifact_client.mjs COMMAND JSON`; what it returns goes to the file `answer`.
import { writeFileSync } from "node:fs";
import path from "node:path";

import artifact from "@actions/artifact";

const [command, given] = process.argv.slice(2);
const input = JSON.parse(given);

const commands = {
  upload: ({ name, files, root, retentionDays }) =>
    artifact.uploadArtifact(
      name,
      files.map((file) => path.resolve(root, file)),
      path.resolve(root),
      retentionDays ? { retentionDays } : {},
    ),
  list: ({ findBy }) => artifact.listArtifacts({ latest: true, findBy }),
  find: ({ name, findBy }) => artifact.getArtifact(name, { findBy }),
  download: ({ id, folder, digest, findBy }) =>
    artifact.downloadArtifact(id, { path: folder, expectedHash: digest, findBy }),
};

const answer = await commands[command](input).then(
  (value) => ({ value }),
  (error) => ({ error: `${error.name}: ${error.message}` }),
);
writeFileSync(input.answer, JSON.stringify(answer));
