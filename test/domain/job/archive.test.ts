import { expect } from 'chai';
import { atOnce } from '../../../actors/runtime/steps.ts';
import {
  addsToken,
  archiveCheckInSteps,
  archiveHash,
  archiveUrl,
  archiveUrls,
  assertion,
  checkUrl,
  configHashInSteps,
  postUrl,
  refusedArchiveUrl,
  type ArchiveJob,
  type AssertionFacts,
} from '../../../domain/job/archive.ts';
import { jobConfigHashInSteps } from '../../../domain/job/job-config-hash.ts';
import {
  archiveJob,
  archiveMedium,
  declareProperty,
  hashedJob,
  planOf,
  planAction,
} from './archive-support.ts';

const URL_A = 'http://a.example/archive';
const URL_B = 'http://b.example';
const KNOWN = { MEDIA_HASH: 'aa', MIME_TYPE: 'image/png' };

function statusOf(job: ArchiveJob): string {
  const check = atOnce(archiveCheckInSteps(job));
  return check.kind === 'ask' ? 'ask' : check.status;
}
function archivesOf(job: ArchiveJob) {
  const check = atOnce(archiveCheckInSteps(job));
  if (check.kind !== 'ask') throw new Error(`The archive is not asked: ${check.status}`);
  return check.question.archives;
}

describe('The archive check before a job', () => {
  it('has the status NOT_REQUESTED when SKIP_ARCHIVE_CHECK is TRUE, before all other reasons', () => {
    expect(statusOf(archiveJob({ jobProperties: { SKIP_ARCHIVE_CHECK: 'TRUE' } }))).to.equal('NOT_REQUESTED');
    const jobProperties = { SKIP_ARCHIVE_CHECK: ' true ', ARCHIVE_URL: URL_A };
    expect(statusOf(archiveJob({ jobProperties }))).to.equal('NOT_REQUESTED');
  });

  it('has the status NO_ARCHIVE_URL_IN_JOB without an address, also when that is blank', () => {
    expect(statusOf(archiveJob())).to.equal('NO_ARCHIVE_URL_IN_JOB');
    const jobProperties = { ARCHIVE_URL: '  ', SKIP_ARCHIVE_CHECK: 'yes' };
    expect(statusOf(archiveJob({ jobProperties, media: [archiveMedium()] }))).to.equal(
      'NO_ARCHIVE_URL_IN_JOB',
    );
  });

  it('has the status MEDIA_HASHES_ABSENT when one medium has no hash', () => {
    const media = [archiveMedium({ metadata: KNOWN }), archiveMedium({ metadata: { MEDIA_HASH: ' ' } })];
    expect(statusOf(archiveJob({ media, jobProperties: { ARCHIVE_URL: URL_A } }))).to.equal(
      'MEDIA_HASHES_ABSENT',
    );
  });

  it('has the status MEDIA_MIME_TYPES_ABSENT when all media have hashes and one has no MIME type', () => {
    const media = [archiveMedium({ metadata: KNOWN }), archiveMedium({ metadata: { MEDIA_HASH: 'bb' } })];
    expect(statusOf(archiveJob({ media, jobProperties: { ARCHIVE_URL: URL_A } }))).to.equal(
      'MEDIA_MIME_TYPES_ABSENT',
    );
  });

  it('asks when all is known, be it from inspection', () => {
    const facts = { sha256: 'bb', mimeType: 'video/mp4', mediaType: 'VIDEO' } as const;
    const media = [archiveMedium({ metadata: KNOWN }), archiveMedium({ facts })];
    const job = archiveJob({ media, jobProperties: { ARCHIVE_URL: URL_A } });
    expect(atOnce(archiveCheckInSteps(job))).to.deep.equal({
      kind: 'ask',
      question: {
        archives: [{ url: URL_A, sha256s: ['aa', 'bb'], addToken: false }],
        jobConfigHash: atOnce(configHashInSteps(job)),
      },
    });
  });

  it('asks about the first few of many media: an equal job has left its hash at each of them', () => {
    const media = Array.from({ length: 1_000 }, (_, n) =>
      archiveMedium({ metadata: { ...KNOWN, MEDIA_HASH: `hash ${n}` } }),
    );
    const [asked] = archivesOf(archiveJob({ media, jobProperties: { ARCHIVE_URL: URL_A } }));
    expect(asked?.sha256s).to.deep.equal(Array.from({ length: 8 }, (_, n) => `hash ${n}`));
  });

  it('is requested unless every action on every medium skips it', () => {
    const skips = planAction('TEXT', { properties: { SKIP_ARCHIVE_CHECK: 'TRUE' } });
    const jobProperties = { ARCHIVE_URL: URL_A };
    expect(statusOf(archiveJob({ jobProperties, plan: planOf([skips]) }))).to.equal('NOT_REQUESTED');
    expect(statusOf(archiveJob({ jobProperties, plan: planOf([skips], [planAction('FACE')]) }))).to.equal(
      'ask',
    );
    const properties = { SKIP_ARCHIVE_CHECK: 'TRUE' };
    const media = [archiveMedium({ metadata: KNOWN, properties }), archiveMedium({ metadata: KNOWN })];
    expect(statusOf(archiveJob({ jobProperties, media }))).to.equal('ask');
  });

  it('asks each archive once about each medium, and only about media whose archive it is', () => {
    const medium = (MEDIA_HASH: string, properties: Record<string, string> = {}) =>
      archiveMedium({ metadata: { ...KNOWN, MEDIA_HASH }, properties });
    const job = archiveJob({
      jobProperties: { ARCHIVE_URL: URL_A },
      environmentProperties: {},
      media: [
        medium('aa'),
        medium('bb', { ARCHIVE_URL: URL_B, ARCHIVE_ADD_TOKEN: 'TRUE' }),
        medium('aa'),
        medium('cc', { ARCHIVE_URL: '' }),
      ],
    });
    expect(archivesOf(job)).to.deep.equal([
      { url: URL_A, sha256s: ['aa'], addToken: false },
      { url: URL_B, sha256s: ['bb'], addToken: true },
    ]);
  });

  it('looks for a medium under its LINKED_MEDIA_HASH, which stands for its own', () => {
    const job = archiveJob({
      jobProperties: { ARCHIVE_URL: URL_A },
      media: [
        archiveMedium({ metadata: { MIME_TYPE: 'image/png' }, properties: { LINKED_MEDIA_HASH: 'FF' } }),
      ],
    });
    expect(archivesOf(job)[0]?.sha256s).to.deep.equal(['ff']);
    expect(atOnce(configHashInSteps(job))).to.equal(
      atOnce(jobConfigHashInSteps(hashedJob({ media: [{ ...hashedJob().media[0]!, sha256: 'ff' }] }))),
    );
  });

  it('finds the same hash before and after inspection when the request told the truth', () => {
    const facts = { sha256: 'aa', mimeType: 'image/png', mediaType: 'IMAGE' } as const;
    const after = archiveJob({ media: [archiveMedium({ metadata: KNOWN, facts })] });
    expect(atOnce(configHashInSteps(archiveJob()))).to.equal(atOnce(configHashInSteps(after)));
  });
});

