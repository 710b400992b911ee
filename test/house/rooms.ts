/**
 * The rooms of the code, and who may import whom. `test/architecture.test.ts` and `npm run house` check the imports against these tables.
 */

export const FOLDERS = [
  'actors',
  'client',
  'http',
  'store',
  'config',
  'domain',
  'evaluate',
  'protocol',
  'mcp',
  'media',
  'node',
  'results',
  'egress',
  'files',
  'components',
  'processes',
  'page',
  'search',
  'server',
  'cli',
] as const;
export type Folder = (typeof FOLDERS)[number] | 'main.ts';

/** Rules and types that every folder may import. */
export const GROUND: readonly Folder[] = ['domain', 'protocol'];

/** Entry points that connect all other folders. */
export const ROOTS: readonly Folder[] = ['main.ts', 'server', 'cli'];

/**
 * Folders that a folder may import besides itself and GROUND. `store` means its contract: only server/
 * connects its backends.
 */
export const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
  'main.ts': FOLDERS,
  server: FOLDERS,
  cli: ['main.ts', ...FOLDERS],
  // The login calls the provider. MCP tools are another interface to REST.
  http: ['actors', 'config', 'egress', 'files', 'mcp'],
  // It uses only types of the REST interface.
  mcp: ['client'],
  // A separate package, which uses only types of the REST interface.
  client: ['egress'],
  // The entry point of a node on another host.
  node: ['actors', 'components', 'config', 'egress', 'files', 'processes', 'results'],
  actors: ['store', 'results', 'files', 'processes'],
  // Requests to model servers follow the rules of callbacks.
  components: ['media', 'results', 'files', 'egress'],
  // It reads result documents as streams.
  evaluate: ['results', 'files'],
  domain: [],
  protocol: [],
  // The rules for addresses apply to every download.
  media: ['egress', 'files'],
  results: ['files'],
  // The naming of files is shared by all code that writes files.
  files: [],
  egress: [],
  processes: [],
  config: [],
  store: [],
  // It runs in a browser.
  page: [],
  // Backends of the search. The store contains their contract.
  search: ['store', 'results'],
};

/** Files of which only types are imported, because the values are passed in. */
export const BY_TYPE: readonly string[] = ['config/logger.ts', 'config/settings.ts', 'egress/request.ts'];

/**
 * Rooms inside large folders, lowest first: a room may import only rooms listed before it. `*` stands for
 * files directly in the folder, which connect the rooms.
 */
export const ROOMS: Readonly<Record<string, readonly string[]>> = {
  actors: [
    'basics',
    'runtime',
    'delivery',
    'batch-job',
    'streaming-job',
    'admission',
    'catalog',
    'node-configuration',
    'service',
    'node-manager',
    'cluster',
    'pauses',
    'node-gateway',
    'dispatcher',
    'system-messages',
    'uploads',
    'requests',
    'job-service',
    'streaming-service',
    'job-files',
    'frames',
    'worker-gateway',
    'views',
    'findings',
    'operations',
    'people',
    'search',
    'sessions',
    'audit',
    'upkeep',
    'guardian',
  ],
  'actors/batch-job': ['failures', 'state', 'plan', 'completion', 'kinds', 'life-cycle', '*'],
  'actors/worker-gateway': ['leases', 'results', 'streams', '*'],
  components: ['sdk', 'documents', 'shared', 'detectors', 'models', 'builtin', 'host'],
  media: ['*', 'fetch', 'libav', 'sound', 'picture', 'video', 'inspect', 'live'],
  cli: ['terminal', 'arguments', 'render', 'service', 'doctor', 'demo', 'commands', '*'],
  http: [
    'schemas',
    'routing',
    'access',
    'users',
    'pages',
    'login',
    'steps',
    'metrics',
    'events',
    'mcp',
    'endpoints',
    'openapi',
    '*',
  ],
  egress: ['http', '*'],
  results: ['*', 'recording', 'check', 'document', 'exports', 'timeline'],
  domain: ['*', 'properties', 'plan', 'job', 'frames', 'geometry', 'zones', 'tracks', 'text'],
};
