/** How a transition table is run, and what its types allow. */
import { expect } from 'chai';
import { inMemory } from '../../../actors/runtime/in-memory.ts';
import { commandsOf, decide, refuseWith, textOf, type Machine } from '../../../actors/runtime/machine.ts';

type DoorCommand =
  | { readonly type: 'open'; readonly key: string }
  | { readonly type: 'shut' }
  | { readonly type: 'lock' };
interface DoorTypes {
  readonly state: { readonly status: 'SHUT' | 'OPEN' | 'LOCKED'; readonly opened: number };
  readonly command: DoorCommand;
  readonly effect: string;
  readonly reply: never;
  readonly refusal: 'WRONG_KEY' | 'LOCKED_FOR_EVER';
  readonly context: { readonly key: string };
  readonly status: 'SHUT' | 'OPEN' | 'LOCKED';
}

const DOOR: Machine<DoorTypes> = {
  initial: { status: 'SHUT', opened: 0 },
  statusOf: ({ status }) => status,
  refuse: (status) => (status === 'LOCKED' ? 'LOCKED_FOR_EVER' : 'WRONG_STATE'),
  on: {
    open: {
      from: ['SHUT'],
      to: ['OPEN'],
      apply: ({ opened }, { key }, context) =>
        key === context.key
          ? { state: { status: 'OPEN', opened: opened + 1 }, effects: ['creak'] }
          : refuseWith('WRONG_KEY', 'That key is for another door.'),
    },
    shut: {
      from: ['SHUT', 'OPEN'],
      to: { SHUT: ['SHUT'], OPEN: ['SHUT'] },
      apply: (state) => (state.status === 'SHUT' ? {} : { state: { ...state, status: 'SHUT' } }),
    },
    lock: { from: ['SHUT'], to: ['LOCKED'], apply: (state) => ({ state: { ...state, status: 'LOCKED' } }) },
  },
  conclude: (outcome) => (outcome.state?.status === 'SHUT' ? { ...outcome, effects: ['bang'] } : outcome),
};
const CONTEXT = { key: 'mine' };

describe('A machine', () => {
  const tellDoor = (state: DoorTypes['state'] | undefined, command: DoorCommand) =>
    decide(DOOR, state, command, CONTEXT);
  const open = { status: 'OPEN', opened: 1 } as const;

  it('begins with its initial state, and answers that a command was carried out', () => {
    expect(tellDoor(undefined, { type: 'open', key: 'mine' })).to.deep.equal({
      reply: { kind: 'done' },
      state: open,
      effects: ['creak'],
    });
  });

  it('refuses by type what a state does not take, and changes nothing', () => {
    expect(tellDoor(open, { type: 'lock' })).to.deep.equal({
      reply: { kind: 'refused', reason: 'WRONG_STATE', status: 'OPEN' },
    });
  });

  it('refuses with the reason that the machine gives for a status', () => {
    expect(tellDoor({ status: 'LOCKED', opened: 0 }, { type: 'shut' })).to.deep.equal({
      reply: { kind: 'refused', reason: 'LOCKED_FOR_EVER', status: 'LOCKED' },
    });
  });

  it('lets a transition refuse after all, and says where it was refused', () => {
    const { reply, ...rest } = tellDoor(undefined, { type: 'open', key: 'other' });
    expect(reply).to.deep.equal({
      kind: 'refused',
      reason: 'WRONG_KEY',
      message: 'That key is for another door.',
      status: 'SHUT',
    });
    expect(rest).to.deep.equal({});
    expect(reply.kind === 'refused' && textOf(reply)).to.equal('That key is for another door.');
    expect(textOf({ reason: 'WRONG_KEY' })).to.equal('WRONG_KEY');
  });

  it('draws its conclusion from whatever was carried out, and from nothing that was refused', () => {
    expect(tellDoor(open, { type: 'shut' }).effects).to.deep.equal(['bang']);
    expect(tellDoor(open, { type: 'open', key: 'mine' }).effects).to.equal(undefined);
  });

  it('knows its commands', () => {
    expect([...commandsOf(DOOR)]).to.deep.equal(['open', 'shut', 'lock']);
  });
});

describe('An actor in memory', () => {
  const envelope = (command: DoorCommand) => ({ id: '1', command, at: 0, context: {} });

  it('keeps its state, tells of each change before its effects, and begins where it is put', async () => {
    const log: string[] = [];
    const door = inMemory<DoorTypes>({
      machine: DOOR,
      state: { status: 'SHUT', opened: 6 },
      context: () => CONTEXT,
      onChange: ({ opened }) => Promise.resolve(void log.push(`opened ${opened}`)),
      perform: (effects) => Promise.resolve(void log.push(...effects)),
      status: ({ status }) => status,
    });
    expect(await door.handle(envelope({ type: 'open', key: 'mine' }))).to.deep.equal({ kind: 'done' });
    expect(door.status).to.equal('OPEN');
    expect(await door.handle(envelope({ type: 'lock' }))).to.have.property('reason', 'WRONG_STATE');
    expect(log).to.deep.equal(['opened 7', 'creak']);
  });

  it('carries out what its effects cause before any other message, and answers the first', async () => {
    const door = inMemory<DoorTypes>({
      machine: DOOR,
      context: () => CONTEXT,
      perform: (effects) => Promise.resolve(effects.includes('creak') ? { type: 'shut' } : undefined),
      status: ({ status }) => status,
    });
    expect(await door.handle(envelope({ type: 'open', key: 'mine' }))).to.deep.equal({ kind: 'done' });
    expect(door.status).to.equal('SHUT');
  });
});
