/** Checks of the kustomize base in deploy/kubernetes that need no cluster. */
import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { parseYaml } from '@redocly/openapi-core';
import { packageRoot } from '../../config/info.ts';
import { readNodeSettings } from '../../config/node.ts';
import { readSettings } from '../../config/settings.ts';
import { has, isSetting, pathOf, textOf, variablesOf, yamlOf } from './files.ts';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}
interface Container {
  readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
  readonly envFrom: readonly Readonly<Record<string, { readonly name: string }>>[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly readinessProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly startupProbe?: Probe;
  readonly lifecycle?: { readonly preStop: { readonly exec: { readonly command: readonly string[] } } };
}
interface Resource {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly stringData?: Readonly<Record<string, string>>;
  readonly spec: {
    readonly accessModes?: readonly string[];
    readonly selector?: { readonly matchLabels?: object };
    readonly minAvailable?: number;
    readonly replicas?: number;
    readonly serviceName?: string;
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly terminationGracePeriodSeconds: number;
        readonly volumes: readonly { readonly persistentVolumeClaim?: { readonly claimName: string } }[];
        readonly containers: readonly [Container];
      };
    };
  };
}

interface Scaled {
  readonly scaleTargetRef: { readonly kind: string; readonly name: string };
  readonly minReplicaCount?: number;
  readonly minReplicas?: number;
}

const FOLDER = 'kubernetes';
const resourcesOf = (file: string) =>
  textOf(`${FOLDER}/${file}`)
    .split(/^---$/m)
    .map((text) => parseYaml(text) as Resource);
const { resources: files } = yamlOf(`${FOLDER}/kustomization.yaml`) as { readonly resources: string[] };
const resources = files.flatMap(resourcesOf);
const secrets = resourcesOf('secrets.example.yaml');
const findResource = (kind: string, name: string) =>
  [...resources, ...secrets].find((one) => one.kind === kind && one.metadata.name === name)!;
const podOf = (name: string) => findResource('StatefulSet', name).spec.template.spec;
const secretOf = (name: string) => findResource('Secret', name).stringData!;
/** The environment from the image, the config map, the secret and the name of the pod. */
const environmentOf = (settings: string, secret: string, pod: string) => ({
  HOST: '0.0.0.0',
  DATA_DIR: '/data',
  NODE_NAME: pod,
  ...variablesOf(`${FOLDER}/${settings}`),
  ...secretOf(secret),
});

