import path from 'node:path';
import type { Launch } from '../../processes/component-process.ts';
import { START_VARIABLE, type ServiceModel } from '../node-configuration/model.ts';

type Variables = Readonly<Record<string, string>>;

export interface LaunchFacts {
  /** Environment variables that component processes inherit. */
  readonly inherited: Variables;
  /** Further variables for `${NAME}` in a configuration. They are not part of the environment. */
  readonly places: Variables;
  /** Base folder of relative working directories. */
  readonly home: string;
  readonly serverUrl: string;
  readonly token: string;
  /** `<host>:<service>:<n>` */
  readonly fullName: string;
  /** Settings that a built-in component gets. */
  readonly bootstrap: Readonly<Record<string, unknown>>;
  /** Memory limit in bytes. */
  readonly maxMemory: number;
}

/**
 * Returns the command line and the environment of a service's process. `${NAME}` is replaced by a variable of its environment, or by
 * nothing if there is none.
 */
export function launchOf(model: ServiceModel, facts: LaunchFacts): Launch {
  const { inherited, places, serverUrl, token, fullName, bootstrap, maxMemory } = facts;
  const own = {
    TROUPE_SERVER_URL: serverUrl,
    TROUPE_WORKER_TOKEN: token,
    SERVICE_NAME: fullName,
    COMPONENT_NAME: model.serviceName,
  };
  const environment: Record<string, string> = { ...inherited, ...own };
  const expand = (text: string) =>
    text.replaceAll(
      /\$\{(\w+)\}/g,
      (_, name: string) => valueOf(places, name) ?? valueOf(environment, name) ?? '',
    );
  for (const { name, value, sep } of model.environmentVariables) {
    if (name === START_VARIABLE) continue;
    const before = valueOf(environment, name);
    const expanded = expand(value);
    environment[name] = sep !== undefined && before !== undefined ? `${before}${sep}${expanded}` : expanded;
  }
  return {
    command: expand(model.cmd),
    args: model.args.map(expand),
    cwd: path.resolve(facts.home, expand(model.workingDirectory)),
    environment: { ...environment, ...own },
    maxMemory,
    bootstrap: JSON.stringify({
      ...bootstrap,
      ...mediaCacheIn(environment),
      ...modelsIn(environment, maxMemory),
      ...modelServersIn(environment),
      ...{ service: fullName, serverUrl, token },
    }),
  };
}

/** Components of the product read no environment, so they get these variables as settings. */
function mediaCacheIn(variables: Variables): object {
  const { MEDIA_CACHE_FOLDER: folder = '', MEDIA_CACHE_BYTES: bytes = '' } = variables;
  const given = {
    ...(folder === '' ? {} : { folder }),
    ...(/^\d+$/.test(bytes) ? { bytes: Number(bytes) } : {}),
  };
  return Object.keys(given).length === 0 ? {} : { mediaCache: given };
}

function modelsIn(variables: Variables, maxMemory: number): object {
  const { MODEL_ROOTS: roots = '', MODELS_LOADED: loaded = '', MODEL_CHECK_MS: checkMs = '' } = variables;
  const folders = roots.split(path.delimiter).filter((folder) => folder.trim() !== '');
  return {
    models: {
      roots: folders,
      maxMemory,
      ...(/^\d+$/.test(loaded) ? { loaded: Number(loaded) } : {}),
      ...(/^\d+$/.test(checkMs) ? { checkMs: Number(checkMs) } : {}),
    },
  };
}

function modelServersIn(variables: Variables): object {
  const { MODEL_SERVER_PRIVATE, MODEL_SERVER_ALLOWED_HOSTS: hosts = '', MODEL_SERVER_WAIT_MS } = variables;
  return {
    modelServers: {
      allowPrivate: MODEL_SERVER_PRIVATE?.trim().toLowerCase() === 'true',
      allowedHosts: hosts.split(',').filter((host) => host.trim() !== ''),
      waitMs: /^\d+$/.test(MODEL_SERVER_WAIT_MS ?? '') ? Number(MODEL_SERVER_WAIT_MS) : MODEL_SERVER_WAIT,
    },
  };
}

/** Default of MODEL_SERVER_WAIT_MS. The variable is absent if it is not set. */
const MODEL_SERVER_WAIT = 15 * 60_000;

const valueOf = (variables: Variables, name: string) =>
  Object.hasOwn(variables, name) ? variables[name] : undefined;
