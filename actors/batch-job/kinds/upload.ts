import type { UploadWork } from '../../../protocol/bucket-work.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { detectionFile } from '../../../results/layout.ts';
import { jobWide } from '../plan/effective-properties.ts';
import { withIssue } from '../state/issues.ts';
import { foldersOf } from '../state/record.ts';
import type { JobState } from '../state/state.ts';
import { bucketLane } from './bucket-lane.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { newSubJob } from './sub-job.ts';

/** UPLOAD: uploads the document into a bucket. If the upload fails, the document stays on the server, and the job gets a warning. */
export const UPLOAD: Kind<ResultOf<'UPLOAD'>> = {
  survivesCancel: true,
  isTransfer: true,
  row(state, index, unit, context) {
    const { record, settings } = context;
    const work: UploadWork = {
      path: detectionFile(foldersOf(record, state)),
      properties: jobWide(record),
      privateBuckets: settings.privateBuckets,
      ...(state.status === 'CANCELLING' ? { hurried: true } : {}),
    };
    const row = newSubJob(state, index, unit, context, { id: 'upload', path: 'z/u' });
    return { ...row, kind: 'UPLOAD', queue: bucketLane(MEDIA_QUEUES.UPLOAD, record), work };
  },
  paths: (work, at) => ({ ...work, path: at(work.path) }),
  keepResult: (row) => row,
  unit: pieceOf,
  foldAnswer(state, { stored: { uri, warnings } }) {
    // A warning means that the bucket did not accept the document. The document stays on the server.
    const outputUri = warnings.length > 0 ? null : uri;
    return warnings.reduce((all, { message }) => notUploaded(all, message), { ...state, outputUri });
  },
  foldFailure: (state, { message }) => notUploaded(state, message),
};

const notUploaded = (state: JobState, message: string): JobState =>
  withIssue(state, {
    severity: 'warning',
    code: 'REMOTE_STORAGE_UPLOAD',
    message: `The detection document stays on the server: ${message}`,
  });
