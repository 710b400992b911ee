import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { artifactsFolder } from '../../../results/layout.ts';
import { withError, withServerFailure, withWarnings } from '../state/issues.ts';
import { failedBy, withFound, withMedium } from '../state/media.ts';
import { foldersOf } from '../state/record.ts';
import { after } from '../state/status.ts';
import { madeAt, uploadStep } from './bucket-lane.ts';
import type { Kind, ResultOf } from './kind.ts';
import { onMedium } from './paths.ts';
import { settingOf, subJobOfUnit, taskIndex } from './sub-job.ts';

/** ARTIFACTS: cuts out pictures for the tracks of an action on a medium. Its answer replaces the answer of FINISH. */
export const ARTIFACTS: Kind<ResultOf<'ARTIFACTS'>> = {
  errorCode: 'ARTIFACT_EXTRACTION',
  row(state, index, unit, context) {
    const { record, settings } = context;
    const { properties, work: medium } = settingOf(state, unit, context);
    const place = { mediaId: medium.mediaId, task: taskIndex(state), action: unit.action };
    const work = {
      medium,
      properties,
      tracks: unit.finished ?? '',
      folder: artifactsFolder(foldersOf(record, state), place),
      privateBuckets: settings.privateBuckets,
    };
    const row = subJobOfUnit(state, index, unit, context, { id: 'artifacts', path: 'g' });
    return { ...row, kind: 'ARTIFACTS', queue: MEDIA_QUEUES.ARTIFACTS, work };
  },
  paths: (work, at) => ({
    ...onMedium(work, at),
    ...madeAt(work, at),
    tracks: at(work.tracks),
    folder: at(work.folder),
  }),
  nextStep: uploadStep,
  keepResult: (row, { summary }) => ({ ...row, summary }),
  unit: (unit) => unit,
  media(media, row) {
    const { summary } = row;
    if (summary === undefined) return failedBy(media, row);
    const found = withMedium(media, row, (medium) => withFound(medium, row, summary));
    return (summary.errors?.length ?? 0) > 0 ? failedBy(found, row) : found;
  },
  foldAnswer(state, { summary }, { at }) {
    const { errors = [], warnings } = summary;
    const status = errors.length === 0 ? state.status : after(state.status, 'error');
    const failed = errors.reduce((all, error) => withServerFailure(all, error, at), { ...state, status });
    return withWarnings(withError(failed, errors[0]), warnings.length);
  },
};
