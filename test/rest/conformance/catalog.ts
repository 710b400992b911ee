import { expect } from 'chai';
import type { z } from 'zod';
import { story } from '../../support/story.ts';
import { algorithm, pipeline, problem, storedAction, storedTask } from './resources.ts';
import type { Suite } from './suite.ts';

interface Kind {
  readonly shape: z.ZodType<{ readonly name: string }>;
  readonly own: object;
  readonly stored: string;
}

/** A kind of element that clients can create: a new element, and its required fields. */
const KINDS: Readonly<Record<'pipelines' | 'tasks' | 'actions', Kind>> = {
  pipelines: { shape: pipeline, own: { tasks: ['LIGHT TASK'] }, stored: 'LIGHT PIPELINE' },
  tasks: { shape: storedTask, own: { actions: ['LIGHT ACTION'] }, stored: 'LIGHT TASK' },
  actions: {
    shape: storedAction,
    own: { algorithm: 'LIGHT', properties: [{ name: 'LABEL', value: 'x' }] },
    stored: 'LIGHT ACTION',
  },
};

export function catalogRows(suite: Suite): void {
  story('4.7 Pipelines, tasks, actions, algorithms', 'Each is created, then removed.', () => {
    testReading(suite, 'algorithms', algorithm, 'LIGHT');
    for (const kind of ['pipelines', 'tasks', 'actions'] as const) {
      const { shape, own, stored } = KINDS[kind];
      testReading(suite, kind, shape, stored);
      testCreation(suite, kind, shape, own);
    }
    suite.proves('DELETE /rest/pipeline/{name}', 200, 'removed, no content, in the singular', async () => {
      const made = { name: 'CONFORM AGAIN', description: 'x', ...KINDS.pipelines.own };
      await suite.getsNothing(['POST', '/rest/pipelines', made], 200);
      await suite.getsNothing(['DELETE', '/rest/pipeline/conform%20again'], 200);
      await suite.gets(['GET', '/rest/pipelines/CONFORM%20AGAIN'], 404, problem);
    });
  });
}

function testReading<T extends { readonly name: string }>(
  suite: Suite,
  kind: 'pipelines' | 'tasks' | 'actions' | 'algorithms',
  shape: z.ZodType<T>,
  stored: string,
): void {
  const path = (name: string) => `/rest/${kind}/${name}`;
  suite.proves(`GET /rest/${kind}`, 200, `array of ${kind}`, async () => {
    const all = await suite.gets(['GET', `/rest/${kind}`], 200, shape.array());
    expect(all.map(({ name }) => name)).to.include(stored);
  });
  suite.proves(`GET /rest/${kind}/{name}`, 200, 'in any case of letters, with blanks as %20', async () => {
    for (const name of [stored, stored.toLowerCase(), ` ${stored} `, `${stored}/`].map(encodeURI)) {
      const one = await suite.gets(['GET', path(name)], 200, shape);
      expect(one.name).to.equal(stored);
    }
  });
  suite.proves(`GET /rest/${kind}/{name}`, 404, 'with a sentence', async () => {
    for (const name of ['no%20such', 'LIGHT+', '%25', '%', 'a%2Fb', '__proto__', '%00', 'x'.repeat(2_000)])
      await suite.gets(['GET', path(name)], 404, problem);
  });
}

function testCreation(
  suite: Suite,
  kind: keyof typeof KINDS,
  shape: z.ZodType<{ readonly name: string }>,
  own: object,
): void {
  const made = { name: `CONFORM ${kind}`.toUpperCase(), description: 'Of a client.', ...own };
  const path = `/rest/${kind}/${encodeURIComponent(made.name)}`;

  suite.proves(`POST /rest/${kind}`, 200, 'created, no content', async () => {
    await suite.getsNothing(['POST', `/rest/${kind}`, made], 200);
    expect(await suite.gets(['GET', path], 200, shape)).to.deep.equal(made);
  });
  suite.proves(`POST /rest/${kind}`, 400, 'invalid', async () => {
    const bad: readonly unknown[] = [
      ...Object.keys(made)
        .filter((field) => field !== 'properties')
        .map((field) => ({ ...made, name: 'CONFORM BAD', [field]: undefined })),
      { ...made, description: 'Another one of that name.' },
      { ...made, name: 'a/b' },
      { ...made, name: 7 },
      [],
      'null',
    ];
    for (const body of bad) await suite.gets(['POST', `/rest/${kind}`, body], 400, problem);
    expect(await suite.gets(['GET', path], 200, shape)).to.deep.equal(made);
    await suite.gets(['GET', `/rest/${kind}/CONFORM%20BAD`], 404, problem);
  });
  suite.proves(
    `DELETE /rest/${kind}/{name}`,
    200,
    'removed, no content; also when it is not there',
    async () => {
      for (let times = 0; times < 2; times++) await suite.getsNothing(['DELETE', path.toLowerCase()], 200);
      await suite.gets(['GET', path], 404, problem);
    },
  );
}
