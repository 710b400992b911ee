/** Checks of deploy/compose.yaml that need no container engine. */
import { expect } from 'chai';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { REDIRECT_PATH } from '../../config/redirect-uri.ts';
import { readNodeSettings } from '../../config/node.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import {
  has,
  isSetting,
  objectionOfHaproxy,
  textOf,
  variablesOf,
  withValues,
  yamlOf,
  type Environment,
} from './files.ts';

interface ComposeService {
  readonly image: string;
  readonly build?: object;
  readonly command?: string | readonly string[];
  readonly environment?: Environment;
  readonly volumes?: readonly string[];
  readonly depends_on?: object;
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly networks?: { readonly default: { readonly ipv4_address?: string; readonly aliases?: string[] } };
}
interface Compose {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}
interface Realm {
  readonly realm: string;
  readonly roles: { readonly realm: readonly { readonly name: string }[] };
  readonly clients: readonly {
    readonly clientId: string;
    readonly secret: string;
    readonly redirectUris?: readonly string[];
    readonly attributes?: Environment;
    readonly protocolMappers: readonly { readonly name: string; readonly config: Environment }[];
  }[];
  readonly users: readonly {
    readonly username: string;
    readonly serviceAccountClientId?: string;
    readonly realmRoles: readonly string[];
  }[];
}

const secrets = variablesOf('.env.example');
const compose = yamlOf('compose.yaml') as Compose;
const realm = JSON.parse(textOf('compose/realm.json')) as Realm;
const balancer = textOf('compose/balancer.cfg');
const service = (name: string) => compose.services[name]!;
/** The environment of a service, on top of that of its image. */
const environmentOf = (name: string): Environment => ({
  HOST: '0.0.0.0',
  PORT: '8080',
  DATA_DIR: '/data',
  ...Object.fromEntries(
    Object.entries(service(name).environment ?? {}).map(([key, value]) => [key, withValues(value, secrets)]),
  ),
});
const servers = ['server-1', 'server-2'];

