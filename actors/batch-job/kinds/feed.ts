import type { FeedWork } from '../../../protocol/detection-work.ts';
import { MEDIA_QUEUES } from '../../../protocol/worker-protocol.ts';
import { tasksOn } from '../plan/effective-properties.ts';
import { tracksBefore } from '../plan/track-inputs.ts';
import { failedBy, withMedium, withNothingFed } from '../state/media.ts';
import { mediumOf } from '../state/record.ts';
import { mediaOfTask } from '../plan/plan-stages.ts';
import { mostPieces } from '../plan/segment-cuts.ts';
import type { Kind, ResultOf } from './kind.ts';
import { onMedium, sourcesAt } from './paths.ts';
import { settingOf, subJobOfUnit, taskIndex } from './sub-job.ts';

/** FEED: chooses the input of an action on a medium from the tracks of earlier tasks, or by media selectors. */
export const FEED: Kind<ResultOf<'FEED'>> = {
  row(state, index, unit, context) {
    const { record } = context;
    const { properties, work: medium } = settingOf(state, unit, context);
    const first = tasksOn(record, state.media.get(unit.medium)!).length === 0;
    const { selectors } = mediumOf(record, state.media, unit.medium);
    const work: FeedWork = {
      medium,
      properties,
      sources: first ? [] : tracksBefore(record, state.media, unit.medium),
      ...(first && selectors !== undefined ? { selectors } : {}),
      maxPieces: mostPieces(
        mediaOfTask(record, state.media, taskIndex(state)),
        record.plan.tasks[taskIndex(state)]!,
      ),
    };
    const row = subJobOfUnit(state, index, unit, context, { id: 'feed', path: 'a' });
    return { ...row, kind: 'FEED', queue: MEDIA_QUEUES.FEED, work };
  },
  paths: (work, at) => ({ ...onMedium(work, at), sources: sourcesAt(work.sources, at) }),
  keepResult: (row, { summary }) => ({ ...row, feed: summary }),
  unit(unit, { state, feed, file = '' }) {
    if (state === 'QUEUED') return { ...unit, feed: 'MADE' };
    if (feed === undefined) return { ...unit, feed: 'DONE', pieces: 0 };
    return { ...unit, feed: 'DONE', fed: { ...feed, file }, pieces: feed.pieces };
  },
  media(media, row) {
    if (row.feed === undefined) return failedBy(media, row);
    return row.feed.pieces > 0 ? media : withMedium(media, row, (medium) => withNothingFed(medium, row));
  },
};
