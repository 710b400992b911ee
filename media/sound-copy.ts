/** Takes the sound of a medium over into another container as it is, without decoding it. */
import type { FormatContext, Packet, Stream } from 'node-av/lib';
import {
  AV_CODEC_ID_AAC,
  AV_CODEC_ID_AC3,
  AV_CODEC_ID_MP3,
  AV_CODEC_ID_OPUS,
  AV_CODEC_ID_PCM_S16LE,
  AV_CODEC_ID_VORBIS,
} from 'node-av/constants';
import type { AVCodecID } from 'node-av/constants';
import { NO_TIMESTAMP, newPacket, once, openContainer, readPacket } from './container.ts';
import type { Container } from './container.ts';

/** What each container takes as it is. */
export const SOUND_CODECS = {
  webm: [AV_CODEC_ID_OPUS, AV_CODEC_ID_VORBIS],
  mp4: [AV_CODEC_ID_AAC, AV_CODEC_ID_MP3, AV_CODEC_ID_AC3],
  avi: [AV_CODEC_ID_MP3, AV_CODEC_ID_AC3, AV_CODEC_ID_PCM_S16LE],
} as const satisfies Readonly<Record<string, readonly AVCodecID[]>>;

export type SoundContainer = keyof typeof SOUND_CODECS;

export interface SoundCopy {
  /** Hands over what sounds until so many seconds after the beginning of the medium. */
  copyUntil(seconds: number): void;
  close(): void;
}

/**
 * Adds a stream to `muxer`, whose header is not written yet, for the sound of the medium; undefined when it has none of these
 * codecs, which is no error: the copy is silent then.
 */
export function copySound(
  path: string,
  muxer: FormatContext,
  codecs: readonly AVCodecID[],
): SoundCopy | undefined {
  const source = openContainer(path);
  const { audio } = source;
  if (audio === undefined || !codecs.includes(audio.codecpar.codecId)) {
    source.close();
    return undefined;
  }
  const target = muxer.newStream(null);
  if (audio.codecpar.copy(target.codecpar) < 0) throw new Error('The sound could not be taken over.');
  target.codecpar.codecTag = 0;
  target.timeBase = audio.timeBase;
  const packet = newPacket();
  const close = once(() => {
    packet.free();
    source.close();
  });
  return { copyUntil: copier(source, audio, target, muxer, packet), close };
}

function copier(
  source: Container,
  audio: Stream,
  target: Stream,
  muxer: FormatContext,
  packet: Packet,
): SoundCopy['copyUntil'] {
  const tick = audio.timeBase.toDouble();
  const origin = BigInt(Math.round(source.origin / tick));
  let held = false;
  let ended = false;
  return (seconds) => {
    while (!ended) {
      if (!held) ended = !readPacket(source, packet);
      if (ended) return;
      held = packet.streamIndex === audio.index && packet.pts !== NO_TIMESTAMP;
      if (!held) continue;
      if (Number(packet.pts - origin) * tick > seconds) return;
      packet.pts -= origin;
      if (packet.dts !== NO_TIMESTAMP) packet.dts -= origin;
      packet.streamIndex = target.index;
      packet.rescaleTs(audio.timeBase, target.timeBase);
      // What a container refuses is left out: the pictures count.
      muxer.interleavedWriteFrameSync(packet);
      held = false;
    }
  };
}