describe('The archive of a medium', () => {
  it('is the ARCHIVE_URL of the first action that has one, by the precedence of properties', () => {
    const plan = planOf([planAction('TEXT')], [planAction('FACE', { properties: { ARCHIVE_URL: URL_B } })]);
    const [medium] = archiveJob().media;
    expect(archiveUrl(archiveJob({ plan }), medium!)).to.equal(URL_B);
    expect(
      archiveUrl(archiveJob({ plan, algorithmProperties: { TEXT: { ARCHIVE_URL: ` ${URL_A} ` } } }), medium!),
    ).to.equal(URL_A);
    const media = [archiveMedium({ properties: { ARCHIVE_URL: URL_A } }), archiveMedium()];
    expect(archiveUrls(archiveJob({ media }))).to.deep.equal([URL_A, null]);
    expect(archiveUrls(archiveJob({ media, environmentProperties: { ARCHIVE_URL: URL_B } }))).to.deep.equal([
      URL_B,
      URL_B,
    ]);
    expect(archiveUrls(archiveJob({ serverProperties: { 'archive.url': URL_B } }))).to.deep.equal([URL_B]);
    const declares = planOf([planAction('FACE', { declares: [declareProperty('ARCHIVE_URL', URL_A)] })]);
    expect(archiveUrls(archiveJob({ plan: declares }))).to.deep.equal([URL_A]);
  });

  it('gets a token when ARCHIVE_ADD_TOKEN is TRUE for any action on any medium', () => {
    const adds = { ARCHIVE_ADD_TOKEN: 'true' };
    const media = [archiveMedium(), archiveMedium({ properties: adds })];
    const isWantedFor = (job: ArchiveJob, name: 'ARCHIVE_ADD_TOKEN' | 'CALLBACK_ADD_TOKEN') =>
      addsToken(job, name)(job.media);
    expect(isWantedFor(archiveJob(), 'ARCHIVE_ADD_TOKEN')).to.equal(false);
    expect(isWantedFor(archiveJob({ media }), 'ARCHIVE_ADD_TOKEN')).to.equal(true);
    expect(isWantedFor(archiveJob({ media }), 'CALLBACK_ADD_TOKEN')).to.equal(false);
    const plan = planOf(
      [planAction('TEXT')],
      [planAction('FACE', { properties: { CALLBACK_ADD_TOKEN: 'TRUE' } })],
    );
    expect(isWantedFor(archiveJob({ plan }), 'CALLBACK_ADD_TOKEN')).to.equal(true);
  });

  it('knows it by its linked hash, or else by inspection, or else by the request', () => {
    const facts = { sha256: 'BB', mimeType: '', mediaType: 'UNKNOWN' } as const;
    const hashes = [
      archiveMedium({
        metadata: { ...KNOWN, LINKED_MEDIA_HASH: 'dd' },
        properties: { LINKED_MEDIA_HASH: 'CC' },
        facts,
      }),
      archiveMedium({ metadata: { ...KNOWN, LINKED_MEDIA_HASH: 'dd' }, facts }),
      archiveMedium({ metadata: KNOWN, properties: { LINKED_MEDIA_HASH: ' ' }, facts }),
      archiveMedium({ metadata: KNOWN }),
      archiveMedium(),
    ].map(archiveHash);
    expect(hashes).to.deep.equal(['cc', 'dd', 'bb', 'aa', null]);
  });

  it('must be an http or https address', () => {
    for (const url of [URL_A, 'https://a:b@c.example:8443/x?y=z', 'HTTP://a.example'])
      expect(refusedArchiveUrl(url), url).to.equal(null);
    for (const url of ['', 'a.example', 'ftp://a.example', 'file:///etc/passwd', 'http://', 'javascript:1'])
      expect(refusedArchiveUrl(url), url).to.match(/^The ARCHIVE_URL property .*http/);
  });

  it('has its entries below /api/db/supplementals', () => {
    const medium = { sha256: 'aa', metadata: {}, properties: {} };
    for (const url of [URL_A, `${URL_A}/`, `${URL_A}//`, `${URL_A}#part`])
      expect(postUrl(url, medium)).to.equal(`${URL_A}/api/db/supplementals?sha256Hash=aa`);
    expect(postUrl(URL_B, { ...medium, metadata: { LINKED_MEDIA_HASH: 'dd' } })).to.equal(
      `${URL_B}/api/db/supplementals?sha256Hash=dd`,
    );
    expect(postUrl(`${URL_B}?key=1&sha256Hash=zz`, { ...medium, sha256: 'a&b=c' })).to.equal(
      `${URL_B}/api/db/supplementals?key=1&sha256Hash=a%26b%3Dc`,
    );
    expect(checkUrl(URL_A, 'aa', 200)).to.equal(
      `${URL_A}/api/db/supplementals?sha256Hash=aa&system=Troupe&offset=200&limit=100`,
    );
  });
});

