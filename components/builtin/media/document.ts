/** DOCUMENT: writes the detection document from the server's facts about the job and from the files of finished tracks. */
import { MAX_OWN_LINE_BYTES, splitLines } from '../../../results/lines.ts';
import { writeDocument } from '../../../results/document/document.ts';
import { withArtifactHrefs } from '../../../results/document/hrefs.ts';
import { writeMediaIndex, type MediaIndexWriter } from '../../../results/document/media-index.ts';
import { trackLines, type ReadTracks } from '../../../results/document/track-lines.ts';
import { mergeDetectionErrors } from '../../../domain/tracks/detection-errors.ts';
import type { DocumentHead, DocumentMedium, DocumentWork } from '../../../protocol/document-work.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';
import { Thumbnails } from './thumbnails.ts';
import { uprightBoxes } from './finish/upright-boxes.ts';

export async function* document(work: DocumentWork, context: WorkContext): AsyncGenerator<string> {
  const input = inputLines(work, context);
  const thumbnails = new Thumbnails();
  const index = work.mediaIndex === undefined ? undefined : await writeMediaIndex(work.mediaIndex);
  try {
    const first = await input.next();
    if (first.done === true) throw new Error('The input of the document is empty.');
    let done = 0;
    const readCounted: ReadTracks = async function* (path, places) {
      for await (const line of trackLines(path, places)) {
        context.signal.throwIfAborted();
        context.progress((done += 1), 0);
        yield line;
      }
    };
    const head = JSON.parse(first.value) as DocumentHead;
    const readPictured: ReadTracks = async function* (path, places) {
      for await (const line of readCounted(path, places)) {
        thumbnails.addTrack(line);
        yield line;
      }
    };
    yield* writeDocument(head, media(input, index, thumbnails), {
      readTracks: readPictured,
      runZones: async (medium) => {
        if (head.zones === undefined) return undefined;
        // Loads SQLite, which few jobs need.
        const { runZonesOn } = await import('./zone-run.ts');
        return runZonesOn(head, medium, readCounted);
      },
      detailed: ({ facts }) => {
        const upright = uprightBoxes(facts?.metadata ?? {});
        return (line) => withArtifactHrefs(upright(line));
      },
    });
    await index?.finish();
    await thumbnails.make(context);
  } finally {
    await input.return(undefined);
    await index?.close();
  }
}

async function* inputLines({ input }: DocumentWork, context: WorkContext): AsyncGenerator<string> {
  // The line is long if a hundred thousand parts of a medium failed.
  for await (const { text } of splitLines(await context.input(input), MAX_OWN_LINE_BYTES)) {
    context.signal.throwIfAborted();
    yield text;
  }
}

async function* media(
  lines: AsyncIterable<string>,
  index: MediaIndexWriter | undefined,
  thumbnails: Thumbnails,
): AsyncGenerator<DocumentMedium> {
  for await (const line of lines) {
    const medium = JSON.parse(line) as DocumentMedium;
    await index?.add(medium.indexed);
    thumbnails.begin(medium);
    yield withDetectionErrors(medium);
  }
}

/** Adds the errors of sub-jobs to the errors of their medium. Equal errors appear once with all their frames. */
function withDetectionErrors(medium: DocumentMedium): DocumentMedium {
  const failures = Object.values(medium.detectionErrors).flat();
  const merged = mergeDetectionErrors(failures, medium.facts?.mediaType ?? 'UNKNOWN');
  return merged.length === 0 ? medium : { ...medium, errors: [...medium.errors, ...merged] };
}
