import { booleanOf, integerOf, numberOf } from '../../../domain/properties/properties.ts';
import type { Properties } from '../../../domain/types.ts';
import type { FrameChoice, MarkupWork } from '../../../protocol/track-work.ts';
import { markupFolder } from '../../../results/layout.ts';
import type { DecisionContext } from '../state/context.ts';
import { forComponent } from '../plan/effective-properties.ts';
import { withWarnings } from '../state/issues.ts';
import { tracksBefore } from '../plan/track-inputs.ts';
import { foldersOf } from '../state/record.ts';
import type { JobState, Unit } from '../state/state.ts';
import { madeAt, uploadStep } from './bucket-lane.ts';
import { pieceOf, type Kind, type ResultOf } from './kind.ts';
import { onMedium, sourcesAt } from './paths.ts';
import { settingOf, subJobOfUnit, taskIndex } from './sub-job.ts';

/** Draws the tracks of a medium on a copy of it. If this fails, the findings remain valid: the medium has not failed. */
export const MARKUP: Kind<ResultOf<'MARKUP'>> = {
  isTimed: true,
  errorCode: 'MARKUP',
  row(state, index, unit, context) {
    const { record, settings } = context;
    const { action, properties, prepared, work: medium } = settingOf(state, unit, context);
    const work: MarkupWork = {
      medium,
      properties,
      sources: tracksBefore(record, state.media, unit.medium),
      prepared,
      frameChoices: frameChoices(state, unit, context),
      folder: markupFolder(foldersOf(record, state), medium.mediaId),
      privateBuckets: settings.privateBuckets,
    };
    const row = subJobOfUnit(state, index, unit, context, { id: 'markup', path: 'm' });
    return { ...row, kind: 'MARKUP', queue: action.algorithm.name, work };
  },
  paths: ({ prepared, ...work }, at) => ({
    ...onMedium(work, at),
    ...madeAt(work, at),
    ...(prepared === undefined ? {} : { prepared: at(prepared) }),
    sources: sourcesAt(work.sources, at),
    folder: at(work.folder),
  }),
  keys: ({ stored, ...result }, keyOf) => ({ ...result, stored: { ...stored, path: keyOf(stored.path) } }),
  nextStep: uploadStep,
  keepResult: (row, { stored: markup }) => ({ ...row, markup }),
  unit: pieceOf,
  foldAnswer: (state, { stored }) => withWarnings(state, stored.warnings.length),
};

/** Returns the different ways in which actions of earlier tasks choose frames of the medium. */
function frameChoices(state: JobState, unit: Unit, context: DecisionContext): readonly FrameChoice[] {
  const { facts, medium } = settingOf(state, unit, context);
  if (facts.mediaType !== 'VIDEO') return [];
  const { record } = context;
  const shown = { mediaType: facts.mediaType, fps: facts.frameTimes?.fps ?? 0 };
  const choices = record.plan.tasks
    .slice(0, taskIndex(state))
    .flatMap(({ actions }) => actions)
    .map((action) => choiceOf(forComponent(record, action, medium, shown)));
  return [...new Map(choices.map((choice) => [JSON.stringify(choice), choice])).values()];
}

const choiceOf = (properties: Properties): FrameChoice => ({
  interval: Math.max(1, integerOf(properties, 'FRAME_INTERVAL')),
  rateCap: Math.max(0, numberOf(properties, 'FRAME_RATE_CAP')),
  keyFramesOnly: booleanOf(properties, 'USE_KEY_FRAMES'),
});