describe('What is posted to the archive about a medium', () => {
  const facts: AssertionFacts = {
    objectId: '6ba7b810-9dad-11d1-80b4-00c04fd430c8',
    noticeId: 'www.example.com',
    pipeline: 'FACE DETECTION',
    found: { TEXT: 2, FACE: 1, SPEECH: 0 },
    jobId: 'host-12',
    outputUri: 'file:///data/output-objects/host-12/detection.json',
    outputHash: 'ee',
    processDate: '2026-01-02T03:04:05.678Z',
    jobStatus: 'COMPLETE',
    system: { version: '0.1.0', host: 'host' },
    jobConfigHash: 'cc',
  };

  it('is an assertion of the specified form', () => {
    expect(assertion(facts)).to.deep.equal({
      // The published example of a version 5 UUID: the name www.example.com in the DNS namespace.
      assertionId: '2ed6657d-e927-568b-95e1-2665a8aea6a2',
      informationType: 'Troupe Tracks',
      securityTag: 'UNCLASSIFIED',
      system: 'Troupe',
      dataObject: {
        pipeline: 'FACE DETECTION',
        outputTypes: ['FACE', 'TEXT'],
        jobId: 'host-12',
        outputUri: 'file:///data/output-objects/host-12/detection.json',
        sha256OutputHash: 'ee',
        processDate: '2026-01-02T03:04:05.678Z',
        jobStatus: 'COMPLETE',
        systemVersion: '0.1.0',
        systemHostname: 'host',
        trackCount: 3,
        jobConfigHash: 'cc',
      },
    });
  });

  it('says how long things took only when that is known', () => {
    expect(assertion({ ...facts, timing: { processing: 12 } }).dataObject).to.have.deep.property('timing', {
      processing: 12,
    });
    expect(assertion(facts).dataObject).not.to.have.property('timing');
  });

  it('has the same id each time it is sent, and another one for another run or medium', () => {
    const idOf = (more: Partial<AssertionFacts>) => assertion({ ...facts, ...more }).assertionId;
    expect(idOf({ noticeId: 'host-12.1.archive.0' })).to.equal(idOf({ noticeId: 'host-12.1.archive.0' }));
    const ids = [
      idOf({ noticeId: 'host-12.1.archive.0' }),
      idOf({ noticeId: 'host-12.1.archive.1' }),
      idOf({ noticeId: 'host-12.2.archive.0' }),
      idOf({ noticeId: 'host-12.1.archive.0', objectId: 'c9bf9e57-1685-4c89-bafb-ff5af830be8a' }),
    ];
    expect(new Set(ids).size).to.equal(ids.length);
    for (const id of ids)
      expect(id).to.match(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
