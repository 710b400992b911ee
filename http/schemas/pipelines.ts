import { z } from 'zod';
import { actionSchema, pipelineSchema, taskSchema } from '../../actors/catalog/descriptors/descriptor.ts';

/** Bodies of specification 2.6 and 4.7. Requests are validated by the schemas that the catalog itself uses. */
export const pipelineCreation = pipelineSchema.meta({ id: 'PipelineCreation' });
export const taskCreation = taskSchema.meta({ id: 'TaskCreation' });
export const actionCreation = actionSchema.meta({ id: 'ActionCreation' });

export const warnings = z
  .array(z.string())
  .optional()
  .describe('With details=true: problems for jobs that use it');
export const elementWarnings = z.object({
  warnings: z.array(z.string()).meta({
    description: 'What has no effect',
    examples: [['properties[0]: PLATE has no property MIN_PLATE.']],
  }),
});
export const removable = z
  .boolean()
  .optional()
  .meta({ description: 'With details=true: whether the caller may remove it', examples: [true] });
export const component = z
  .string()
  .nullable()
  .optional()
  .meta({
    description: 'With details=true: the component that registered it; null: a user stored it',
    examples: ['FACE'],
  });

const name = z.string().describe('Trimmed and in upper case');
const description = z.string();

export const pipeline = z
  .strictObject({
    name,
    description: description.describe('What the pipeline is for'),
    tasks: z.array(z.string()).describe('Names, in the order in which they run'),
    warnings,
    removable,
    component,
  })
  .meta({ id: 'Pipeline' });
export const task = z
  .strictObject({
    name,
    description: description.describe('What the task does'),
    actions: z.array(z.string()).describe('Names; all run at a time'),
    warnings,
    removable,
    component,
  })
  .meta({ id: 'Task' });
export const action = z
  .strictObject({
    name,
    description: description.describe('What the action does'),
    algorithm: z.string().describe('The algorithm that it runs'),
    properties: z
      .array(
        z.strictObject({
          name: z.string().describe('A property of the algorithm'),
          value: z.string().describe('The value that the action gives it'),
        }),
      )
      .describe('Values that replace the defaults of the algorithm'),
    warnings,
    removable,
    component,
  })
  .meta({ id: 'Action' });

const algorithmProperty = z
  .strictObject({
    name: z.string().describe('Name of the property'),
    description: description.describe('What the property does, with its unit and range'),
    type: z
      .enum(['BOOLEAN', 'FLOAT', 'DOUBLE', 'INT', 'LONG', 'STRING'])
      .describe('Type of its value; values are always sent as text'),
    defaultValue: z.string().nullable().describe('The value when nothing else sets the property'),
    propertiesKey: z.string().nullable().describe('The server property that supplies the default'),
  })
  .meta({ id: 'AlgorithmProperty' });
const states = z
  .array(z.string())
  .describe('Words for what a task provides or needs, such as DETECTION_FACE');

export const algorithm = z
  .strictObject({
    name,
    description: description.describe('What the algorithm finds'),
    actionType: z
      .enum(['DETECTION', 'MARKUP'])
      .describe('DETECTION: it finds something; MARKUP: it draws findings into a copy'),
    supportsBatchProcessing: z.boolean().describe('Whether batch jobs may use it'),
    supportsStreamProcessing: z.boolean().describe('Whether streaming jobs may use it'),
    requiresCollection: z.strictObject({ states }).describe('What the task before must provide'),
    providesCollection: z
      .strictObject({ states, properties: z.array(algorithmProperty).describe('Properties that it reads') })
      .describe('What it provides for later tasks, and its properties'),
  })
  .meta({ id: 'Algorithm' });

/** Parameters of the path, decoded. */
export const elementNameParams = z.object({ name: z.string().describe('Only jobs of this pipeline') });
