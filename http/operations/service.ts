import { z } from 'zod';
import { json, nothing, type Operation } from '../openapi/operation.ts';
import { responseMessage } from '../schemas/common.ts';
import { info } from '../schemas/service.ts';

const TAG = 'Service';

/** The routes of `http/service.ts` and `http/openapi/routes.ts`. */
export const serviceOperations: readonly Operation[] = [
  {
    method: 'get',
    path: '/rest/info',
    id: 'getInfo',
    tag: TAG,
    caller: 'USER',
    summary: 'Tell which version runs',
    answers: {
      200: {
        ...json('The application, its version and its build.', info, {
          app: 'Troupe',
          appFamily: 'Troupe',
          buildNum: '0',
          gitBranch: 'unknown',
          gitHash: 'unknown',
          version: '0.1.0',
        }),
        headers: {
          'X-Interface-Version': 'Version of the REST interface.',
          'Troupe-Server': 'Names the server that answered; another one after each start.',
        },
      },
    },
  },
  {
    method: 'get',
    path: '/rest/openapi.json',
    id: 'getOpenApiDocument',
    tag: TAG,
    caller: 'USER',
    summary: 'Describe this interface',
    answers: { 200: json('This document (OpenAPI 3.1).', z.looseObject({ openapi: z.string() })) },
  },
  {
    method: 'get',
    path: '/healthz',
    id: 'getHealth',
    tag: TAG,
    caller: 'ANYONE',
    summary: 'Tell whether the server is up',
    answers: { 200: nothing('It is.') },
  },
  {
    method: 'get',
    path: '/readyz',
    id: 'getReadiness',
    tag: TAG,
    caller: 'ANYONE',
    summary: 'Tell whether the server takes new jobs',
    answers: {
      200: nothing('It does.'),
      503: json('It stops, or cannot store anything now; the message says which.', responseMessage),
    },
  },
];
