/** Where a detector threw an error, as its stack says: for the author of the detector, who reads the log and the document. */
import { fileURLToPath } from 'node:url';

/** The SDK and the host: their lines do not help an author. */
const OURS = ['.', '../host'].map((folder) => fileURLToPath(new URL(`${folder}/`, import.meta.url)));
/** A line of a stack: `at name (file:///folder/file.js:12:5)`, or the place alone. */
const PLACE = /(?:^\s*at |\()(?:async )?(?:file:\/\/)?(\/[^()]+):(\d+):\d+\)?$/;
/** Causes of causes that are logged. */
const MOST_CAUSES = 3;

/** The innermost line outside of packages, of Node and of the SDK: `faces/detector.js, line 12`. Undefined: there is none. */
export function throwLocationOf(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  for (const line of (error.stack ?? '').split('\n')) {
    const [, file = '', number] = PLACE.exec(line) ?? [];
    if (file === '' || file.includes('/node_modules/') || OURS.some((folder) => file.startsWith(folder)))
      continue;
    // The folders above are the host's own business.
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

/** The stack of an error and of its causes, for the log. */
export function stackOf(error: unknown, depth = 0): string {
  if (!(error instanceof Error)) return String(error);
  const own = error.stack ?? String(error);
  return error.cause === undefined || depth === MOST_CAUSES
    ? own
    : `${own}\nCaused by: ${stackOf(error.cause, depth + 1)}`;
}
