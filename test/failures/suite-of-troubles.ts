/** Components that exit, hang, or send too much or invalid data, by fault and frequency. */
import { expect } from 'chai';
import { join } from 'node:path';
import {
  errorCodes,
  sampleUri,
  Service,
  tracksOf,
  type DetectionDocument,
} from '../support/processes/service.ts';

export const ATTEMPTS = 2;
/** Short, but longer than a busy machine needs to load a library. */
const WITHIN_MS = 4_000;
const MAX_RESULT_BYTES = 100_000;
export const PICTURE = sampleUri('hello-world.png');
export const CAR = sampleUri('red-car.jpg');

const TROUBLES = {
  exit: ['exits', /: the process exited with code 3$/],
  leave: ['ends in the middle as if all were well', /: the process exited with code 0$/],
  hang: ['hangs while its heartbeats go on', /: no progress for \d+ ms$/],
  hold: ['computes without end, its event loop held', /: no progress for \d+ ms$/],
  freeze: ['stands still as a whole', /: no heartbeat for \d+ ms$/],
  flood: ['floods', new RegExp(`: its answer was refused: .* more than ${MAX_RESULT_BYTES} bytes\\.$`)],
  garbage: ['answers garbage', /: its answer was refused: .*confidence/],
} as const;
export type Trouble = keyof typeof TROUBLES;

export const SETTINGS = {
  COMPONENT_PROCESSES: '2',
  SUB_JOB_ATTEMPTS: String(ATTEMPTS),
  LEASE_MS: String(WITHIN_MS),
  SILENCE_MS: String(1.5 * WITHIN_MS),
  MAX_RESULT_BYTES: String(MAX_RESULT_BYTES),
  CANCEL_GRACE_MS: '300',
};

/**
 * The second medium is slow, so a component has only one sub-job at a time. A process that dies with several
 * would not count an attempt for any of them.
 */
export const troubleRequest = (properties: Readonly<Record<string, string>>) => ({
  media: [
    { mediaUri: PICTURE, properties },
    { mediaUri: CAR, properties: { TROUBLE: 'slow' } },
  ],
  pipelineName: 'TROUBLE PIPELINE',
});

export const firstError = (document: DetectionDocument) =>
  document.media[0]?.detectionProcessingErrors['TROUBLE ACTION']?.[0] as
    | { code: string; message: string }
    | undefined;

/**
 * Each attempt once. A component returns work that another sub-job delays, and the next assignment is then
 * the same attempt.
 */
export const attemptsOf = (service: Service, id: string) => [
  ...new Set(
    service.handedOut().flatMap(({ subJob, attempt }) => (subJob === `${id}.1.0.0.0.0` ? [attempt] : [])),
  ),
];

/**
 * Jobs whose component has this fault always, or only at the first attempt. All start at once, because they
 * mostly wait.
 */
export function componentsThatTrouble(
  service: () => Service,
  wanted: { readonly always: readonly Trouble[]; readonly once: readonly Trouble[] },
): void {
  const jobs = new Map<string, string>();
  before(async () => {
    for (const kind of wanted.always)
      jobs.set(kind, await service().submit(troubleRequest({ TROUBLE: kind })));
    for (const kind of wanted.once) {
      const counted = { TROUBLE_RUNS: '1', TROUBLE_FILE: join(service().folder, `runs-${kind}`) };
      jobs.set(`${kind} once`, await service().submit(troubleRequest({ TROUBLE: kind, ...counted })));
    }
  });
  const endOf = async (kind: string) => {
    const id = jobs.get(kind)!;
    const job = await service().terminal(id, 60_000);
    return {
      status: job.jobStatus,
      document: await service().document(id),
      attempts: attemptsOf(service(), id),
    };
  };
  const tries = Array.from({ length: ATTEMPTS }, (_, i) => i + 1);

  for (const kind of wanted.always) {
    const [what, reason] = TROUBLES[kind];
    it(`${what} is retried up to SUB_JOB_ATTEMPTS; then its medium has DEAD_LETTER and the job ends ERROR`, async () => {
      const { status, document, attempts } = await endOf(kind);
      expect(status).to.equal('ERROR');
      expect(attempts).to.deep.equal(tries);
      const [bad, good] = document.media;
      expect([bad?.status, good?.status]).to.deep.equal(['INCOMPLETE', 'COMPLETE']);
      expect(errorCodes(document, bad?.mediaId)).to.deep.equal(['DEAD_LETTER']);
      expect(firstError(document)?.message)
        .to.match(/^The component was lost 2 times on this sub-job: /)
        .and.match(reason);
      expect(tracksOf(bad, 'TROUBLE')).to.deep.equal([]);
      expect(tracksOf(good, 'TROUBLE')).to.have.length(1);
    });
  }

  for (const kind of wanted.once)
    it(`${TROUBLES[kind][0]} only the first time costs one retry, and the job ends COMPLETE`, async () => {
      const { status, document, attempts } = await endOf(`${kind} once`);
      expect(status).to.equal('COMPLETE');
      expect(attempts).to.deep.equal([1, 2]);
      expect(document.media.map((medium) => tracksOf(medium, 'TROUBLE').length)).to.deep.equal([1, 1]);
      expect(document.errors).to.deep.equal([]);
    });
}
