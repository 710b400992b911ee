import { laneName } from '../../../protocol/transfers.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { fetchedFile } from '../../../results/layout.ts';
import { withWarnings } from '../state/issues.ts';
import { padNumber } from '../state/keys.ts';
import { failedBy, withMedium } from '../state/media.ts';
import type { PlannedPrepare } from '../state/planned-work.ts';
import { foldersOf, mediumOf, userOf } from '../state/record.ts';
import { pieceOf, refuseRow, type Kind, type ResultOf } from './kind.ts';
import { newSubJob } from './sub-job.ts';

type Inspected = Extract<ResultOf<'PREPARE'>, { readonly prepared: unknown }>;

/** PREPARE: retrieves, hashes and inspects a medium. The process for transfers first fetches a medium from another host. */
export const PREPARE: Kind<Inspected> = {
  isTransfer: true,
  row(state, index, unit, context) {
    const { record } = context;
    const medium = mediumOf(record, state.media, unit.medium);
    const derived = state.media.get(unit.medium)?.derived ?? null;
    const isRemote = derived === null && /^https?:/i.test(medium.uri);
    const work: PlannedPrepare = {
      uri: medium.uri,
      ...(medium.uriAt === undefined ? {} : { uriAt: medium.uriAt }),
      fetchTo: derived?.path ?? fetchedFile(foldersOf(record, state), unit.medium, record.media.length),
      metadata: medium.metadata,
      properties: { ...record.jobProperties, ...medium.properties, ...record.environmentProperties },
      frameRanges: medium.frameRanges,
      timeRanges: medium.timeRanges,
      ...(medium.selectors === undefined ? {} : { hasSelectors: true }),
      ...(derived === null ? {} : { stored: true }),
      ...(medium.sha256 === undefined ? {} : { sha256: medium.sha256 }),
      ...(isRemote ? { step: 'FETCH' } : {}),
    };
    const names = { id: `prepare.${unit.medium}`, path: `${padNumber(unit.medium, 6)}/p` };
    return {
      ...newSubJob(state, index, unit, context, names),
      kind: 'PREPARE',
      queue: isRemote ? laneName(MEDIA_QUEUES.DOWNLOAD, medium.uri, userOf(record)) : MEDIA_QUEUES.PREPARE,
      work,
    };
  },
  nextStep({ transfer: _, ...row }, { result }) {
    if (!('fetched' in result)) return undefined;
    const work = { ...(row.work as PlannedPrepare), step: 'INSPECT' as const };
    return { ...row, queue: MEDIA_QUEUES.PREPARE, attempts: 0, work };
  },
  paths: ({ uriAt, ...work }, at) => ({
    ...work,
    fetchTo: at(work.fetchTo),
    ...(uriAt === undefined ? {} : { uriAt: { ...uriAt, path: at(uriAt.path) } }),
  }),
  keys: ({ prepared, ...result }, keyOf) => ({
    ...result,
    prepared: { ...prepared, path: keyOf(prepared.path) },
  }),
  keepResult(row, { prepared }) {
    const { failure, facts } = prepared;
    if (failure !== undefined) return refuseRow({ ...row, known: facts }, failure);
    return { ...row, prepared: { ...prepared, file: row.file! } };
  },
  unit: pieceOf,
  media(media, row) {
    const { prepared } = row;
    return prepared === undefined
      ? failedBy(media, row)
      : withMedium(media, row, (medium) => ({ ...medium, prepared }));
  },
  foldAnswer: (state, { prepared }) => withWarnings(state, prepared.warnings.length),
};