describe('The compose file of a cluster', () => {
  it('sets what there is, to values that are taken, with the secrets of .env.example', () => {
    for (const name of [...servers, 'node-1'])
      for (const [key, value] of Object.entries(service(name).environment ?? {})) {
        expect(isSetting(key), key).to.equal(true);
        expect(value, `${key} is a text`).to.be.a('string');
      }
    for (const name of servers) expect(() => readSettings(environmentOf(name))).to.not.throw();
    expect(() => readNodeSettings(undefined, environmentOf('node-1'))).to.not.throw();
  });

  it('names every secret of .env.example and none besides, and holds none itself', () => {
    const texts = [textOf('compose.yaml'), textOf('compose/realm.json')].join('\n');
    const named = new Set([...texts.matchAll(/\$\{(\w+)/g)].map(([, name]) => name!));
    expect([...named].sort()).to.deep.equal(Object.keys(secrets).sort());
    for (const [name, { environment = {} }] of Object.entries(compose.services))
      for (const [key, value] of Object.entries(environment))
        if (/SECRET|PASSWORD|TOKEN|AUTH/.test(key))
          expect(value, `${key} of ${name}`).to.match(/^\$\{\w+:\?/);
  });

  it('has servers that share a Redis and a folder, each with a name of its own', () => {
    const all = servers.map((name) => readSettings(environmentOf(name)));
    const common = ({ NODE_NAME: _, ...others }: Settings) => others;
    expect(common(all[0]!)).to.deep.equal(common(all[1]!));
    expect(all.map(({ STORE, NODE_NAME }) => [STORE, NODE_NAME])).to.deep.equal(
      servers.map((name) => ['redis', name]),
    );
    for (const name of servers) expect(service(name).volumes).to.include('data:/data');
    const url = new URL(all[0]!.REDIS_URL!);
    expect(url.hostname in compose.services).to.equal(true);
    expect(service(url.hostname).command).to.match(/--appendonly yes .*--maxmemory-policy noeviction/s);
    expect(service(url.hostname).volumes).to.deep.equal(['redis:/data']);
    expect(withValues(String(service(url.hostname).command), secrets)).to.include(
      `--requirepass ${url.password} `,
    );
  });

  it('pins what it takes from elsewhere, waits for what it needs, and gives servers time to stop', () => {
    for (const [name, { image, build, volumes = [], depends_on = {} }] of Object.entries(compose.services)) {
      if (build === undefined) expect(image, name).to.match(/:\d+\.\d+\.\d+(-\w+)?$/);
      for (const from of volumes.map((volume) => volume.split(':')[0]!))
        expect(from.startsWith('./') || from in compose.volumes, `${name}: ${from}`).to.equal(true);
      for (const other of Array.isArray(depends_on) ? (depends_on as string[]) : Object.keys(depends_on))
        expect(Object.keys(compose.services)).to.include(other);
    }
    const { DRAIN_MS } = readSettings(environmentOf('server-1'));
    for (const name of servers)
      expect(Number.parseInt(service(name).stop_grace_period!, 10) * 1_000).to.be.above(DRAIN_MS + 6_000);
  });

  it('looks after the health of all that answers: servers by /readyz', () => {
    for (const [name, { healthcheck }] of Object.entries(compose.services))
      if (healthcheck?.disable !== true) expect(healthcheck?.test, name).to.have.length.above(1);
    for (const name of [...servers, 'balancer'])
      expect(service(name).healthcheck?.test?.join(' ')).to.include('http://127.0.0.1:8080/readyz');
  });

  it('has a balancer that HAProxy takes, and that knows the servers by the addresses they have', function () {
    const addresses = (name: string) => service(name).networks?.default.ipv4_address;
    const wanted = servers.map((name) => `${addresses(name)}:8080`);
    const all = [...balancer.matchAll(/^ *server (\S+) (\S+)/gm)].map(
      ([, name, at]) => [name!, at!] as const,
    );
    const called = (name: string) => all.filter(([known]) => known === name);
    const provider = called('provider');
    const others = [...called('one'), ...called('two')];
    expect([...new Set(others.map(([, at]) => at))]).to.deep.equal(wanted);
    expect(others).to.have.lengthOf(all.length - called('self').length - provider.length);
    expect(provider.map(([, at]) => at)).to.deep.equal([`${addresses('provider')}:8080`]);
    const names = [new URL(environmentOf('server-1')['BASE_URL']!).hostname, 'login.localhost'];
    expect(balancer).to.include('-i login.localhost\n');
    expect(service('balancer').networks?.default.aliases).to.deep.equal(names);
    const settings = environmentOf('server-1');
    const urls = ['BASE_URL', 'OIDC_ISSUER_URI'].map((name) => new URL(settings[name]!).hostname);
    expect(urls).to.deep.equal(names);

    if (!has('haproxy')) this.skip();
    const folder = mkdtempSync(path.join(tmpdir(), 'troupe-balancer-'));
    try {
      expect(objectionOfHaproxy(balancer, folder)).to.equal('');
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('The realm of the provider in the compose file', () => {
  const client = (id: string) => realm.clients.find(({ clientId }) => clientId === id)!;
  const env = environmentOf('server-1');

  it('is the issuer, and has the clients with their secrets', () => {
    expect(env['OIDC_ISSUER_URI']).to.equal(
      `${service('provider').environment?.['KC_HOSTNAME']}/realms/${realm.realm}`,
    );
    const node = environmentOf('node-1');
    expect(node['TROUPE_ISSUER_URI']).to.equal(env['OIDC_ISSUER_URI']);
    const provided = Object.keys(service('provider').environment ?? {});
    for (const [id, secret] of [
      [env['OIDC_CLIENT_ID'], env['OIDC_CLIENT_SECRET']],
      [node['TROUPE_CLIENT_ID'], node['TROUPE_CLIENT_SECRET']],
    ])
      expect(withValues(client(id!).secret, secrets)).to.equal(secret);
    const named = [...textOf('compose/realm.json').matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name!);
    expect(provided).to.include.members(named);
  });

  it('says in tokens for whom they are, and which of the roles one has that the settings ask for', () => {
    const config = (id: string, name: string) =>
      client(id).protocolMappers.find((mapper) => mapper.name === name)!.config;
    for (const { clientId } of realm.clients) {
      expect(config(clientId, 'audience')['included.client.audience']).to.equal(env['OIDC_AUDIENCE']);
      expect(config(clientId, 'roles')).to.include({
        'access.token.claim': 'true',
        'id.token.claim': 'true',
        multivalued: 'true',
      });
      for (const role of ['USER', 'ADMIN', 'NODE'])
        expect(config(clientId, 'roles')['claim.name']).to.equal(env[`OIDC_${role}_CLAIM_NAME`]);
    }
    const roles = ['USER', 'ADMIN', 'NODE'].map((role) => env[`OIDC_${role}_CLAIM_VALUE`]);
    expect(realm.roles.realm.map(({ name }) => name)).to.deep.equal(roles);
    const rolesOf = Object.fromEntries(realm.users.map(({ username, realmRoles }) => [username, realmRoles]));
    expect(rolesOf).to.deep.equal({
      user: ['troupe-user'],
      admin: ['troupe-admin'],
      'service-account-troupe-node': ['troupe-node'],
      'service-account-troupe-tool': ['troupe-admin'],
    });
  });

  it('lets browsers come back to where the servers are reached, and nowhere else', () => {
    const { redirectUris, attributes } = client('troupe');
    expect(redirectUris).to.deep.equal([`${env['BASE_URL']}${REDIRECT_PATH}`]);
    expect(attributes?.['post.logout.redirect.uris']).to.equal(env['BASE_URL']);
    for (const { clientId, redirectUris: uris } of realm.clients)
      if (clientId !== 'troupe') expect(uris).to.equal(undefined);
  });
});
