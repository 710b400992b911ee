import type { Owner, Row, Store } from '../../store/store.ts';
import { loadDurable, type Decision, type DurableKind } from '../runtime/durable.ts';
import { DEFAULT_INTENSITY } from '../runtime/supervision.ts';
import type { ActorKind, Family } from '../runtime/system.ts';
import { CONFIGURATION_COMMANDS, type ConfigurationCommand, type ConfigurationReply } from './commands.ts';
import type { ConfigurationEffect } from './effects.ts';
import type { NodeManagerModel } from './model.ts';
import type { ConfigurationState } from './state.ts';
import { decideConfiguration, recoverConfiguration, type ConfigurationRules } from './transitions.ts';

export const NODE_CONFIGURATION = 'node-configuration';
const SCHEMA = 1;
/** A row a node, so that a large cluster does not make a large snapshot. */
const ROWS = 'node/';

export interface ConfigurationDeps {
  readonly store: Store;
  readonly owner: Owner;
  readonly rules: ConfigurationRules;
  /** Tells the node managers. */
  apply(nodes: readonly NodeManagerModel[]): void;
}

interface Saved {
  readonly firstSaved: number;
}
type Kind = DurableKind<
  Saved,
  ConfigurationState,
  ConfigurationCommand,
  ConfigurationReply,
  ConfigurationEffect
>;

/** The node configuration of the cluster (specification 2.4): one actor, durable once somebody has posted one. */
export function nodeConfigurationKind(
  deps: ConfigurationDeps,
): ActorKind<ConfigurationCommand, ConfigurationReply> {
  const durable = durableConfiguration(deps);
  return {
    name: NODE_CONFIGURATION,
    accepts: CONFIGURATION_COMMANDS,
    mailbox: 1_000,
    intensity: DEFAULT_INTENSITY,
    load: (id) => loadDurable(durable, deps.store, deps.owner, id),
  };
}

/** The configuration in force. One that cannot be read is in quarantine after the first try, and the initial one in force. */
export async function currentNodes(
  family: Family<ConfigurationCommand, ConfigurationReply>,
): Promise<readonly NodeManagerModel[]> {
  const read = () => family.ask(NODE_CONFIGURATION, { type: 'read' });
  const reply = await read().catch(read);
  return reply.kind === 'configuration' ? reply.nodes : [];
}

function durableConfiguration({ rules, apply }: ConfigurationDeps): Kind {
  return {
    kind: NODE_CONFIGURATION,
    schema: SCHEMA,
    upcasters: {},
    rowsOf: () => ROWS,
    restore: (_record, _body, rows) => ({ nodes: rows.map(({ body }) => body as NodeManagerModel) }),
    snapshot: (_record, { nodes }) => ({ nodes: nodes.length }),
    decide: (record, state, { command, at }) => {
      const { reply, state: after, effects = [] } = decideConfiguration(state, command, rules);
      if (after === undefined) return { reply };
      return { reply, effects, change: changeTo(after, record ?? { firstSaved: at }, record === undefined) };
    },
    recover: recoverConfiguration,
    perform: (_record, _state, effects) => {
      for (const { nodes } of effects) apply(nodes);
      return Promise.resolve();
    },
  };
}

function changeTo(
  state: ConfigurationState,
  record: Saved,
  isNew: boolean,
): NonNullable<Decision<Saved, ConfigurationState, never, never>['change']> {
  return {
    state,
    removeRows: [ROWS],
    putRows: state.nodes.map(toRow),
    synced: true,
    ...(isNew ? { record } : {}),
  };
}

/** Numbered, so that they come back in the order in which they were posted. */
const toRow = (node: NodeManagerModel, index: number): Row => ({
  key: `${ROWS}${String(index).padStart(8, '0')}`,
  body: node,
});
