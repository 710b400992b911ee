import type { MarkupWork } from '../../../protocol/track-work.ts';
import { markupFolder } from '../../../results/layout.ts';
import { withWarnings } from '../issues.ts';
import { tracksBefore } from '../track-inputs.ts';
import { foldersOf } from '../record.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { onMedium, sourcesAt } from './paths.ts';
import { settingOf, subJobOfUnit } from './sub-job.ts';

/** The tracks of a medium are drawn on a copy of it. What was found stands though it could not be drawn: the medium has not failed. */
export const MARKUP: Kind<ResultOf<'MARKUP'>> = {
  isTimed: true,
  errorCode: 'MARKUP',
  row(state, index, unit, context) {
    const { record, settings } = context;
    const { action, properties, work: medium } = settingOf(state, unit, context);
    const work: MarkupWork = {
      medium,
      properties,
      sources: tracksBefore(record, state.media, unit.medium),
      folder: markupFolder(foldersOf(record, state), medium.mediaId),
      privateBuckets: settings.privateBuckets,
    };
    const row = subJobOfUnit(state, index, unit, context, { id: 'markup', path: 'm' });
    return { ...row, kind: 'MARKUP', queue: action.algorithm.name, work };
  },
  paths: (work, at) => ({
    ...onMedium(work, at),
    sources: sourcesAt(work.sources, at),
    folder: at(work.folder),
  }),
  keys: ({ stored, ...result }, keyOf) => ({ ...result, stored: { ...stored, path: keyOf(stored.path) } }),
  kept: (row, { stored: markup }) => ({ ...row, markup }),
  unit: pieceOf,
  taken: (state, { stored }) => withWarnings(state, stored.warnings.length),
};
