import type { DocumentWork } from '../../../protocol/document-work.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { mediaIndexFile } from '../../../results/layout.ts';
import { withError, withIssue } from '../state/issues.ts';
import { foldersOf } from '../state/record.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { newSubJob } from './sub-job.ts';

/** DOCUMENT: writes the detection document. */
export const DOCUMENT: Kind<ResultOf<'DOCUMENT'>> = {
  survivesCancel: true,
  row(state, index, unit, context) {
    const folder = foldersOf(context.record, state);
    const work: DocumentWork = { input: '', mediaIndex: mediaIndexFile(folder) };
    const row = newSubJob(state, index, unit, context, { id: 'document', path: 'z' });
    return { ...row, kind: 'DOCUMENT', queue: MEDIA_QUEUES.DOCUMENT, work };
  },
  paths: (work, at) => ({
    ...work,
    ...(work.mediaIndex === undefined ? {} : { mediaIndex: at(work.mediaIndex) }),
  }),
  keepResult: (row) => row,
  unit: pieceOf,
  foldAnswer: (state, { sha256 }) => ({ ...state, hasDocument: true, documentHash: sha256 }),
  foldFailure: (state, failure) =>
    withIssue(withError(state, failure), {
      severity: 'error',
      code: 'OTHER',
      message: `Failed to create the output object due to: ${failure.message}`,
    }),
};
