import { expect } from 'chai';
import fc from 'fast-check';
import { authorization } from '../../../media/live/input/authorization.ts';
import { LiveError } from '../../../media/live/input/live-error.ts';
import { MediaClock } from '../../../media/live/media-clock.ts';
import { shownUri } from '../../../media/fetch/file-uris.ts';
import { RtspParser } from '../../../media/live/rtsp/messages.ts';
import { PictureAssembler } from '../../../media/live/rtsp/pictures.ts';
import { UnwrappedTicks, parseRtp, saysBye } from '../../../media/live/rtsp/rtp.ts';
import { videoOf, type RtspVideo } from '../../../media/live/rtsp/sdp.ts';
import { reconnectDelay, stallState } from '../../../media/live/stall.ts';

describe('the rules of stalls', () => {
  it('say from when on a stream is STALLED and given up', () => {
    const at = (timeoutMs: number) =>
      [0, 29_999, 30_000, 59_999, 60_000].map((quiet) => stallState(quiet, { alertMs: 30_000, timeoutMs }));
    expect(at(-1)).to.deep.equal(['running', 'running', 'stalled', 'stalled', 'stalled']);
    expect(at(60_000)).to.deep.equal(['running', 'running', 'stalled', 'stalled', 'over']);
    expect(at(30_000)).to.deep.equal(['running', 'running', 'over', 'over', 'over']);
    expect(at(29_999)).to.deep.equal(['running', 'over', 'over', 'over', 'over']);
    expect(at(0)).to.deep.equal(['running', 'running', 'over', 'over', 'over']);
  });

  it('double the pause between two attempts up to a maximum; jitter removes at most a quarter', () => {
    const rules = { firstMs: 500, longestMs: 30_000 };
    const pauses = (random: number) =>
      [1, 2, 3, 7, 1_000].map((attempt) => reconnectDelay(attempt, rules, () => random));
    expect(pauses(0)).to.deep.equal([500, 1_000, 2_000, 30_000, 30_000]);
    expect(pauses(0.999999)).to.deep.equal([375, 750, 1_500, 22_500, 22_500]);
  });
});

describe('the time of a live stream', () => {
  it('uses the timestamps of the sender, and our clock where these jump, fall or are missing', () => {
    const clock = new MediaClock();
    expect(clock.next(5_000, 100)).to.equal(0);
    expect(clock.next(5_040, 300)).to.equal(40);
    expect(clock.next(86_405_040, 330)).to.equal(70);
    expect(clock.next(4_000, 350)).to.equal(90);
    expect(clock.next(undefined, 400)).to.equal(140);
    expect(clock.next(4_100, 410)).to.equal(150);
    clock.newConnection();
    expect(clock.next(4_140, 1_410)).to.equal(1_150);
  });

  it('never falls', () => {
    const stamp = fc.option(fc.integer({ min: -1e12, max: 1e12 }), { nil: undefined });
    fc.assert(
      fc.property(fc.array(fc.tuple(stamp, fc.integer({ min: 0, max: 1e9 }))), (steps) => {
        const clock = new MediaClock();
        const times = steps.map(([stamp, at]) => clock.next(stamp, at));
        expect(times).to.deep.equal(times.toSorted((a, b) => a - b));
      }),
    );
  });

  it('of RTP goes on when its 32 bits wrap around', () => {
    const ticks = new UnwrappedTicks();
    const seen = [0xffff_ff00, 0x100, 0x80, 0x8000_0000].map((timestamp) => ticks.next(timestamp));
    expect(seen).to.deep.equal([0, 0x200, 0x180, 0x180 + 0x7fff_ff80]);
  });
});

