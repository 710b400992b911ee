import { z } from 'zod';
import { actionSchema, pipelineSchema, taskSchema } from '../../actors/catalog/descriptors/descriptor.ts';

/** Bodies of specification 2.6 and 4.7. What a client posts is checked by the very schemas that the catalog is made of. */
export const pipelineCreation = pipelineSchema.meta({ id: 'PipelineCreation' });
export const taskCreation = taskSchema.meta({ id: 'TaskCreation' });
export const actionCreation = actionSchema.meta({ id: 'ActionCreation' });

export const warnings = z
  .array(z.string())
  .optional()
  .describe('With details=true: what is wrong with it, for jobs that use it');
export const elementWarnings = z.object({ warnings: z.array(z.string()) });

const name = z.string().describe('Trimmed and in upper case');
const description = z.string();

export const pipeline = z
  .strictObject({
    name,
    description,
    tasks: z.array(z.string()).describe('Names, in the order in which they run'),
    warnings,
  })
  .meta({ id: 'Pipeline' });
export const task = z
  .strictObject({
    name,
    description,
    actions: z.array(z.string()).describe('Names; all run at a time'),
    warnings,
  })
  .meta({ id: 'Task' });
export const action = z
  .strictObject({
    name,
    description,
    algorithm: z.string(),
    properties: z.array(z.strictObject({ name: z.string(), value: z.string() })),
    warnings,
  })
  .meta({ id: 'Action' });

const algorithmProperty = z
  .strictObject({
    name: z.string(),
    description,
    type: z.enum(['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING']),
    defaultValue: z.string().nullable().describe('The value when nobody sets it'),
    propertiesKey: z.string().nullable().describe('The server property that supplies the default'),
  })
  .meta({ id: 'AlgorithmProperty' });
const states = z.array(z.string());

export const algorithm = z
  .strictObject({
    name,
    description,
    actionType: z.enum(['DETECTION', 'MARKUP']),
    supportsBatchProcessing: z.boolean(),
    supportsStreamProcessing: z.boolean(),
    requiresCollection: z.strictObject({ states }).describe('What the task before must provide'),
    providesCollection: z.strictObject({ states, properties: z.array(algorithmProperty) }),
  })
  .meta({ id: 'Algorithm' });

/** In the path, decoded. */
export const elementNameParams = z.object({ name: z.string().describe('In any case of letters') });
