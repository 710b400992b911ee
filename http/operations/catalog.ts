import { z } from 'zod';
import { json, nothing, type Operation } from '../openapi/operation.ts';
import {
  action,
  actionCreation,
  algorithm,
  component,
  componentDescriptor,
  componentNameParams,
  elementNameParams,
  elementWarnings,
  pipeline,
  pipelineCreation,
  registered,
  task,
  taskCreation,
} from '../schemas/catalog.ts';
import { responseMessage } from '../schemas/common.ts';
import { detailsQuery } from '../schemas/details.ts';

const COMPONENTS = 'Components';
const PIPELINES = 'Pipelines';

const noToken = json('The token is missing or not good.', responseMessage);

const wrongDetails = json('details is neither true nor false.', responseMessage);

const DESCRIPTOR = {
  componentName: 'PlateReader',
  componentVersion: '1.0',
  middlewareVersion: '1.0',
  sourceLanguage: 'python',
  batchLibrary: 'plate_reader',
  environmentVariables: [],
  algorithm: {
    name: 'PLATE',
    description: 'Reads number plates.',
    actionType: 'DETECTION',
    trackType: 'TEXT',
    requiresCollection: { states: [] },
    providesCollection: { states: ['DETECTION', 'DETECTION_TEXT'], properties: [] },
  },
};

const registration: Operation = {
  method: 'post',
  path: '/rest/components/registerUnmanaged',
  id: 'registerComponent',
  tag: COMPONENTS,
  caller: 'USER',
  summary: 'Register a component that you run yourself',
  description:
    'Whoever registered a component may claim the work of its algorithm with the same client. Where the descriptor has no list of ' +
    'actions, tasks or pipelines, one is made that runs the algorithm with its defaults. A replacement happens as a whole or not ' +
    'at all. Comments and trailing commas are let pass.',
  query: detailsQuery,
  body: { schema: componentDescriptor, example: DESCRIPTOR },
  answers: {
    200: json('Replaced, or identical to what is there.', registered, {
      message: 'Modified existing component.',
    }),
    201: json('Registered. Headers `Warning` say what is wrong all the same.', registered, {
      message: 'New component registered.',
    }),
    400: json(
      'The descriptor is invalid, a line for every problem; or the catalog is full.',
      responseMessage,
    ),
    401: noToken,
    409: json(
      'A managed component has the name, or somebody else a name in the descriptor.',
      responseMessage,
    ),
  },
};

/** The routes of `http/components.ts` (specification 4.6). */
export const componentOperations: readonly Operation[] = [
  registration,
  {
    method: 'get',
    path: '/rest/components',
    id: 'listComponents',
    tag: COMPONENTS,
    caller: 'USER',
    summary: 'List the components',
    answers: { 200: json('By name.', z.array(component)), 401: noToken },
  },
  {
    method: 'delete',
    path: '/rest/components/{componentName}',
    id: 'removeComponent',
    tag: COMPONENTS,
    caller: 'USER',
    summary: 'Remove a component and what it registered',
    description: 'What others made of its elements stays. Jobs that run keep their plan.',
    params: componentNameParams,
    answers: {
      204: nothing('Removed.'),
      401: noToken,
      404: json('There is no component of this name.', responseMessage),
      409: json('The component is managed: it would come back at the next start.', responseMessage),
    },
  },
];

interface Resource {
  readonly plural: string;
  readonly one: string;
  readonly shown: z.ZodType;
  readonly creation?: { readonly schema: z.ZodType; readonly example: object };
}

const PLATES = { name: 'PLATES', description: 'Reads plates.' };
const RESOURCES: readonly Resource[] = [
  {
    plural: 'pipelines',
    one: 'Pipeline',
    shown: pipeline,
    creation: { schema: pipelineCreation, example: { ...PLATES, tasks: ['PLATES'] } },
  },
  {
    plural: 'tasks',
    one: 'Task',
    shown: task,
    creation: { schema: taskCreation, example: { ...PLATES, actions: ['PLATES'] } },
  },
  {
    plural: 'actions',
    one: 'Action',
    shown: action,
    creation: {
      schema: actionCreation,
      example: { ...PLATES, algorithm: 'PLATE', properties: [{ name: 'MERGE_TRACKS', value: 'TRUE' }] },
    },
  },
  { plural: 'algorithms', one: 'Algorithm', shown: algorithm },
];

const removal = (path: string, one: string, id: string): Operation => ({
  method: 'delete',
  path: `/rest/${path}/{name}`,
  id,
  tag: PIPELINES,
  caller: 'USER',
  summary: `Remove the ${one.toLowerCase()} of this name`,
  params: elementNameParams,
  answers: { 200: nothing('Removed, or never there.') },
});

function operationsOf({ plural, one, shown, creation }: Resource): readonly Operation[] {
  const common = { tag: PIPELINES, caller: 'USER' } as const;
  const reading: readonly Operation[] = [
    {
      ...common,
      method: 'get',
      path: `/rest/${plural}`,
      id: `list${one}s`,
      summary: `List the ${plural}`,
      query: detailsQuery,
      answers: { 200: json('By name.', z.array(shown)), 400: wrongDetails },
    },
    {
      ...common,
      method: 'get',
      path: `/rest/${plural}/{name}`,
      id: `get${one}`,
      summary: `Tell what stands under this name of the ${plural}`,
      query: detailsQuery,
      params: elementNameParams,
      answers: {
        200: json('What stands there.', shown),
        400: wrongDetails,
        404: json('Nothing does.', responseMessage),
      },
    },
  ];
  if (creation === undefined) return reading;
  return [
    ...reading,
    {
      ...common,
      method: 'post',
      path: `/rest/${plural}`,
      id: `add${one}`,
      summary: `Add to the ${plural}`,
      description:
        'What it refers to need not be there yet: that is checked when a job is created. Until then it is a warning: in headers ' +
        '`Warning: 299 - "text"`, and with details=true in the body.',
      query: detailsQuery,
      body: creation,
      answers: {
        200: {
          ...json(
            'Added, or there already with this very content. A body only with details=true.',
            elementWarnings,
          ),
          onRequest: true,
        },
        400: json('It is invalid, or another one has the name.', responseMessage),
      },
    },
    removal(plural, one, `remove${one}`),
  ];
}

/** The routes of `http/pipelines.ts` (specification 4.7). */
export const pipelineOperations: readonly Operation[] = [
  ...RESOURCES.flatMap(operationsOf),
  removal('pipeline', 'Pipeline', 'removePipelineBySingularPath'),
];