describe('RTSP', () => {
  const text = 'RTSP/1.0 200 OK\r\nCSeq: 3\r\nContent-Length: 5\r\n\r\nhello';
  const packet = Buffer.from([0x24, 1, 0, 3, 7, 8, 9]);
  const request = '\r\nGET_PARAMETER * RTSP/1.0\r\nCSeq: 9\r\n\r\n';
  const bytes = Buffer.concat([Buffer.from(text), packet, packet, Buffer.from(request), packet]);

  it('is cut into the same messages and packets, wherever the network has cut it', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 40 })), (cuts) => {
        const seen: string[] = [];
        const parser = new RtspParser({
          message: ({ status, method, headers, body }) =>
            void seen.push([status ?? method, headers.get('cseq')?.[0], body].join(' ')),
          packet: (channel, data) => void seen.push(`${channel} ${data.toString('hex')}`),
        });
        let at = 0;
        for (const cut of [...cuts, bytes.length]) parser.push(bytes.subarray(at, (at += cut)));
        expect(seen).to.deep.equal(['200 3 hello', '1 070809', '1 070809', 'GET_PARAMETER 9 ', '1 070809']);
      }),
    );
  });

  it('that is none is refused, whatever comes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (noise) => {
        const parser = new RtspParser({ message: () => undefined, packet: () => undefined });
        try {
          parser.push(Buffer.from(noise));
        } catch (error) {
          expect(error).to.be.instanceOf(LiveError);
        }
      }),
    );
    const endless = new RtspParser({ message: () => undefined, packet: () => undefined });
    expect(() => endless.push(Buffer.from(`RTSP/1.0 200 OK\r\nX: ${'a'.repeat(20_000)}`))).to.throw(
      LiveError,
    );
  });

  it('describes video whose parts are found, and none that cannot be read', () => {
    const sdp =
      'v=0\r\na=control:*\r\nm=audio 0 RTP/AVP 0\r\nm=video 0 RTP/AVP 97 96\r\na=rtpmap:97 VP8/90000\r\n';
    const video = videoOf(
      `${sdp}a=rtpmap:96 H265/90000\r\na=fmtp:96 sprop-vps=QA==; sprop-sps=Qg==\r\na=control:t1\r\n`,
    );
    expect(video).to.include({ coding: 'H265', payloadType: 96, control: 't1', sessionControl: '*', fps: 0 });
    expect(video.format.get('sprop-sps')).to.equal('Qg==');
    expect(videoOf('v=0\nm=video 0 RTP/AVP 26\n')).to.include({ coding: 'JPEG', clockRate: 90_000 });
    expect(() => videoOf(sdp)).to.throw(LiveError, /coded as VP8/);
    expect(() => videoOf('v=0\r\nm=video 0 RTP/SAVP 96\r\na=rtpmap:96 H264/90000')).to.throw(
      LiveError,
      /coded as H264/,
    );
    expect(() => videoOf('v=0')).to.throw(LiveError, /no video/);
  });
});

describe('RTP', () => {
  const video = (coding: RtspVideo['coding']): RtspVideo =>
    videoOf(`v=0\r\nm=video 0 RTP/AVP 96\r\na=rtpmap:96 ${coding}/90000\r\n`);
  /** Joins payloads into pictures. The last payload has the marker bit. */
  const joinPayloads = (coding: RtspVideo['coding'], payloads: readonly string[], lost = -1): string[] => {
    const assembler = new PictureAssembler(video(coding));
    return payloads.flatMap((hex, n) =>
      n === lost
        ? []
        : assembler
            .push({
              payloadType: 96,
              marker: n === payloads.length - 1,
              sequence: (65_534 + n) & 0xffff,
              timestamp: 0,
              payload: Buffer.from(hex, 'hex'),
            })
            .map(({ data }) => data.toString('hex')),
    );
  };
  const nal = (...units: string[]): string => units.map((unit) => `00000001${unit}`).join('');

  it('carries H.264 as single units, several in a packet, and fragments', () => {
    expect(joinPayloads('H264', ['6501', '78000267020002680a', '7c8511', '7c0522', '7c4533'])).to.deep.equal([
      nal('6501', '6702', '680a', '65112233'),
    ]);
    expect(joinPayloads('H264', ['6501', '7c8511', '7c0522', '7c4533'], 2)).to.deep.equal([nal('6501')]);
    expect(joinPayloads('H264', ['6501', '7c8511', '7c0522', '7c4533'], 1)).to.deep.equal([nal('6501')]);
  });

  it('carries H.265 as single units, several in a packet, and fragments', () => {
    const payloads = ['260177', '600100034001010003420102', '62019311', '62011322', '62015333'];
    expect(joinPayloads('H265', payloads)).to.deep.equal([nal('260177', '400101', '420102', '2601112233')]);
  });

  it('of any content harms nobody', () => {
    const noise = fc.array(fc.uint8Array({ maxLength: 80 }), { maxLength: 8 });
    fc.assert(
      fc.property(fc.constantFrom('H264', 'H265', 'JPEG', 'MP4V-ES'), noise, (coding, packets) => {
        const assembler = new PictureAssembler(video(coding));
        for (const bytes of packets) {
          const packet = Buffer.from(bytes);
          saysBye(packet);
          const rtp = parseRtp(packet);
          if (rtp !== undefined) assembler.push(rtp);
          assembler.push({ payloadType: 96, marker: true, sequence: 0, timestamp: 0, payload: packet });
        }
      }),
    );
  });

  it('says BYE also behind a report', () => {
    expect(saysBye(Buffer.from('80c800010000000181cb000100000001', 'hex'))).to.equal(true);
    expect(saysBye(Buffer.from('80c8000100000001', 'hex'))).to.equal(false);
  });
});

