/** Checks that the model files that a request names exist. */
import { levelsOf, type JobConfiguration } from '../../domain/job/job-config-hash.ts';
import { propertiesOver } from '../../domain/properties/properties.ts';
import type { Properties } from '../../domain/types.ts';
import { TimeSlices } from '../basics/time-slices.ts';

export interface ModelProblem {
  readonly message: string;
  /** True if the problem is the same on every host: the name is missing. */
  readonly anywhere: boolean;
}

/** Searches for model files on the host of the server. */
export interface FindModel {
  /** Built-in algorithms that read model files. */
  readonly algorithms: ReadonlySet<string>;
  /** Returns undefined if the file exists. */
  problem(algorithm: string, properties: Properties): Promise<ModelProblem | undefined>;
}

/** The same for jobs, which may run on other hosts. */
export interface JobModels extends Pick<FindModel, 'problem'> {
  /** True if an installed component of this algorithm reads model files. */
  isRead(algorithm: string): boolean;
  /** True if another host, with its own model files, may run this algorithm. */
  maybeElsewhere(algorithm: string): boolean;
}

export interface ModelFindings {
  /** Why the job cannot run. */
  readonly refused?: string;
  /** Models that only other hosts may have, one sentence for each. */
  readonly notes: readonly string[];
}

/** Properties of a medium that select the model. */
const NAMING =
  /^(?:(?:TEXT_)?MODEL_NAME|RECOGNITION_MODEL|WHISPER_[A-Z_]+|AUDIO_LANGUAGE|TRITON_(?:SERVER|MODEL_NAME))$/;

export async function findModels(
  job: JobConfiguration,
  media: readonly { readonly properties: Properties }[],
  models: JobModels,
): Promise<ModelFindings> {
  const notes: string[] = [];
  const timeSlices = new TimeSlices();
  const actions = new Set(job.plan.tasks.flatMap((task) => task.actions));
  for (const action of actions) {
    const { name } = action.algorithm;
    if (!models.isRead(name)) continue;
    const inForce = propertiesOver(levelsOf(job, action), 'VIDEO');
    for (const own of await distinct(media, timeSlices)) {
      const problem = await models.problem(name, inForce(own));
      if (problem === undefined) continue;
      const said = `The action "${action.name}": ${problem.message}`;
      if (problem.anywhere || !models.maybeElsewhere(name))
        return { refused: `Property validation failed due to: ${said}`, notes };
      notes.push(`${said} Another host may have it.`);
    }
  }
  return { notes: [...new Set(notes)].slice(0, MOST_NOTES) };
}

const MOST_NOTES = 20;

/** Checks that the models of a streaming job's action exist. Returns the refusal, if any. */
export async function refusedModel(
  algorithm: string,
  properties: Properties,
  models: JobModels,
): Promise<string | undefined> {
  const problem = models.isRead(algorithm) ? await models.problem(algorithm, properties) : undefined;
  if (problem === undefined || !(problem.anywhere || !models.maybeElsewhere(algorithm))) return undefined;
  return `Property validation failed due to: ${problem.message}`;
}

/** Thousands of media usually share a few sets of such properties. */
async function distinct(
  media: readonly { readonly properties: Properties }[],
  timeSlices: TimeSlices,
): Promise<Iterable<Properties>> {
  const found = new Map<string, Properties>();
  for (const { properties } of media) {
    if (timeSlices.due) await timeSlices.next();
    const own = Object.fromEntries(Object.entries(properties).filter(([name]) => NAMING.test(name)));
    found.set(JSON.stringify(own), own);
  }
  return found.values();
}
