/** Warnings about parts of a request without effect, and invalid values for which the job is refused. */
import type { PipelinePlan } from '../plan.ts';
import { KnownProperties, notesOn, showText, wrongValue } from '../properties/property-notes.ts';
import type { DescribedProperty } from '../properties/property-values.ts';
import type { MediaSelector, Properties } from '../types.ts';
import { canonicalName, isBlank } from '../values.ts';
import { WORKFLOW_PROPERTIES } from '../properties/workflow-properties.ts';

/** Maximum number of notes of one job. */
const MAX_NOTES = 20;

/** The parts of a request that notes are about. `plan` is the plan of its pipeline. */
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

/** Properties that the service or many detectors read, but that are not in the table of workflow properties. */
const ALSO_READ: readonly DescribedProperty[] = [
  { name: 'LINKED_MEDIA_HASH', type: 'STRING', description: 'Under which the archive knows the medium.' },
  { name: 'VERBOSE', type: 'STRING', description: 'How much a detector logs.' },
];

/** The properties that a job may set: those of its algorithms, and workflow properties. */
export const jobPropertiesOf = (declared: readonly DescribedProperty[]): KnownProperties =>
  new KnownProperties([...declared, ...WORKFLOW_PROPERTIES, ...ALSO_READ]);

/** The first MAX_NOTES notes on a job, then the number of the others. */
export class JobNotes {
  readonly #found = new Set<string>();
  #more = false;

  /** Returns false if no further note will be reported. */
  add(note: string): boolean {
    if (this.#found.size < MAX_NOTES) this.#found.add(note);
    else if (!this.#found.has(note)) this.#more = true;
    return !this.#more;
  }

  get sentences(): readonly string[] {
    return this.#more ? [...this.#found, 'There are more such properties.'] : [...this.#found];
  }
}

/** A sentence for each property that is unknown, or whose value is invalid. */
export function jobNotes(job: NotedJob): readonly string[] {
  const notes = new JobNotes();
  for (const note of lookForNotes(job)) if (note !== undefined && !notes.add(note)) break;
  return notes.sentences;
}

/** Yields these sentences one by one, and undefined after each set of properties. A job with thousands of media takes a while. */
export function* lookForNotes(job: NotedJob): Generator<string | undefined> {
  for (const { where, values, known, note } of propertySets(job)) {
    yield undefined;
    if (note !== undefined) yield note;
    if (known !== undefined) yield* notesOn(values, known, where);
  }
}

/** Yields why a job is refused for an invalid value, and undefined for each valid set of properties. */
export function* lookForWrongValues(job: NotedJob): Generator<string | undefined> {
  for (const { where, values, known, ofAction } of propertySets(job))
    // Properties of actions are checked with the plan, each against its own algorithm.
    yield known === undefined || ofAction === true ? undefined : wrongValue(values, known, where);
}

/** The properties in one place of the request. */
interface PropertySet {
  readonly where: string;
  readonly values: Properties;
  /** The properties that are allowed there. Absent: the set has no effect. */
  readonly known?: KnownProperties;
  readonly ofAction?: boolean;
  /** A note about the place itself. */
  readonly note?: string | undefined;
}

function* propertySets(job: NotedJob): Generator<PropertySet> {
  const actions = job.plan.tasks.flatMap((task) => task.actions);
  const declared = new Map(
    actions.map(({ algorithm }) => [algorithm.name, algorithm.providesCollection.properties]),
  );
  const all = jobPropertiesOf([...declared.values()].flat());
  yield { where: 'jobProperties', values: job.jobProperties, known: all };
  const knownTo = new Map<string, KnownProperties>();
  for (const [name, values] of Object.entries(job.algorithmProperties)) {
    const algorithm = canonicalName(name);
    const own = declared.get(algorithm);
    const where = `algorithmProperties.${showText(name)}`;
    if (own === undefined) {
      const note = `${where}: the pipeline has no such algorithm, only ${[...declared.keys()].join(', ')}; properties for it have no effect.`;
      yield { where, values, note };
      continue;
    }
    // The same algorithm may occur in several spellings.
    const known = knownTo.get(algorithm) ?? jobPropertiesOf(own);
    knownTo.set(algorithm, known);
    yield { where, values, known };
  }
  // All names are known, because a plan with unknown names is refused.
  for (const action of new Set(actions))
    yield { where: `the action "${action.name}"`, values: action.properties, known: all, ofAction: true };
  yield* mediaSets(job.media, all);
}

/** Thousands of media usually share a few sets of properties. Each set is reported for the first medium that has it. */
function* mediaSets(media: readonly NotedMedium[], known: KnownProperties): Generator<PropertySet> {
  const seen = new Set<string>();
  for (const [index, { properties, selectors = [], selectorsOutputAction }] of media.entries()) {
    const where = `media[${index}]`;
    const key = JSON.stringify([properties, selectors, selectorsOutputAction]);
    const isNew = !seen.has(key);
    seen.add(key);
    yield { where: `${where}.properties`, values: isNew ? properties : {}, known };
    if (!isNew) continue;
    for (const [n, { selectionProperties }] of selectors.entries())
      yield {
        where: `${where}.mediaSelectors[${n}].selectionProperties`,
        values: selectionProperties,
        known,
      };
    if (selectors.length === 0 && !isBlank(selectorsOutputAction))
      yield {
        where,
        values: {},
        note: `${where}: mediaSelectorsOutputAction has no effect without mediaSelectors.`,
      };
  }
}