describe('user and password of a camera', () => {
  const mufasa = { user: 'Mufasa', password: 'Circle Of Life' };

  it('are answered as RFC 2617 shows it, Digest before Basic, SHA-256 before MD5', () => {
    const nonce = 'dcd98b7102dd2f0e8b11d0f600bfb0c093';
    const rfc = `Digest realm="testrealm@host.com", nonce="${nonce}", opaque="5ccc"`;
    const answer = authorization(['Basic realm="x"', rfc], mufasa)?.('GET', '/dir/index.html');
    expect(answer).to.include('response="670fd8c2df070c60b045671b8b24ff02"').and.include('opaque="5ccc"');
    const both = [`${rfc}, algorithm=MD5`, `${rfc}, algorithm=SHA-256, qop="auth,auth-int"`];
    expect(authorization(both, mufasa)?.('GET', '/')).to.match(
      /algorithm=SHA-256.*qop=auth, nc=00000001, cnonce=/,
    );
    expect(authorization(['Basic realm="x"'], mufasa)?.('GET', '/')).to.equal(
      'Basic TXVmYXNhOkNpcmNsZSBPZiBMaWZl',
    );
    expect(authorization(['Negotiate', `${rfc}, algorithm=MD5-sess`], mufasa)).to.equal(undefined);
  });

  it('answer a challenge with commas, equal signs, spaces and quotes that do not end', () => {
    const odd =
      'Digest realm = "a, b" ,nonce=f00d==,  opaque="x=y, z", stale=FALSE, algorithm="MD5", qop="auth';
    const answer = authorization([odd], mufasa)?.('GET', '/');
    for (const part of ['realm="a, b"', 'nonce="f00d=="', 'opaque="x=y, z"', 'algorithm=MD5', 'qop=auth'])
      expect(answer).to.include(part);
  });

  it('are not in the URI that is shown, wherever they stand', () => {
    const secret = fc.string({ minLength: 1 }).map((text) => `<${text}>`);
    fc.assert(
      fc.property(secret, (password) => {
        for (const uri of [
          `rtsp://user:${password}@camera/live`,
          `rtsp://user:${password}@camera:554/live?x=1`,
          `http://camera/live?pwd=${password}`,
          `http://user:1@camera:80/live#${password}`,
        ])
          expect(shownUri(uri)).not.to.include(password);
      }),
    );
    expect(shownUri('rtsp://user:a@b@camera/live')).to.equal('rtsp://<hidden>@camera/live');
    expect(shownUri('rtsp://user:a/b@camera/live')).to.equal('rtsp://<hidden>');
    expect(shownUri('http://camera/live?pwd=a@b')).to.equal('http://camera/live?<hidden>');
    expect(shownUri('rtsp://camera:554/a@b')).to.equal('rtsp://<hidden>');
  });
});
