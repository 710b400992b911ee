/** Crashes of servers and components while a person is in a zone: the rule creates exactly one event. */
import { expect } from 'chai';
import { claimLive } from '../../support/live-pipeline.ts';
import type { RawComponent } from '../../support/processes/raw-component.ts';
import type { Service } from '../../support/processes/service.ts';
import type { Receiver } from '../../support/servers/receiver.ts';
import { until } from '../../support/until.ts';
import { ZoneWalker } from './zone-walker.ts';

const YARD = { name: 'yard', points: [[0.25, 0.25], [0.75, 0.25], [0.75, 0.75], [0.25, 0.75]] }; // oxfmt-ignore
const INSIDE = [0.4, 0.5] as const;
const AT = Date.UTC(2026, 10, 22, 12);
/** Frames of a visit, half a second apart. The rule creates its event in the middle. */
const FRAMES = 100;
const LONGER_THAN = 10;

export interface KillParts {
  readonly service: Service;
  readonly component: RawComponent;
  readonly receiver: Receiver;
}

interface Hook {
  readonly data: { readonly id: string; readonly event: string };
}

/** A visit during which the server, the component or both are killed at this frame. */
export async function visitWithKill(
  { service, component, receiver }: KillParts,
  frame: number,
  who: 'server' | 'component' | 'both',
): Promise<void> {
  const path = `/visit-${frame}-${who}`;
  const rules = [{ name: 'loiter', zone: 'yard', longerThan: LONGER_THAN }];
  const { body } = await service.ask('POST', '/rest/streaming/jobs', {
    ...{ enableOutputToDisk: false, stallTimeout: 60_000, pipelineName: 'LIVE PIPELINE' },
    stream: { streamUri: 'rtsp://camera.example/live', segmentSize: 10 },
    ...{ zones: [YARD], rules, events: { callbackUri: `${receiver.url}${path}`, kinds: ['RULE'] } },
  });
  const { jobId } = body as { jobId: number };
  let walker = new ZoneWalker(component, await claimLive(component, jobId), AT);
  for (let now = 0; now < FRAMES; now++) {
    walker.see(now, INSIDE, walker.token);
    if (now !== frame) {
      if (now % 5 === 0) await walker.tell();
      continue;
    }
    if (who === 'component') await walker.tryToTell();
    else await Promise.all([walker.tryToTell(), service.kill9()]).then(() => service.start());
    if (who === 'server') continue;
    // The next component has only the stored state of the server.
    await component.release(walker.token);
    walker = new ZoneWalker(component, await claimLive(component, jobId), AT);
  }
  walker.ended(walker.token);
  await walker.tell();
  await service.ask('POST', `/rest/streaming/jobs/${jobId}/cancel`);
  await component.end(walker.token, { reason: 'cancelled', detail: '' });
  await expectOne(service, receiver, jobId, path);
}

async function expectOne(service: Service, receiver: Receiver, jobId: number, path: string): Promise<void> {
  const listed = await service.ask('GET', `/rest/streaming/jobs/${jobId}/zone-events?kind=RULE`);
  const { events } = listed.body as { events: { id: string }[] };
  expect(events.length, `events of ${path}`).to.equal(1);
  const pending = async () =>
    (
      (await service.ask('GET', `/rest/streaming/jobs/${jobId}?details=true`)).body as {
        zones: { pending: number };
      }
    ).zones.pending;
  await until(`webhooks of ${path} arrive`, pending, (left) => left === 0);
  const hooks = receiver.requests.filter((request) => request.path === path);
  // A webhook whose response was lost in the crash is sent again with the same id.
  expect([...new Set(hooks.map(({ body }) => (JSON.parse(body) as Hook).data.id))]).to.deep.equal([
    events[0]!.id,
  ]);
  expect(new Set(hooks.map(({ headers }) => headers['idempotency-key'])).size).to.equal(1);
}
