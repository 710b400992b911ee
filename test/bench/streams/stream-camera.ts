/**
 * The camera of the stream benchmark in its own process: sends a file at the speed of the reader, from the
 * start for every connection.
 */
import { accessUnits, transportStream } from '../../support/media/coded-media.ts';
import { streamServer } from '../../support/servers/stream-server.ts';
import { h264Over } from '../../support/media/rtp-pictures.ts';
import { rtspServer } from '../../support/servers/rtsp-server.ts';

const [file = '', times = '1'] = process.argv.slice(2);
const again = <T>(list: readonly T[], shiftEach: (one: T, n: number) => T): T[] =>
  Array.from({ length: Number(times) }, (_, n) => list.map((one) => shiftEach(one, n))).flat();

const pieces = again(transportStream(file), (piece) => piece);
const clip = accessUnits(file);
const lengthMs = clip.units.length * clip.frameMs;
const units = again(clip.units, (unit, n) => ({ ...unit, ptsMs: unit.ptsMs + n * lengthMs }));
const pictures = h264Over({ ...clip, units });
const http = await streamServer(() => ({ pieces, speed: Infinity }));
const rtsp = await rtspServer(() => ({ ...pictures, speed: Infinity }));
process.send?.({ http: http.url, rtsp: rtsp.url });
process.once('disconnect', () => process.exit(0));
