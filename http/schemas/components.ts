import { z } from 'zod';
import { unmanagedDescriptorSchema } from '../../actors/catalog/descriptors/descriptor.ts';
import { responseMessage } from './common.ts';
import { warnings } from './pipelines.ts';

/** Bodies of specification 4.6. A descriptor is checked by the very schema that the catalog is made of. */
export const componentDescriptor = unmanagedDescriptorSchema.meta({ id: 'ComponentDescriptor' });
export const registered = responseMessage.extend({ warnings }).meta({ id: 'Registered' });

export const component = z
  .strictObject({
    componentName: z.string(),
    componentVersion: z.string(),
    managed: z.boolean().describe('The server starts and stops its processes; otherwise clients run it'),
    registeredBy: z.string().nullable().describe('The user who registered it; null for managed ones'),
    algorithm: z.string(),
    replacedBy: z
      .string()
      .nullable()
      .describe('Of a managed one: the registered component that has its algorithm until it is removed'),
    supportsBatchProcessing: z.boolean(),
    supportsStreamProcessing: z.boolean(),
  })
  .meta({ id: 'Component' });

/** In the path, decoded. */
export const componentNameParams = z.object({ componentName: z.string().describe('Exactly as registered') });
