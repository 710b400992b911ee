/** Sends texts to a model server: texts of feed-forward tracks, or text files. */
import type { Properties } from '../../../domain/types.ts';
import type { FedTrack } from '../../../protocol/detection-work.ts';
import { Chat } from '../openai/chat.ts';
import { ModelServer } from '../openai/server.ts';
import { promptFor, readChat, type ChatSettings } from '../openai/settings.ts';
import type { DetectionJob, Detector, LoadDetector } from '../../sdk/detector.ts';
import { textsOf } from '../../shared/fed-texts/fed-texts.ts';
import { textUnits } from '../../shared/fed-texts/text-units.ts';
import { countOf } from '../../shared/tracking/settings.ts';

/** Minimum number of characters per token in most languages. */
const CHARACTERS_OF_TOKEN = 3;

const loadOpenAiText: LoadDetector = async ({ models, modelServers }) => {
  const server = new ModelServer(modelServers);
  /** One reader for all tracks of a sub-job, which share its signal. */
  const readers = new WeakMap<AbortSignal, ReturnType<typeof startJob>>();
  const readerOf = (job: DetectionJob) => {
    const known = readers.get(job.signal) ?? startJob(job);
    readers.set(job.signal, known);
    return known;
  };
  const startJob = async (job: DetectionJob) => {
    const settings = await readChat(job.properties, models.roots);
    const chat = new Chat(server, settings, job);
    return (text: string, track?: FedTrack): Promise<Properties> =>
      chat.ask({ text: questionAbout(text, settings, job, track) });
  };
  const detector: Detector = {
    async *generic(source, job) {
      const read = await readerOf(job);
      let section = 0;
      for await (const text of textUnits(source, job)) {
        const answer = await read(text);
        yield { confidence: -1, properties: { TEXT: text, SECTION_NUM: String(++section), ...answer } };
      }
    },
    async *fed(track, job) {
      const [first] = textsOf(track, job.properties);
      if (first !== undefined) yield { properties: await (await readerOf(job))(first.text, track) };
    },
    close: () => server.close(),
  };
  return detector;
};

export default loadOpenAiText;

function questionAbout(
  text: string,
  { prompt, maxNewTokens }: ChatSettings,
  { properties, warn }: DetectionJob,
  track: FedTrack | undefined,
): string {
  const most = countOf(properties, 'MAX_MODEL_LEN', 0);
  const room =
    most === 0 ? Infinity : Math.max(1, (most - maxNewTokens) * CHARACTERS_OF_TOKEN - prompt.length);
  if (text.length > room)
    warn?.(`Texts of more than ${room} characters were cut off, for MAX_MODEL_LEN allows ${most} tokens.`);
  const asked = text.slice(0, Math.min(room, text.length));
  // Split before other replacements, so that braces in the text are not replaced.
  const parts = prompt.split('{TEXT}').map((part) => promptFor(part, track));
  return parts.length === 1 ? `${parts[0]}\n\n${asked}` : parts.join(asked);
}
