/** First step of PREPARE for a remote medium: fetches it once. The server decides about retries. */
import { stat } from 'node:fs/promises';
import { mediaBucket } from '../../../domain/job/buckets.ts';
import { retrieve } from '../../../media/fetch/fetch-medium.ts';
import type { FetchedMedium, PrepareWork } from '../../../protocol/media-work.ts';
import type { WorkContext } from '../../sdk/work/work-context.ts';

/** Yields one line, a FetchedMedium. Throws the errors of retrieval. */
export async function* fetchRemote(
  { uri, fetchTo, limits, bearer, properties }: PrepareWork,
  context: WorkContext,
): AsyncGenerator<string> {
  const object = mediaBucket(uri, properties) ?? undefined;
  const onBytes = (done: number, total: number) => context.progress(done, total);
  await retrieve(uri, fetchTo, limits, context.signal, { object, bearer, attempts: 1, onBytes });
  const { size: bytes } = await stat(fetchTo);
  yield `${JSON.stringify({ fetched: { bytes } satisfies FetchedMedium })}\n`;
}
