/** Notes on the properties of a job that is about to be made, from what the service tells of its pipeline's algorithms. */
import { z } from 'zod';
import { canonicalName } from '../pipeline/values.ts';
import { WORKFLOW_PROPERTIES } from '../pipeline/workflow-properties.ts';
import { notesOn, type KnownProperty } from './property-notes.ts';
import { jsonOf } from './answer-text.ts';
import type { RestClient } from './rest-client.ts';
import { printable, type Terminal } from './terminal.ts';

/** Notes are worth no more waiting. */
const ANSWER_MS = 5_000;
const MAX_NOTES = 20;

const values = z
  .record(z.string(), z.string())
  .nullish()
  .transform((given) => given ?? {});
const list = <T extends z.ZodType>(entry: T) =>
  z
    .array(entry)
    .nullish()
    .transform((given) => given ?? []);
const taskParts = z.object({ name: z.string(), actions: z.array(z.string()) });
const actionParts = z.object({ name: z.string(), algorithm: z.string() });
const pipelineParts = z.object({ tasks: z.array(z.string()) });
const algorithmParts = z.object({
  providesCollection: z.object({
    properties: z.array(z.object({ name: z.string(), description: z.string(), type: z.string() })),
  }),
});

/** What counts here of specification 2.1, JobCreationRequest. */
const jobRequest = z.object({
  media: list(
    z.object({ properties: values, mediaSelectors: list(z.object({ selectionProperties: values })) }),
  ),
  pipelineName: z.string().nullish(),
  pipelineDefinition: z
    .object({ pipeline: z.array(z.string()), tasks: list(taskParts), actions: list(actionParts) })
    .nullish(),
  jobProperties: values,
  algorithmProperties: z
    .record(z.string(), values)
    .nullish()
    .transform((given) => given ?? {}),
});
type Request = z.infer<typeof jobRequest>;
type Algorithms = ReadonlyMap<string, readonly KnownProperty[]>;

/**
 * Tells of each property that has no effect, or another one than its value says. Says nothing, and never fails, when the request is
 * none, or the service does not tell enough: what is wrong with those is said when the job is made.
 */
export async function noteProperties(
  client: RestClient,
  request: unknown,
  terminal: Terminal,
): Promise<void> {
  const { data } = jobRequest.safeParse(request);
  if (data === undefined || !hasProperties(data)) return;
  const algorithms = await algorithmsOf(data, client).catch(() => undefined);
  if (algorithms === undefined) return;
  const notes = [...new Set(notesOf(data, algorithms))];
  for (const note of notes.slice(0, MAX_NOTES)) terminal.note(printable(note));
  if (notes.length > MAX_NOTES) terminal.note(`(and ${notes.length - MAX_NOTES} more such properties)`);
}

/** Properties of the job and of its media. */
const sharedValues = ({ jobProperties, media }: Request) => [
  jobProperties,
  ...media.flatMap(({ properties, mediaSelectors }) => [
    properties,
    ...mediaSelectors.map(({ selectionProperties }) => selectionProperties),
  ]),
];

const hasProperties = (request: Request) =>
  [...sharedValues(request), request.algorithmProperties].some((map) => Object.keys(map).length > 0);

function notesOf(request: Request, algorithms: Algorithms): readonly string[] {
  const everybody = [...algorithms.values()].flat();
  const unknown = 'Nobody in the pipeline knows';
  const shared = sharedValues(request).flatMap((given) =>
    notesOn({ values: given, known: [...everybody, ...WORKFLOW_PROPERTIES], unknown }),
  );
  const own = Object.entries(request.algorithmProperties).flatMap(([algorithm, given]) => {
    const name = canonicalName(algorithm);
    const known = algorithms.get(canonicalName(algorithm));
    return known === undefined
      ? [
          `The pipeline has no algorithm ${name}, only ${[...algorithms.keys()].join(', ')}: properties for it have no effect.`,
        ]
      : notesOn({
          values: given,
          known: [...known, ...WORKFLOW_PROPERTIES],
          unknown: `The algorithm ${name} does not know`,
        });
  });
  return [...shared, ...own];
}

/** By name. Elements of a transient pipeline win over stored ones. @throws what the service does not have, or does not tell */
async function algorithmsOf(
  { pipelineName, pipelineDefinition }: Request,
  client: RestClient,
): Promise<Algorithms> {
  const stored = async <T>(schema: z.ZodType<T>, kind: string, name: string): Promise<T> => {
    const path = `/rest/${kind}/${encodeURIComponent(name)}`;
    return schema.parse(
      jsonOf(await client.ask({ method: 'GET', path, impatient: true, answerMs: ANSWER_MS })),
    );
  };
  const named = <T extends { readonly name: string }>(elements: readonly T[] | undefined, name: string) =>
    elements?.find((element) => canonicalName(element.name) === name);
  const all = async <T>(names: Iterable<string>, look: (name: string) => Promise<T> | T) =>
    Promise.all([...new Set([...names].map(canonicalName))].map(look));

  const taskNames =
    pipelineDefinition?.pipeline ??
    (await stored(pipelineParts, 'pipelines', canonicalName(pipelineName ?? ''))).tasks;
  const tasks = await all(
    taskNames,
    (name) => named(pipelineDefinition?.tasks, name) ?? stored(taskParts, 'tasks', name),
  );
  const actions = await all(
    tasks.flatMap((task) => task.actions),
    (name) => named(pipelineDefinition?.actions, name) ?? stored(actionParts, 'actions', name),
  );
  const algorithms = await all(
    actions.map(({ algorithm }) => algorithm),
    async (name) =>
      [name, (await stored(algorithmParts, 'algorithms', name)).providesCollection.properties] as const,
  );
  return new Map(algorithms);
}
