import { useRef, useState } from 'preact/hooks';
import type { z } from 'zod';
import type {
  deployedNodeManagerModel,
  nodeConfiguration,
  nodeHosts,
  nodeInfos,
} from '../../http/schemas/nodes.ts';
import { get, send } from '../kit/api.ts';
import { useGet } from '../kit/load.ts';
import { Problem, Risky, Shown, Status, Table } from '../kit/parts.tsx';
import { LogDialog } from './log.tsx';
import { servicesByHost, withMore, type DeployedService } from './services.ts';
import { TEXT } from '../kit/text.ts';

type Deployed = z.output<typeof deployedNodeManagerModel>;
type Configuration = z.input<typeof nodeConfiguration>;

const EVERY_MS = 2_000;

/** The services on each host with their current state, their logs and their number of processes. */
export function Nodes() {
  const deployed = useGet<Deployed>('rest/nodes/info', {}, EVERY_MS);
  const hosts = useGet<z.output<typeof nodeHosts>>('rest/nodes/hosts', {}, EVERY_MS);
  const infos = useGet<z.output<typeof nodeInfos>>('rest/nodes', {}, EVERY_MS);
  const [problem, setProblem] = useState<string>();
  const [read, setRead] = useState<string>();
  const configuration = useGet<Configuration>('rest/nodes/config');
  const last = useRef(Promise.resolve());
  // Changes run one after the other, because each one builds on the result of the one before.
  const change = (host: string, service: string, more: number) => {
    last.current = last.current.then(() => changeCount(host, service, more));
  };
  const changeCount = async (host: string, service: string, more: number) => {
    setProblem(undefined);
    try {
      const before = await get<Configuration>('rest/nodes/config');
      const after = withMore(before, host, service, more);
      await send('POST', 'rest/nodes/config', after);
      configuration.set(after);
      deployed.again();
    } catch (error) {
      setProblem((error as Error).message);
    }
  };
  // Without the services there is nothing to show. The other answers only add to them.
  const failed = [hosts, infos, configuration].find(({ error }) => error !== undefined);
  const byHost = servicesByHost(
    deployed.value?.nodeModels ?? [],
    Object.keys(hosts.value ?? {}),
    configuration.value ?? [],
  );
  return (
    <>
      <header class="bar">
        <h1>{TEXT.nodes.nodesAndServices}</h1>
      </header>
      {problem !== undefined && <Problem>{problem}</Problem>}
      {failed !== undefined && deployed.error === undefined && (
        <Problem again={failed.again}>{failed.error?.message}</Problem>
      )}
      {read !== undefined && <LogDialog service={read} close={() => setRead(undefined)} />}
      <Shown of={deployed}>
        {() =>
          byHost.size === 0 ? (
            <p class="hint">{TEXT.nodes.noNodeYet}</p>
          ) : (
            [...byHost].map(([host, services]) => (
              <section key={host}>
                <h2>{host}</h2>
                <Drain
                  host={host}
                  draining={infos.value?.find((one) => one.host === host)?.draining !== undefined}
                  again={infos.again}
                />
                {hosts.value?.[host] === false && <p class="hint">{TEXT.nodes.itsNodeIsNotConnected}</p>}
                <ServiceTable
                  services={services}
                  read={setRead}
                  change={(service, more) => change(host, service, more)}
                />
              </section>
            ))
          )
        }
      </Shown>
    </>
  );
}

/** Shows if a node gets new work, and changes it. */
function Drain({
  host,
  draining,
  again,
}: {
  readonly host: string;
  readonly draining: boolean;
  readonly again: () => void;
}) {
  const verb = draining ? 'undrain' : 'drain';
  return (
    <p>
      {draining && <span class="warn">{TEXT.nodes.drainingItGetsNoNew} </span>}
      <Risky
        ask={draining ? TEXT.nodes.giveWorkAgain(host) : TEXT.nodes.giveNoNewWork(host)}
        act={async () => {
          await send('POST', `rest/nodes/${encodeURIComponent(host)}/${verb}`);
          again();
        }}
      >
        {draining ? TEXT.nodes.endDrain : TEXT.nodes.drain}
      </Risky>
    </p>
  );
}

function ServiceTable({
  services,
  read,
  change,
}: {
  readonly services: ReadonlyMap<string, readonly DeployedService[]>;
  /** Opens the last lines of a service. */
  readonly read: (service: string) => void;
  readonly change: (service: string, more: number) => void;
}) {
  return (
    <Table
      columns={[
        TEXT.nodes.service,
        TEXT.nodes.processes,
        { name: TEXT.nodes.restarts, isNumber: true },
        { name: TEXT.nodes.howMany, isNumber: true },
      ]}
    >
      {[...services].map(([name, processes]) => (
        <tr key={name}>
          <th scope="row">{name}</th>
          <td data-label={TEXT.nodes.processes}>
            {processes.map((one) => (
              <div key={one.name}>
                <Status of={one.lastKnownState} />{' '}
                <button
                  type="button"
                  class="plain"
                  aria-label={TEXT.nodes.logOf(one.name)}
                  onClick={() => read(one.name)}
                >
                  {TEXT.nodes.log}
                </button>{' '}
                {one.draining !== undefined && <small class="warn">{TEXT.nodes.itGetsNoNewWork} </small>}
                {one.unlaunchable && <small class="bad">{TEXT.nodes.itCanNoLongerBe}</small>}
              </div>
            ))}
          </td>
          <td data-label={TEXT.nodes.restarts} class="number">
            {processes.reduce((sum, { restartCount }) => sum + restartCount, 0)}
          </td>
          <td class="actions">
            <button
              type="button"
              aria-label={TEXT.nodes.oneLess(name)}
              disabled={processes.length === 0}
              onClick={() => change(name, -1)}
            >
              −
            </button>{' '}
            {processes.length}{' '}
            <button type="button" aria-label={TEXT.nodes.oneMore(name)} onClick={() => change(name, 1)}>
              +
            </button>
          </td>
        </tr>
      ))}
    </Table>
  );
}
