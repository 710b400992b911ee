import { z } from 'zod';
import { unmanagedDescriptorSchema } from '../../actors/catalog/descriptors/descriptor.ts';
import { responseMessage } from './common.ts';
import { warnings } from './pipelines.ts';

/** Bodies of specification 4.6. Descriptors are validated by the schema that the catalog itself uses. */
export const componentDescriptor = unmanagedDescriptorSchema.meta({ id: 'ComponentDescriptor' });
export const registered = responseMessage.extend({ warnings }).meta({ id: 'Registered' });

export const component = z
  .strictObject({
    componentName: z.string().describe('Name in its descriptor'),
    componentVersion: z.string().describe('Version in its descriptor'),
    managed: z.boolean().describe('The server starts and stops its processes; otherwise clients run it'),
    registeredBy: z.string().nullable().describe('The user who registered it; null for managed ones'),
    algorithm: z.string().describe('Name of the algorithm that its processes run'),
    replacedBy: z
      .string()
      .nullable()
      .describe('Of a managed one: the registered component that replaces it until it is removed'),
    supportsBatchProcessing: z
      .boolean()
      .describe('Whether batch jobs may use it: its descriptor has a batchLibrary'),
    supportsStreamProcessing: z
      .boolean()
      .describe('Whether streaming jobs may use it: its descriptor has a streamLibrary'),
  })
  .meta({ id: 'Component' });

/** Parameters of the path, decoded. */
export const componentNameParams = z.object({ componentName: z.string().describe('Exactly as registered') });
