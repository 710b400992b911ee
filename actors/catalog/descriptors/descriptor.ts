import { z } from 'zod';
import { MEDIA_TYPES, type AlgorithmProperty } from '../../../domain/types.ts';
import { elementName, filled, listOf, maybe, scalar, someOf, trimmed, validName, wordOf } from './fields.ts';

/** A component descriptor: describes a component and its pipelines. Names are trimmed and upper-cased. */
const PROPERTY_TYPES = ['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING'] as const;
const LANGUAGES = ['java', 'c++', 'python', 'javascript', 'typescript'] as const;

/** Also checks rules over several fields if another field is wrong, so that all problems are reported at once. */
const always = {
  when: ({ value }: { readonly value: unknown }) => typeof value === 'object' && value !== null,
};

const property = z
  .object({
    name: filled.describe('Name of the property'),
    description: maybe(trimmed)
      .transform((text) => text ?? '')
      .describe('What the property does, with its unit and range'),
    type: wordOf(PROPERTY_TYPES).describe(
      'What its value is read as: BOOLEAN, FLOAT, DOUBLE, INT, LONG or STRING',
    ),
    defaultValue: maybe(scalar).describe(
      'The value when nothing else sets the property; either this or propertiesKey',
    ),
    propertiesKey: maybe(trimmed).describe(
      'The server property that supplies the default; either this or defaultValue',
    ),
  })
  .refine(
    ({ defaultValue, propertiesKey }) => (defaultValue === undefined) !== (propertiesKey === undefined),
    {
      error: 'must provide either a defaultValue or propertiesKey, but not both.',
    },
  ) satisfies z.ZodType<AlgorithmProperty>;

const states = listOf(filled.toUpperCase()).describe(
  'Words for what a task provides or needs, such as DETECTION_FACE',
);

const algorithm = z
  .object({
    name: elementName.describe('Name of the algorithm'),
    description: filled.describe('What the algorithm finds'),
    actionType: wordOf(['DETECTION', 'MARKUP']).describe(
      'DETECTION; the markup component of the server alone has MARKUP',
    ),
    trackType: maybe(filled.toUpperCase()).describe('Type of its tracks, such as FACE'),
    outputChangedCounter: maybe(z.int()).describe(
      'Raise it when the same media give other results: earlier results are then not reused',
    ),
    /** An extension: media types that it processes without feed-forward. */
    mediaTypes: maybe(someOf(wordOf(MEDIA_TYPES))).describe(
      'Types of media that it processes: VIDEO, IMAGE, AUDIO, UNKNOWN; absent: all',
    ),
    /** An extension: rules about other classes are refused. */
    classes: maybe(listOf(filled)).describe(
      'Values of CLASSIFICATION that it finds; empty: its tracks have none; absent: unknown',
    ),
    requiresCollection: z.object({ states }).describe('What the task before must provide'),
    providesCollection: z
      .object({
        states,
        properties: listOf(property).describe('Properties that the algorithm reads'),
        /** The place of this field in older descriptors. */
        trackType: maybe(filled.toUpperCase()).describe(
          'The same as trackType of the algorithm, in older descriptors',
        ),
      })
      .describe('What it provides for later tasks, and its properties'),
  })
  .refine((parsed) => trackTypeOf(parsed) !== undefined, {
    error: 'must not be null',
    path: ['trackType'],
    ...always,
  })
  .transform((parsed) => {
    const { states, properties } = parsed.providesCollection;
    return { ...parsed, trackType: trackTypeOf(parsed) ?? '', providesCollection: { states, properties } };
  });

/** Returns the track type of a descriptor that may still be invalid. */
function trackTypeOf(parsed: {
  readonly trackType?: string | undefined;
  readonly providesCollection?: { readonly trackType?: string | undefined };
}): string | undefined {
  return parsed.trackType ?? parsed.providesCollection?.trackType;
}

const description = filled.describe('What it does, in a sentence');
export const actionSchema = z.object({
  name: elementName.describe('Name of the action'),
  description,
  algorithm: elementName.describe('The algorithm that it runs'),
  properties: maybe(
    listOf(
      z.object({
        name: filled.describe('A property of the algorithm'),
        value: scalar.describe('The value that the action gives it'),
      }),
    ),
  )
    .transform((list) => list ?? [])
    .describe('Values that replace the defaults of the algorithm'),
});
export const taskSchema = z.object({
  name: elementName.describe('Name of the task'),
  description,
  actions: someOf(elementName).describe('Names of actions, which run at a time'),
});
export const pipelineSchema = z.object({
  name: elementName.describe('Name of the pipeline'),
  description,
  tasks: someOf(elementName).describe('Names of tasks, in the order in which they run'),
});

export const descriptorSchema = z
  .object({
    componentName: validName.transform((name) => name.trim()).describe('Name of the component'),
    componentVersion: scalar.describe('Version of the component, as its maker counts'),
    middlewareVersion: scalar.describe('Version of the framework that it was made for'),
    sourceLanguage: wordOf(LANGUAGES, 'lower').describe('java, c++, python, javascript or typescript'),
    batchLibrary: maybe(trimmed).describe('What runs batch jobs; absent: it runs none'),
    streamLibrary: maybe(trimmed).describe('What runs streaming jobs; absent: it runs none'),
    environmentVariables: listOf(
      z.object({
        name: filled.describe('Name of the variable'),
        value: scalar.describe('Its value'),
        sep: z
          .literal(':', { error: 'must be ":" or null' })
          .nullish()
          .describe('The value is appended to an existing one with this between'),
      }),
    ).describe('Variables of the environment of its processes'),
    algorithm: algorithm.describe('The one algorithm of the component'),
    /** If left out, an action, a task and a pipeline of the algorithm are made. */
    actions: maybe(listOf(actionSchema)).describe('Actions that come with it; absent: one is made'),
    tasks: maybe(listOf(taskSchema)).describe('Tasks that come with it; absent: one is made'),
    pipelines: maybe(listOf(pipelineSchema)).describe('Pipelines that come with it; absent: one is made'),
  })
  .refine(({ batchLibrary, streamLibrary }) => isNamed(batchLibrary) || isNamed(streamLibrary), {
    error: 'must contain batchLibrary, streamLibrary, or both',
    ...always,
  });
export type Descriptor = z.infer<typeof descriptorSchema>;

/** True if a library is named. Without one, a component does not process jobs of that kind. */
export const isNamed = (library: string | undefined): boolean => library !== undefined && library !== '';

/** Descriptors that a client may register. Only the server's own component draws markup. */
export const unmanagedDescriptorSchema = descriptorSchema.refine(
  ({ algorithm }) => algorithm.actionType === 'DETECTION',
  { error: 'must be DETECTION', path: ['algorithm', 'actionType'] },
);
