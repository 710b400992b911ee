/** Where a medium of a job is stored and what it is. For ended jobs, this is in an index file beside the document. */
import { basename } from 'node:path';
import type { IndexedMedium } from '../../protocol/document-work.ts';
import type { MarkupAnswer } from '../../protocol/track-work.ts';
import { selectorsOutputFile } from '../../results/layout.ts';
import type { RequestedMedium } from '../batch-job/state/record.ts';
import type { SubJobRow } from '../batch-job/state/state.ts';
import { factsIn } from './document-outputs.ts';

/** A medium with those sub-jobs that know its file. */
interface Known {
  /** Absent for a derivative medium. */
  readonly named: Pick<RequestedMedium, 'uri' | 'mediaId'> | undefined;
  /** Id of the medium. */
  readonly mediaId: number | undefined;
  readonly rows: readonly SubJobRow[];
  /** Name of the run's folders. */
  readonly folder: string;
}

export function indexedMediumOf({ named, mediaId, rows, folder }: Known): IndexedMedium {
  const prepared = rows.find((row) => row.prepared !== undefined)?.prepared;
  const facts = factsIn(rows);
  const markup = rows.find((row) => row.markup !== undefined)?.markup;
  const wrote = rows.some(({ summary }) => summary?.selectorsOutputUri?.startsWith('file:') === true);
  return {
    ...(mediaId === undefined ? {} : { mediaId }),
    uri: named === undefined ? `derived:${basename(prepared?.path ?? '')}` : shortUri(named.uri),
    // A fetched file is deleted when the job ends. A file of a client is at its URI.
    ...(prepared === undefined || isFile(named?.uri) ? {} : { file: prepared.path }),
    facts: facts ?? null,
    inspected: prepared?.inspected === true,
    ...(prepared?.bytes === undefined ? {} : { bytes: prepared.bytes }),
    ...(prepared?.modified === undefined ? {} : { modified: prepared.modified }),
    ...(markup === undefined ? {} : { markup: placeOf(markup) }),
    ...(wrote && mediaId !== undefined ? { selectorsOutput: selectorsOutputFile(folder, mediaId) } : {}),
  };
}

const placeOf = ({ path: file, uri }: MarkupAnswer) => ({ file, uri: shortUri(uri) });

const isFile = (uri: string | undefined) => uri !== undefined && /^file:/i.test(uri);

/** The URI of a medium that lists may show. A URI that is no file may contain passwords or, as `data:`, the whole medium. */
export const shortUri = (uri: string): string =>
  isFile(uri) ? uri : uri.slice(0, Math.min(uri.indexOf(':') + 1, 20));
