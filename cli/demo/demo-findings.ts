/** The findings of the demo's documents in the sample media. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DocumentMarkup, DocumentMedium, DocumentTrack } from '../../client/answers.ts';

export interface DemoDocument {
  readonly media: readonly DemoMedium[];
}

interface DemoMedium extends Pick<
  DocumentMedium,
  'mediaId' | 'parentMediaId' | 'path' | 'status' | 'output'
> {
  readonly markupResult: Pick<DocumentMarkup, 'path' | 'status'> | null;
}

export interface Finding {
  readonly tracks: readonly DocumentTrack[];
  /** Tracks in the media that were extracted from this one. */
  readonly derived: readonly DocumentTrack[];
  /** The marked-up copy, if its file exists. */
  readonly markedUp?: { readonly path: string; readonly bytes: number };
}

/** Findings by the file names of the samples. */
export type Findings = ReadonlyMap<string, Finding>;

/** Returns the findings in complete media. A failed medium proves nothing, not even that it has no findings. */
export async function findingsOf({ media }: DemoDocument): Promise<Findings> {
  const complete = media.filter(({ status }) => status === 'COMPLETE');
  const samples = complete.filter(({ parentMediaId }) => parentMediaId < 0);
  return new Map(
    await Promise.all(
      samples.map(async (medium) => {
        const derived = complete.filter(({ parentMediaId }) => parentMediaId === medium.mediaId);
        const finding = {
          tracks: tracksOf(medium),
          derived: derived.flatMap(tracksOf),
          ...(await copyOf(medium)),
        };
        return [path.basename(fileURLToPath(medium.path)), finding] as const;
      }),
    ),
  );
}

const tracksOf = ({ output }: DemoMedium) =>
  Object.values(output).flatMap((entries) => entries.flatMap(({ tracks }) => tracks ?? []));

async function copyOf({ markupResult }: DemoMedium): Promise<Pick<Finding, 'markedUp'>> {
  if (markupResult === null || markupResult.path === '') return {};
  const file = fileURLToPath(markupResult.path);
  const found = await stat(file).catch(() => undefined);
  return found === undefined ? {} : { markedUp: { path: file, bytes: found.size } };
}
