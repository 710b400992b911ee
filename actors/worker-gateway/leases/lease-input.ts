/** The input of a sub-job besides its medium. */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { answerPlace } from '../../../results/answer-place.ts';
import { readFeedPiece } from '../../../results/feed-index.ts';
import { pathOf, type FileKey } from '../../../results/file-keys.ts';
import type { Store } from '../../../store/store.ts';
import { wholeUri } from '../../batch-job/completion/data-uris.ts';
import type { RequestedMedium } from '../../batch-job/state/record.ts';
import type { SubJobRow } from '../../batch-job/state/state.ts';
import { copyInput, documentInput } from '../../job-files/document-input.ts';
import { rowOf } from './assignments.ts';
import { withTracksAt } from './files.ts';

/** Returns the lines for a document, or the tracks that a sub-job is fed. Returns undefined if the lease is lost or needs no input. */
export async function leaseInput(
  { store, dataDir }: { readonly store: Store; readonly dataDir: string },
  token: string,
  worker: string,
): Promise<AsyncIterable<string | Uint8Array> | undefined> {
  const lease = await store.work.look(token, worker);
  if (typeof lease === 'string') return undefined;
  const { item } = lease;
  const at = (key: FileKey) => pathOf(dataDir, key);
  const uriOf = (medium: RequestedMedium) => wholeUri(dataDir, medium);
  if (item.kind === 'DOCUMENT')
    return lines(withTracksAt(documentInput(store, Number(item.actor.id), uriOf), at));
  if (item.kind === 'COPY') return lines(copyInput(store, Number(item.actor.id), uriOf));
  const row = await rowOf(store, item);
  return row?.fed === undefined ? undefined : fedLines({ ...row.fed, file: at(row.fed.file) });
}

async function fedLines({ file, indexAt, piece }: NonNullable<SubJobRow['fed']>): Promise<Readable> {
  const { offset, bytes } = await readFeedPiece(file, indexAt, piece);
  if (bytes === 0) return Readable.from([]);
  return createReadStream(answerPlace(file).path, { start: offset, end: offset + bytes - 1 });
}

async function* lines(messages: AsyncIterable<unknown>): AsyncGenerator<string> {
  for await (const message of messages) yield `${JSON.stringify(message)}\n`;
}