describe('The kustomize base', () => {
  it('sets what there is, to values that are taken', () => {
    const maps = ['servers.env', 'nodes.env'].map((file) => variablesOf(`${FOLDER}/${file}`));
    for (const name of [...maps, secretOf('troupe'), secretOf('troupe-node')].flatMap(Object.keys))
      expect(isSetting(name), name).to.equal(true);
    const server = readSettings(environmentOf('servers.env', 'troupe', 'troupe-0'));
    expect(server).to.include({ STORE: 'redis', NODE_NAME: 'troupe-0' });
    const node = environmentOf('nodes.env', 'troupe-node', 'troupe-node-0');
    expect(() => readNodeSettings(undefined, node)).to.not.throw();
    expect(findResource('Service', new URL(node['TROUPE_URL' as keyof typeof node]).hostname)).to.not.equal(
      undefined,
    );
  });

  it('names each server and node by its pod, and keeps secrets out of the settings', () => {
    for (const [name, map] of [
      ['troupe', 'troupe-settings'],
      ['troupe-node', 'troupe-node-settings'],
    ] as const) {
      const [{ env, envFrom }] = podOf(name).containers;
      expect(env).to.deep.equal([
        { name: 'NODE_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      ]);
      expect(envFrom).to.deep.equal([{ configMapRef: { name: map } }, { secretRef: { name } }]);
      const set = findResource('StatefulSet', name).spec;
      expect(set.template.metadata.labels).to.deep.equal(set.selector?.matchLabels);
      expect(findResource('Service', set.serviceName!)).to.not.equal(undefined);
    }
  });

  it('runs two servers on one folder, of which one goes on when a host is emptied', () => {
    expect(findResource('StatefulSet', 'troupe').spec.replicas).to.equal(2);
    const [claim] = podOf('troupe').volumes.flatMap(
      ({ persistentVolumeClaim }) => persistentVolumeClaim ?? [],
    );
    expect(findResource('PersistentVolumeClaim', claim!.claimName).spec.accessModes).to.deep.equal([
      'ReadWriteMany',
    ]);
    const budget = findResource('PodDisruptionBudget', 'troupe').spec;
    expect(budget.minAvailable).to.equal(1);
    expect(budget.selector?.matchLabels).to.deep.equal(
      findResource('StatefulSet', 'troupe').spec.selector?.matchLabels,
    );
  });

  it('asks a server whether it is ready, and gives it time to hand back its work', () => {
    const { containers, terminationGracePeriodSeconds } = podOf('troupe');
    const [{ readinessProbe, livenessProbe, startupProbe, lifecycle, ports }] = containers;
    const probed = [readinessProbe, livenessProbe, startupProbe].map((probe) => probe?.httpGet);
    expect(probed).to.deep.equal(
      ['/readyz', '/healthz', '/healthz'].map((path) => ({ path, port: ports![0]!.name })),
    );
    const { DRAIN_MS, PORT } = readSettings(environmentOf('servers.env', 'troupe', 'troupe-0'));
    expect(ports![0]!.containerPort).to.equal(PORT);
    const [program, seconds] = lifecycle!.preStop.exec.command;
    expect(program).to.equal('sleep');
    expect(terminationGracePeriodSeconds * 1_000).to.be.above(Number(seconds) * 1_000 + DRAIN_MS + 6_000);
  });

  it('scales sets that there are, and leaves as many servers as one may be taken away from', () => {
    const scaled = (file: string) => {
      const { spec } = yamlOf(`${FOLDER}/autoscaling/${file}`) as { readonly spec: Scaled };
      expect(findResource(spec.scaleTargetRef.kind, spec.scaleTargetRef.name)).to.not.equal(undefined);
      return spec;
    };
    expect(scaled('nodes.yaml').minReplicaCount).to.equal(0);
    const { minAvailable } = findResource('PodDisruptionBudget', 'troupe').spec;
    expect(scaled('servers.yaml').minReplicas).to.be.above(minAvailable!);
    const { resources: names } = yamlOf(`${FOLDER}/autoscaling/kustomization.yaml`) as {
      readonly resources: readonly string[];
    };
    expect(names).to.deep.equal(['nodes.yaml', 'servers.yaml']);
  });

  it('is built by kustomize', function () {
    if (!has('kubectl')) this.skip();
    const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', pathOf(FOLDER)], {
      encoding: 'utf8',
    });
    expect(status, stderr).to.equal(0);
    for (const { metadata } of resources) expect(stdout).to.include(`name: ${metadata.name}\n`);
    expect(stdout).to.match(/configMapRef:\n +name: troupe-settings-\w+\n/);
    expect(stdout).to.match(/image: troupe:\d+\.\d+\.\d+\n/);
  });

  it('is the base of the overlay that the guide shows', function () {
    if (!has('kubectl')) this.skip();
    const guide = readFileSync(path.join(packageRoot, 'docs/guides/run-on-kubernetes.md'), 'utf8');
    const start = guide.indexOf('# kustomization.yaml');
    const folder = mkdtempSync(path.join(packageRoot, 'dist', 'overlay-'));
    try {
      writeFileSync(
        path.join(folder, 'kustomization.yaml'),
        guide.slice(start, guide.indexOf('```', start)).replace('../deploy', '../../deploy'),
      );
      const { status, stdout, stderr } = spawnSync('kubectl', ['kustomize', folder], { encoding: 'utf8' });
      expect(status, stderr).to.equal(0);
      expect(stdout).to.include('  BASE_URL: https://media.example\n').and.to.include('namespace: media\n');
      expect(stdout).to.match(/image: registry\.example\/troupe:\d+\.\d+\.\d+\n/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
