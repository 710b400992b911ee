/** Files of a sub-job. The component receives paths, and stored answers contain keys. */
import type { DocumentHead, DocumentMedium, FetchedPlace } from '../../../protocol/document-work.ts';
import type { SubJobAssignment, WorkKind } from '../../../protocol/worker-protocol.ts';
import type { KeyOf, PathOf } from '../../batch-job/kinds/paths.ts';
import type { Result } from '../../batch-job/kinds/kind.ts';
import { KINDS } from '../../batch-job/life-cycle/stages.ts';

type Work = SubJobAssignment['work'];

/** Replaces keys in work with paths. */
export const withPaths = (kind: WorkKind, work: Work, at: PathOf): Work => KINDS[kind].paths(work, at);

/** Replaces the paths in an answer with keys. */
export const withKeys = (result: Result, keyOf: KeyOf): Result =>
  'fetched' in result ? result : (KINDS[result.kind].keys?.(result, keyOf) ?? result);

/** Replaces keys in the input of a document with paths. */
export async function* withTracksAt(
  input: AsyncIterable<DocumentHead | DocumentMedium>,
  at: PathOf,
): AsyncGenerator<DocumentHead | DocumentMedium> {
  for await (const line of input) {
    if (!('outputs' in line)) yield line;
    else
      yield {
        ...line,
        ...(line.fetched === undefined ? {} : { fetched: fetchedAt(line.fetched, at) }),
        outputs: line.outputs.map((output) =>
          output.tracks === null ? output : { ...output, tracks: at(output.tracks) },
        ),
      };
  }
}

const fetchedAt = ({ file, folder, place }: FetchedPlace, at: PathOf): FetchedPlace => ({
  file: at(file),
  folder: at(folder),
  place,
});
