/** Cameras that send over TLS (rtsps), with the whole service. `streaming/cameras` has a first case. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { selfSigned, type Certificate } from '../support/servers/certificate.ts';
import { h264Over } from '../support/media/rtp-pictures.ts';
import { rtspServer, type RtspBehaviour, type RtspServer } from '../support/servers/rtsp-server.ts';
import { Service } from '../support/processes/service.ts';
import { streamServer } from '../support/servers/stream-server.ts';
import { until } from '../support/until.ts';
import { CLIP as SMALL } from './cameras-support.ts';

const CLIP = h264Over(SMALL);

interface Info {
  readonly jobStatus: string;
  readonly jobStatusDetail: string | null;
  readonly segments: number;
}

describe('A streaming job on a camera that encrypts', function () {
  this.timeout(240_000);
  let folder: string;
  const certificates = new Map<string, Certificate>();
  let service: Service;
  const cameras: { close(): Promise<void> }[] = [];
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'encrypted-'));
    for (const name of ['trusted', 'other']) certificates.set(name, selfSigned(folder, name, 'IP:127.0.0.1'));
    service = await Service.here({ NODE_EXTRA_CA_CERTS: certificates.get('trusted')!.cert });
  });
  after(async () => {
    await service.close();
    await Promise.all(cameras.map((camera) => camera.close()));
    rmSync(folder, { recursive: true });
  });

  const camera = async (name: string, more: Partial<RtspBehaviour> = {}): Promise<RtspServer> => {
    const { key, cert } = certificates.get(name)!;
    const tls = { key: readFileSync(key), cert: readFileSync(cert) };
    const started = await rtspServer(() => ({ ...CLIP, ...more }), tls);
    cameras.push(started);
    return started;
  };
  const runToEnd = async (streamUri: string, jobProperties: object = {}): Promise<Info> => {
    const { status, text, body } = await service.ask('POST', '/rest/streaming/jobs', {
      enableOutputToDisk: false,
      stream: { streamUri, segmentSize: 20 },
      stallTimeout: 0,
      jobProperties,
      pipelineName: 'MOTION DETECTION PIPELINE',
    });
    expect(status, text).to.equal(201);
    const { jobId } = body as { jobId: number };
    return until(
      'the job has ended',
      async () => (await service.ask('GET', `/rest/streaming/jobs/${jobId}?details=true`)).body as Info,
      ({ jobStatus }) => jobStatus === 'TERMINATED' || jobStatus === 'ERROR',
      { withinMs: 60_000 },
    );
  };

  it('is watched when its certificate is trusted, with user and password', async () => {
    const login = { scheme: 'Digest', user: 'eve', password: 'secret' } as const;
    const { url, requests } = await camera('trusted', { login });
    const { jobStatus, segments } = await runToEnd(url.replace('//', '//eve:secret@'));
    expect([jobStatus, segments]).to.deep.equal(['TERMINATED', 5]);
    expect(new Set(requests.map(({ uri }) => new URL(uri).protocol))).to.deep.equal(new Set(['rtsps:']));
  });

  it('is refused if its certificate is unknown, it does not encrypt, or it redirects to such', async () => {
    const cause = async (url: string, jobProperties: object = {}) =>
      (await runToEnd(url, jobProperties)).jobStatusDetail;
    const other = await camera('other');
    expect(await cause(other.url)).to.match(/certificate of the host of the stream is not trusted/);
    expect(other.requests).to.deep.equal([]);
    const open = await rtspServer(() => CLIP);
    cameras.push(open);
    const web = await streamServer(() => ({}));
    cameras.push(web);
    expect(await cause(web.url.replace('http:', 'rtsps:'))).to.match(/does not speak TLS/);
    const away = await camera('trusted', { instead: { DESCRIBE: `302 Moved\r\nLocation: ${open.url}` } });
    expect(await cause(away.url)).to.match(/redirects to an address that does not use RTSP with encryption/);
    const { url } = await camera('trusted');
    expect(await cause(url, { RTSP_TRANSPORT: 'UDP' })).to.match(
      /would not encrypt the video of an rtsps address/,
    );
  });
});
