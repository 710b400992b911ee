/**
 * The rooms of the code, and who may import whom. `test/architecture.test.ts` and `npm run house` check the imports against these tables.
 */

/** Top-level folders. */
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

/** The ground floor: rules and words that everybody may use. */
export const GROUND: readonly Folder[] = ['domain', 'protocol'];

/** They put everything together. */
export const ROOTS: readonly Folder[] = ['main.ts', 'server', 'cli'];

/**
 * Folders whose code a folder may use besides its own and the ground floor. `store` is the contract: its backends are only put
 * together in server/.
 */
export const MAY_IMPORT: Readonly<Record<Folder, readonly Folder[]>> = {
  'main.ts': FOLDERS,
  server: FOLDERS,
  cli: ['main.ts', ...FOLDERS],
  // The login asks the provider. Tools of agents are another way to the REST interface.
  http: ['actors', 'config', 'egress', 'files', 'mcp'],
  // Of the REST interface it knows the types.
  mcp: ['client'],
  // A package by itself: of the interface it knows the types.
  client: ['egress'],
  // The root of a node on another host.
  node: ['actors', 'components', 'config', 'egress', 'files', 'processes', 'results'],
  actors: ['store', 'results', 'files', 'processes'],
  // Model servers are asked by the rules of callbacks.
  components: ['media', 'results', 'files', 'egress'],
  // It scores result documents, which it reads as streams.
  evaluate: ['results', 'files'],
  domain: [],
  protocol: [],
  // The rules about addresses, once for everything that is asked for.
  media: ['egress', 'files'],
  results: ['files'],
  // How files come to their names, once for all who write.
  files: [],
  egress: [],
  processes: [],
  config: [],
  store: [],
  // It runs in a browser.
  page: [],
  // Backends of the search, whose contract is the store's.
  search: ['store', 'results'],
};

/** What is known by its type alone, because it is handed in from outside. */
export const BY_TYPE: readonly string[] = ['config/logger.ts', 'config/settings.ts', 'egress/request.ts'];

/**
 * The rooms inside of large folders, from the ground up: a room may import rooms that are listed before it. `*` is the rest: files
 * that lie directly in the folder, which put the rooms together.
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
