/** Reports events in a job's zones on one medium, and what its tracks touched, for the document. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { reportedRun, type ReportedRun } from '../../../domain/zones/dry-run.ts';
import type { ZonePlan } from '../../../domain/zones/types.ts';
import type { DocumentHead, DocumentMedium } from '../../../protocol/document-work.ts';
import { writeDocument, type ZonesOfMedium } from '../../../results/document/document.ts';
import type { ReadTracks } from '../../../results/document/track-lines.ts';
import { buildIndex } from '../../../results/timeline/build.ts';
import { openIndex } from '../../../results/timeline/schema.ts';
import { TrackMarks } from '../../../results/timeline/track-marks.ts';
import { runZonesInSteps } from '../../../results/timeline/zones.ts';

/** Returns undefined if the job has no zones, or the medium no pictures. */
export async function runZonesOn(
  head: DocumentHead,
  medium: DocumentMedium,
  readTracks: ReadTracks,
): Promise<ZonesOfMedium | undefined> {
  const { zones } = head;
  const mediaType = medium.facts?.mediaType;
  if (zones === undefined || (mediaType !== 'VIDEO' && mediaType !== 'IMAGE')) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'troupe-zones-'));
  try {
    const index = join(folder, 'index');
    await buildIndex(bytesOf(writeDocument({ ...head, details: null }, only(medium), { readTracks })), index);
    return await runOver(index, zones);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Runs the zones like a dry run over the finished document. */
async function runOver(index: string, plan: ZonePlan): Promise<ZonesOfMedium | undefined> {
  const db = openIndex(index);
  if (db === undefined) return undefined;
  const marks = new TrackMarks();
  let run: ReportedRun | undefined;
  try {
    run = await reportedSteps(
      runZonesInSteps(db, 0, { plan, startsAt: undefined }, (track, properties) =>
        marks.add(track, properties),
      ),
    );
  } finally {
    db.close();
    if (run === undefined) marks.close();
  }
  return run && { run, propertiesOf: (track) => marks.propertiesOf(track), close: () => marks.close() };
}

async function reportedSteps(steps: ReturnType<typeof runZonesInSteps>): Promise<ReportedRun | undefined> {
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return 'unavailable' in value ? undefined : reportedRun(value);
    await setImmediate();
  }
}

/** Yields the medium with all detections of its tracks, even if the document keeps only exemplars. */
async function* only(medium: DocumentMedium): AsyncGenerator<DocumentMedium> {
  yield { ...medium, outputs: medium.outputs.map((output) => ({ ...output, exemplarsOnly: false })) };
}

async function* bytesOf(document: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const text of document) yield Buffer.from(text);
}
