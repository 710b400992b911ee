/** Copies the sound of a medium into another container without decoding it. */
import type { FormatContext, Packet, Stream } from 'node-av/lib';
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_AC3,
  AV_CODEC_ID_MP3,
  AV_CODEC_ID_OPUS,
  AV_CODEC_ID_PCM_S16LE,
  AV_CODEC_ID_VORBIS,
  AVSEEK_FLAG_BACKWARD,
} from 'node-av/constants';
import type { AVCodecID } from 'node-av/constants';
import { NO_TIMESTAMP, newPacket, once, openContainer, readPacket } from '../libav/container.ts';
import type { Container } from '../libav/container.ts';

/** Codecs that each container accepts without conversion. */
export const SOUND_CODECS = {
  webm: [AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS],
  mp4: [AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3],
  avi: [AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_PCM_S16LE],
} as const satisfies Readonly<Record<string, readonly AVCodecID[]>>;

export type SoundContainer = keyof typeof SOUND_CODECS;

/** A range of copied sound in seconds: `from` to `to` (exclusive) in the medium, `at` in the copy. */
export interface SoundPart {
  readonly from: number;
  readonly to: number;
  readonly at: number;
}

/** The whole sound with unchanged times. */
const ALL: readonly SoundPart[] = [{ from: -Infinity, to: Infinity, at: -Infinity }];
/** Gap without wanted sound, in seconds, from which on the reader seeks instead of reading. */
const LONG_GAP = 10;

export interface SoundCopy {
  /** Copies the sound up to this number of seconds after the beginning of the copy. */
  copyUntil(seconds: number): void;
  close(): void;
}

/**
 * Adds a sound stream to `muxer`, whose header must not be written yet. Returns undefined if the medium has no sound with one of these
 * codecs; the copy is then silent. `parts` ascend in the medium and in the copy.
 */
export function copySound(
  path: string,
  muxer: FormatContext,
  codecs: readonly AVCodecID[],
  parts: readonly SoundPart[] = ALL,
): SoundCopy | undefined {
  const source = openContainer(path);
  const { audio } = source;
  if (audio === undefined || !codecs.includes(audio.codecpar.codecId)) {
    source.close();
    return undefined;
  }
  const target = muxer.newStream(null);
  if (audio.codecpar.copy(target.codecpar) < 0) throw new Error('The sound could not be copied.');
  target.codecpar.codecTag = 0;
  target.timeBase = audio.timeBase;
  const packet = newPacket();
  const close = once(() => {
    packet.free();
    source.close();
  });
  return { copyUntil: copier(source, audio, target, muxer, packet, parts), close };
}

function copier(
  source: Container,
  audio: Stream,
  target: Stream,
  muxer: FormatContext,
  packet: Packet,
  parts: readonly SoundPart[],
): SoundCopy['copyUntil'] {
  const tick = audio.timeBase.toDouble();
  const origin = BigInt(Math.round(source.origin / tick));
  const place = placePackets(parts, (seconds) => {
    const to = BigInt(Math.floor((seconds + source.origin) / tick));
    source.format.seekFrameSync(audio.index, to, AVSEEK_FLAG_BACKWARD);
  });
  /** Reads up to the next wanted packet. Returns its time in the copy in seconds, or undefined if no wanted packet is left. */
  const next = (): number | undefined => {
    while (readPacket(source, packet)) {
      if (packet.streamIndex !== audio.index || packet.pts === NO_TIMESTAMP) continue;
      const start = Number(packet.pts - origin) * tick;
      const placed = place(start, start + Number(packet.duration) * tick);
      if (placed === 'behind') return undefined;
      if (placed === 'left out') continue;
      const shift = origin + BigInt(Math.round((start - placed) / tick));
      packet.pts -= shift;
      if (packet.dts !== NO_TIMESTAMP) packet.dts -= shift;
      return placed;
    }
    return undefined;
  };
  let held: number | undefined;
  let ended = false;
  return (seconds) => {
    while (!ended) {
      held ??= next();
      ended = held === undefined;
      if (held === undefined || held > seconds) return;
      packet.streamIndex = target.index;
      packet.rescaleTs(audio.timeBase, target.timeBase);
      // Errors are ignored: packets that the container rejects are left out, because the pictures matter more.
      muxer.interleavedWriteFrameSync(packet);
      held = undefined;
    }
  };
}

/** Returns where a packet begins in the copy (seconds), that it is left out, or that it lies behind all parts. */
function placePackets(
  parts: readonly SoundPart[],
  seek: (seconds: number) => void,
): (start: number, stop: number) => number | 'left out' | 'behind' {
  let at = 0;
  let sought = -1;
  return (start, stop) => {
    while (start >= (parts[at]?.to ?? Infinity)) at++;
    const part = parts[at];
    if (part === undefined) return 'behind';
    if (part.from - start > LONG_GAP && sought < at) {
      sought = at;
      seek(part.from);
    }
    // A packet that is partly outside its part is left out.
    if (start < part.from || stop > part.to) return 'left out';
    return part.from === -Infinity ? start : part.at + start - part.from;
  };
}
