/** What a job's request asks for without effect: the job runs all the same, and says so. */
import type { PipelinePlan } from './plan.ts';
import { KnownProperties, notesOn, shown } from './property-notes.ts';
import type { DescribedProperty } from './property-values.ts';
import type { MediaSelector, Properties } from './types.ts';
import { canonicalName, isBlank } from './values.ts';
import { WORKFLOW_PROPERTIES } from './workflow-properties.ts';

/** Notes of one job. */
const MAX_NOTES = 20;

/** What the notes are about of a request; `plan` is what its pipeline came to. */
export interface NotedJob {
  readonly plan: PipelinePlan;
  readonly jobProperties: Properties;
  readonly algorithmProperties: Readonly<Record<string, Properties>>;
  readonly media: readonly NotedMedium[];
}
interface NotedMedium {
  readonly properties: Properties;
  readonly selectors?: readonly Pick<MediaSelector, 'selectionProperties'>[];
  readonly selectorsOutputAction?: string;
}

/** Read by the service or by many detectors without a row in the table of workflow properties. */
const ALSO_READ: readonly DescribedProperty[] = [
  { name: 'LINKED_MEDIA_HASH', type: 'STRING', description: 'Under which the archive knows the medium.' },
  { name: 'VERBOSE', type: 'STRING', description: 'How much a detector logs.' },
];

/** A sentence for each property that nobody knows, or whose value nobody takes; the first MAX_NOTES, then how it goes on. */
export function jobNotes(job: NotedJob): readonly string[] {
  const found = new Set<string>();
  for (const note of allNotes(job)) {
    if (found.size < MAX_NOTES) found.add(note);
    else if (!found.has(note)) return [...found, 'There are more such properties.'];
  }
  return [...found];
}

function* allNotes(job: NotedJob): Generator<string> {
  const actions = job.plan.tasks.flatMap((task) => task.actions);
  const declared = new Map(
    actions.map(({ algorithm }) => [algorithm.name, algorithm.providesCollection.properties]),
  );
  const all = new KnownProperties([...[...declared.values()].flat(), ...WORKFLOW_PROPERTIES, ...ALSO_READ]);
  yield* notesOn(job.jobProperties, all, 'jobProperties');
  for (const [name, values] of Object.entries(job.algorithmProperties)) {
    const own = declared.get(canonicalName(name));
    const where = `algorithmProperties.${shown(name)}`;
    if (own === undefined)
      yield `${where}: the pipeline has no such algorithm, only ${[...declared.keys()].join(', ')}; properties for it have no effect.`;
    else yield* notesOn(values, new KnownProperties([...own, ...WORKFLOW_PROPERTIES, ...ALSO_READ]), where);
  }
  // Names are known: a plan with others is refused.
  for (const action of new Set(actions))
    yield* notesOn(action.properties, all, `the action "${action.name}"`);
  yield* mediaNotes(job.media, all);
}

/** Thousands of media have few sets of properties between them: each is told of with the first medium that has it. */
function* mediaNotes(media: readonly NotedMedium[], known: KnownProperties): Generator<string> {
  const seen = new Set<string>();
  for (const [index, { properties, selectors = [], selectorsOutputAction }] of media.entries()) {
    const where = `media[${index}]`;
    const key = JSON.stringify([properties, selectors, selectorsOutputAction]);
    if (seen.has(key)) continue;
    seen.add(key);
    yield* notesOn(properties, known, `${where}.properties`);
    for (const [n, { selectionProperties }] of selectors.entries())
      yield* notesOn(selectionProperties, known, `${where}.mediaSelectors[${n}].selectionProperties`);
    if (selectors.length === 0 && !isBlank(selectorsOutputAction))
      yield `${where}: mediaSelectorsOutputAction has no effect without mediaSelectors.`;
  }
}
