import { z } from 'zod';
import { canonicalName } from '../../pipeline/values.ts';

/** A component descriptor: what a component is and what pipelines it brings. Names are trimmed and upper-cased. */
const validName = (text: z.ZodString) =>
  text.refine((name) => name.trim() !== '' && !/[/;]/.test(name), {
    error: 'must not be blank and must not contain "/" or ";"',
  });
const name = validName(z.string()).transform(canonicalName);
const text = z.string().trim();

const propertySchema = z
  .object({
    name: text.min(1),
    description: text.default(''),
    type: z
      .string()
      .trim()
      .toUpperCase()
      .pipe(z.enum(['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING'])),
    defaultValue: z.string().optional(),
    propertiesKey: text.optional(),
  })
  .refine((property) => (property.defaultValue === undefined) !== (property.propertiesKey === undefined), {
    error: 'must provide either a defaultValue or propertiesKey, but not both.',
  });

const algorithmSchema = z.object({
  name,
  description: text.min(1),
  actionType: z
    .string()
    .trim()
    .toUpperCase()
    .pipe(z.enum(['DETECTION', 'MARKUP'])),
  trackType: text.min(1).transform((type) => type.toUpperCase()),
  outputChangedCounter: z.int().optional(),
  requiresCollection: z.object({ states: z.array(text) }),
  providesCollection: z.object({ states: z.array(text), properties: z.array(propertySchema) }),
});

export const descriptorSchema = z.object({
  componentName: validName(z.string()).transform((value) => value.trim()),
  componentVersion: text,
  middlewareVersion: text,
  sourceLanguage: z
    .string()
    .trim()
    .toLowerCase()
    .pipe(z.enum(['java', 'c++', 'python', 'javascript', 'typescript'])),
  batchLibrary: text.optional(),
  streamLibrary: text.optional(),
  environmentVariables: z.array(
    z.object({ name: text.min(1), value: z.string(), sep: z.literal(':').nullish() }),
  ),
  algorithm: algorithmSchema,
  actions: z
    .array(
      z.object({
        name,
        description: text.min(1),
        algorithm: name,
        properties: z.array(z.object({ name: text, value: z.string() })).default([]),
      }),
    )
    .default([]),
  tasks: z.array(z.object({ name, description: text.min(1), actions: z.array(name).min(1) })).default([]),
  pipelines: z.array(z.object({ name, description: text.min(1), tasks: z.array(name).min(1) })).default([]),
});
export type Descriptor = z.infer<typeof descriptorSchema>;
