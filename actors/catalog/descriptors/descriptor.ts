import { z } from 'zod';
import { MEDIA_TYPES, type AlgorithmProperty } from '../../../domain/types.ts';
import { elementName, filled, listOf, maybe, scalar, someOf, trimmed, validName, wordOf } from './fields.ts';

/** A component descriptor: what a component is and what pipelines it brings. Names are trimmed and upper-cased. */
const PROPERTY_TYPES = ['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING'] as const;
const LANGUAGES = ['java', 'c++', 'python', 'javascript', 'typescript'] as const;

/** Rules over several fields are also held when another field is wrong, so that all problems are told at once. */
const always = {
  when: ({ value }: { readonly value: unknown }) => typeof value === 'object' && value !== null,
};

const property = z
  .object({
    name: filled,
    description: maybe(trimmed).transform((text) => text ?? ''),
    type: wordOf(PROPERTY_TYPES),
    defaultValue: maybe(scalar),
    propertiesKey: maybe(trimmed),
  })
  .refine(
    ({ defaultValue, propertiesKey }) => (defaultValue === undefined) !== (propertiesKey === undefined),
    {
      error: 'must provide either a defaultValue or propertiesKey, but not both.',
    },
  ) satisfies z.ZodType<AlgorithmProperty>;

const states = listOf(filled.toUpperCase());

const algorithm = z
  .object({
    name: elementName,
    description: filled,
    actionType: wordOf(['DETECTION', 'MARKUP']),
    trackType: maybe(filled.toUpperCase()),
    outputChangedCounter: maybe(z.int()),
    /** Ours: what it processes when nothing is fed to it. */
    mediaTypes: maybe(someOf(wordOf(MEDIA_TYPES))),
    requiresCollection: z.object({ states }),
    providesCollection: z.object({
      states,
      properties: listOf(property),
      /** Where older descriptors have it. */
      trackType: maybe(filled.toUpperCase()),
    }),
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

/** Of a descriptor that may still be wrong in any way. */
function trackTypeOf(parsed: {
  readonly trackType?: string | undefined;
  readonly providesCollection?: { readonly trackType?: string | undefined };
}): string | undefined {
  return parsed.trackType ?? parsed.providesCollection?.trackType;
}

const description = filled;
export const actionSchema = z.object({
  name: elementName,
  description,
  algorithm: elementName,
  properties: maybe(listOf(z.object({ name: filled, value: scalar }))).transform((list) => list ?? []),
});
export const taskSchema = z.object({ name: elementName, description, actions: someOf(elementName) });
export const pipelineSchema = z.object({ name: elementName, description, tasks: someOf(elementName) });

export const descriptorSchema = z
  .object({
    componentName: validName.transform((name) => name.trim()),
    componentVersion: scalar,
    middlewareVersion: scalar,
    sourceLanguage: wordOf(LANGUAGES, 'lower'),
    batchLibrary: maybe(trimmed),
    streamLibrary: maybe(trimmed),
    environmentVariables: listOf(
      z.object({
        name: filled,
        value: scalar,
        sep: z.literal(':', { error: 'must be ":" or null' }).nullish(),
      }),
    ),
    algorithm,
    /** Left out: an action, a task and a pipeline of the algorithm are made. */
    actions: maybe(listOf(actionSchema)),
    tasks: maybe(listOf(taskSchema)),
    pipelines: maybe(listOf(pipelineSchema)),
  })
  .refine(({ batchLibrary, streamLibrary }) => isNamed(batchLibrary) || isNamed(streamLibrary), {
    error: 'must contain batchLibrary, streamLibrary, or both',
    ...always,
  });
export type Descriptor = z.infer<typeof descriptorSchema>;

/** Whether a library is named: what a component does not process has none. */
export const isNamed = (library: string | undefined): boolean => library !== undefined && library !== '';

/** What a client may register: drawing into media stays with the service's own component. */
export const unmanagedDescriptorSchema = descriptorSchema.refine(
  ({ algorithm }) => algorithm.actionType === 'DETECTION',
  { error: 'must be DETECTION', path: ['algorithm', 'actionType'] },
);
