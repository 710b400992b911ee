/** Chapter 4 of the specification: every row with all its statuses. */
export const CHAPTER_4 = {
  'GET /rest/info': [200, 401],
  'GET /rest/jobs/stats': [200, 401],

  'POST /rest/jobs': [201, 400, 401],
  'GET /rest/jobs/{id}': [200, 400, 401],
  'POST /rest/jobs/{id}/cancel': [200, 400, 401],
  'GET /rest/jobs/{id}/output/detection': [200, 400, 401],
  'POST /rest/jobs/{id}/resubmit': [200, 400, 401],
  'POST /rest/jobs/archiverepost': [200, 401, 500],

  'GET /rest/streaming/jobs': [200, 401],
  'POST /rest/streaming/jobs': [201, 400, 401],
  'GET /rest/streaming/jobs/{id}': [200, 400, 401],
  'POST /rest/streaming/jobs/{id}/cancel': [200, 400, 401],

  'GET /rest/nodes/config': [200, 401],
  'POST /rest/nodes/config': [201, 401],
  'GET /rest/nodes/hosts': [200, 401],
  'GET /rest/nodes/info': [200, 401],
  'GET /rest/nodes/services': [200, 401],
  'POST /rest/nodes/services/{serviceName}/start': [200, 401],
  'POST /rest/nodes/services/{serviceName}/stop': [200, 401],

  'GET /rest/system-message': [200, 401],
  'POST /rest/system-message': [201, 401],
  'GET /rest/system-message/type/{typeFilter}': [200, 401],
  'DELETE /rest/system-message/{id}': [200, 401],

  'POST /rest/components/registerUnmanaged': [200, 201, 400, 401, 409],
  'DELETE /rest/components/{componentName}': [204, 401, 404],

  'GET /rest/pipelines': [200, 401],
  'GET /rest/pipelines/{name}': [200, 401, 404],
  'POST /rest/pipelines': [200, 400, 401],
  'DELETE /rest/pipelines/{name}': [200, 401],
  'DELETE /rest/pipeline/{name}': [200, 401],
  'GET /rest/tasks': [200, 401],
  'GET /rest/tasks/{name}': [200, 401, 404],
  'POST /rest/tasks': [200, 400, 401],
  'DELETE /rest/tasks/{name}': [200, 401],
  'GET /rest/actions': [200, 401],
  'GET /rest/actions/{name}': [200, 401, 404],
  'POST /rest/actions': [200, 400, 401],
  'DELETE /rest/actions/{name}': [200, 401],
  'GET /rest/algorithms': [200, 401],
  'GET /rest/algorithms/{name}': [200, 401, 404],

  'GET /rest/queues': [200, 401],
  'GET /rest/queues/{name}': [200, 401, 404],
} as const satisfies Readonly<Record<string, readonly number[]>>;

export type Row = keyof typeof CHAPTER_4;
export type StatusOf<R extends Row> = (typeof CHAPTER_4)[R][number];

export const ROWS = Object.keys(CHAPTER_4) as readonly Row[];

/**
 * Rows that need the role ADMIN. This is a choice of this project: chapter 5 does not state the roles of
 * endpoints.
 */
export const ADMIN_ROWS: ReadonlySet<Row> = new Set([
  'POST /rest/nodes/config',
  'POST /rest/nodes/services/{serviceName}/start',
  'POST /rest/nodes/services/{serviceName}/stop',
  'POST /rest/system-message',
  'DELETE /rest/system-message/{id}',
]);

/** Extensions of this service: further methods on paths of chapter 4. */
export const BEYOND: Readonly<Record<string, readonly string[]>> = {
  '/rest/streaming/jobs/{id}': ['DELETE'],
  '/rest/jobs': ['GET'],
  '/rest/jobs/{id}': ['PATCH', 'DELETE'],
  // These paths are also valid paths of jobs and components with these names.
  '/rest/jobs/stats': ['PATCH', 'DELETE'],
  '/rest/jobs/archiverepost': ['GET', 'PATCH', 'DELETE'],
  '/rest/components/registerUnmanaged': ['DELETE'],
};

export function partsOf(row: Row): { readonly method: string; readonly path: string } {
  const [method = '', path = ''] = row.split(' ');
  return { method, path };
}

/**
 * Returns a row's path with its parameters filled in: existing ids for reads, unknown ids for all other
 * methods.
 */
export function askable(row: Row, jobId: string): string {
  const { method, path } = partsOf(row);
  const pathNamed = (kind: string) => path.replace('{name}', encodeURIComponent(`LIGHT${kind}`));
  if (method !== 'GET')
    return path.replaceAll(/\{(id|name|componentName|serviceName)\}/g, (_, what) =>
      what === 'id' ? '987654' : 'no%20such%20thing',
    );
  if (path.startsWith('/rest/pipelines')) return pathNamed(' PIPELINE');
  if (path.startsWith('/rest/tasks')) return pathNamed(' TASK');
  if (path.startsWith('/rest/actions')) return pathNamed(' ACTION');
  if (path.startsWith('/rest/algorithms')) return pathNamed('');
  if (path.startsWith('/rest/queues')) return path.replace('{name}', 'TROUPE.DETECTION_LIGHT_REQUEST');
  return path.replace('{id}', jobId).replace('{typeFilter}', 'all');
}
