/** Finds the location of a detector's error in its stack, for the detector's author, who reads the log and the document. */
import { fileURLToPath } from 'node:url';

/** Folders of the SDK and the host, whose lines do not help an author. */
const OURS = ['.', '../host'].map((folder) => fileURLToPath(new URL(`${folder}/`, import.meta.url)));
/** A line of a stack: `at name (file:///folder/file.js:12:5)`, or only the location. */
const PLACE = /(?:^\s*at |\()(?:async )?(?:file:\/\/)?(\/[^()]+):(\d+):\d+\)?$/;
/** Maximum depth of logged causes. */
const MOST_CAUSES = 3;

/** Returns the innermost line outside of packages, Node and the SDK: `faces/detector.js, line 12`. Returns undefined if there is none. */
export function throwLocationOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const line of (error.stack ?? '').split('\n')) {
    const [, file = '', number] = PLACE.exec(line) ?? [];
    if (file === '' || file.includes('/node_modules/') || OURS.some((folder) => file.startsWith(folder)))
      continue;
    // Parent folders are left out, because they concern only the host.
    return `${decodeText(file).split('/').slice(-2).join('/')}, line ${number}`;
  }
  return undefined;
}

function decodeText(file: string): string {
  try {
    return decodeURIComponent(file);
  } catch {
    return file;
  }
}

/** Returns the stacks of an error and its causes, for the log. */
export function stackOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? String(error);
  return error.cause === undefined || depth === MOST_CAUSES
    ? own
    : `${own}\nCaused by: ${stackOf(error.cause, depth + 1)}`;
}
