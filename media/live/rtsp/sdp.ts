/** Reads the video of a session description (SDP, RFC 8866) from an RTSP server. */
import { AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_MJPEG, AV_CODEC_ID_MPEG4 } from 'node-av/constants';
import type { AVCodecID } from 'node-av/constants';
import { LiveError } from '../input/live-error.ts';

export type RtpCoding = 'H264' | 'H265' | 'JPEG' | 'MP4V-ES';

export interface RtspVideo {
  readonly coding: RtpCoding;
  readonly codec: AVCodecID;
  readonly payloadType: number;
  /** RTP timestamp ticks per second. */
  readonly clockRate: number;
  readonly fps: number;
  /** Address for SETUP, as written, relative or absolute. */
  readonly control: string;
  /** Address for PLAY, as written. */
  readonly sessionControl: string;
  /** Coding parameters by lower-case name. */
  readonly format: ReadonlyMap<string, string>;
}

const CODECS: Readonly<Record<RtpCoding, AVCodecID>> = {
  H264: AV_CODEC_ID_H264,
  H265: AV_CODEC_ID_HEVC,
  JPEG: AV_CODEC_ID_MJPEG,
  'MP4V-ES': AV_CODEC_ID_MPEG4,
};
/** The one video payload type that needs no description (RFC 3551). */
const STATIC: Readonly<Record<number, string>> = { 26: 'JPEG/90000' };

/** Maximum numbers of sections and types that are read. */
const MOST_SECTIONS = 16;
const MOST_TYPES = 16;

/** Returns the first readable video. Throws LiveError NOT_VIDEO if there is none, or UNSUPPORTED. */
export function videoOf(sdp: string): RtspVideo {
  const [session = '', ...media] = sdp.split(/^(?=m=)/m);
  const videos = media.filter((section) => section.startsWith('m=video')).slice(0, MOST_SECTIONS);
  if (videos.length === 0) throw new LiveError('NOT_VIDEO', 'The stream has no video in it.');
  const known = videos.map((section) => describeVideo(section, session)).find((video) => video !== undefined);
  if (known !== undefined) return known;
  const codings = videos.map((section) => /^a=rtpmap:\d+ ([^/\s]+)/m.exec(section)?.[1] ?? 'unknown');
  throw new LiveError(
    'UNSUPPORTED',
    `The video of the stream is coded as ${codings.join(', ').slice(0, 100)}; over RTSP, H.264, H.265, MPEG-4 and JPEG can be read.`,
  );
}

function describeVideo(section: string, session: string): RtspVideo | undefined {
  const [, protocol, types] = /^m=video \S+ (\S+) ([\d ]+)/.exec(section) ?? [];
  if (protocol === undefined || types === undefined || !/^RTP\/AVPF?$/.test(protocol)) return undefined;
  for (const payloadType of types.trim().split(/ +/, MOST_TYPES).map(Number)) {
    const map = attribute(section, `rtpmap:${payloadType} `) ?? STATIC[payloadType] ?? '';
    const [name = '', rate = ''] = map.split('/');
    const coding = (Object.keys(CODECS) as RtpCoding[]).find((known) => known === name.trim().toUpperCase());
    if (coding === undefined) continue;
    return {
      coding,
      codec: CODECS[coding],
      payloadType,
      clockRate: Number.parseInt(rate, 10) || 90_000,
      fps: Number(attribute(section, 'framerate:')) || 0,
      control: attribute(section, 'control:') ?? '',
      sessionControl: attribute(session, 'control:') ?? '*',
      format: formatOf(attribute(section, `fmtp:${payloadType} `) ?? ''),
    };
  }
  return undefined;
}

function attribute(section: string, name: string): string | undefined {
  const line = section.split(/\r?\n/).find((line) => line.startsWith(`a=${name}`));
  return line?.slice(name.length + 2).trim();
}

function formatOf(text: string): ReadonlyMap<string, string> {
  return new Map(
    text.split(';').map((pair) => {
      const equals = pair.indexOf('=');
      return [pair.slice(0, Math.max(0, equals)).trim().toLowerCase(), pair.slice(equals + 1).trim()];
    }),
  );
}
