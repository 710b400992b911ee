/** Where a job's files lie below DATA_DIR (see docs/architecture.md). */
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Raw and finished results of one run of a job. */
export function spoolFolder(dataDir: string, jobId: string, run: number): string {
  return join(dataDir, 'spool', `${plainName(jobId)}.${run}`);
}

/** The result of one sub-job; `subJobId` already names job and run. */
export function spoolFile(dataDir: string, jobId: string, run: number, subJobId: string): string {
  return join(spoolFolder(dataDir, jobId, run), `${plainName(subJobId)}.ndjson`);
}

/** Media that were fetched for a job. */
export function mediaFolder(dataDir: string, jobId: string): string {
  return join(dataDir, 'media', plainName(jobId));
}

/** Media that clients have uploaded: a folder each. */
export function uploadsFolder(dataDir: string): string {
  return join(dataDir, 'uploads');
}

/** Notes of the processes that run. */
export function processesFolder(dataDir: string): string {
  return join(dataDir, 'processes');
}

export function outputFolder(dataDir: string, jobId: string): string {
  return join(dataDir, 'output-objects', plainName(jobId));
}

/** The detection document. */
export function detectionFile(dataDir: string, jobId: string): string {
  return join(outputFolder(dataDir, jobId), 'detection.json');
}

/** The path behind the URI of a detection document of this service; undefined for all other URIs. */
export function ownDocument(dataDir: string, uri: string): string | undefined {
  if (!uri.startsWith('file:')) return undefined;
  try {
    const [folder = '', name, ...rest] = relative(join(dataDir, 'output-objects'), fileURLToPath(uri)).split(
      sep,
    );
    return name === 'detection.json' && rest.length === 0 ? detectionFile(dataDir, folder) : undefined;
  } catch {
    return undefined;
  }
}

/** An id that becomes a file name must not leave its folder. */
function plainName(id: string): string {
  if (!/^[\w-][\w.-]*$/.test(id)) throw new Error(`"${id}" cannot be the name of a file or folder.`);
  return id;
}
