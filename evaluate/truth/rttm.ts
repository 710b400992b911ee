/**
 * RTTM (NIST, Rich Transcription 2009 evaluation plan, appendix A): SPEAKER, recording, channel, start and duration in seconds, ..., name.
 */
import type { Stretch } from '../measures/speech-time.ts';
import type { Line, Source } from './source.ts';
import type { SpeechTruth } from './truth.ts';

const RTTM_TYPES = 'SEGMENT NOSCORE NO_RT_METADATA LEXEME NON-LEX NON-SPEECH FILLER EDIT IP SU CB A/P SPEAKER SPKR-INFO'.split(' '); // oxfmt-ignore

export function isRttmLine(line: string): boolean {
  const fields = line.trim().split(/\s+/);
  return line.startsWith(';') || (fields.length >= 8 && RTTM_TYPES.includes(fields[0] ?? ''));
}

/** Reads a truth in RTTM format. @throws EvaluationError */
export async function rttmTruth(source: Source): Promise<SpeechTruth> {
  const recordings = new Map<string, Stretch[]>();
  let count = 0;
  for await (const line of source.lines()) {
    const one = stretchOf(line, source);
    if (one === undefined) continue;
    count += 1;
    if (count > source.limit)
      throw source.failure(`has more than ${source.limit} stretches, which --limit allows.`);
    const stretches = recordings.get(one.recording);
    if (stretches === undefined) recordings.set(one.recording, [one.stretch]);
    else stretches.push(one.stretch);
  }
  if (recordings.size === 0) throw source.failure('has no line that begins with SPEAKER.');
  return { kind: 'speech', recordings };
}

function stretchOf({ text, number }: Line, source: Source) {
  const [type, recording = '', , start = '', duration = '', , , speaker = ''] = text.trim().split(/\s+/);
  if (text.startsWith(';') || (type !== undefined && type !== 'SPEAKER' && RTTM_TYPES.includes(type))) return undefined; // oxfmt-ignore
  const [from, long] = [Number(start) * 1_000, Number(duration) * 1_000];
  if (type !== 'SPEAKER' || speaker === '' || !(from >= 0) || !(long >= 0))
    throw source.failure(`, line ${number}: a line of RTTM is SPEAKER, recording, channel, start and duration in seconds, <NA>, <NA>, name of the speaker.`); // oxfmt-ignore
  return { recording, stretch: { start: from, stop: from + long, speaker } };
}
