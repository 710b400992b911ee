/**
 * A detector that works on what fed tracks say: it adds notes on their TEXT. It has nothing to say of a track without one, and
 * fails on a track that has the property FAIL.
 */
import {
  DetectionError,
  type DetectionJob,
  type Detector,
  type FoundProperties,
} from '../../../../components/sdk/detector.ts';
import type { FedTrack } from '../../../../protocol/detection-work.ts';
import type { Properties } from '../../../../domain/types.ts';

export default function loadNoting(): Promise<Detector> {
  return Promise.resolve({ fed });
}

async function* fed(
  { properties: { TEXT, FAIL } }: FedTrack,
  { properties }: DetectionJob,
): AsyncGenerator<FoundProperties> {
  await Promise.resolve();
  if (FAIL !== undefined) throw new DetectionError('DETECTION_FAILED', 'The track says so.');
  if (TEXT === undefined) return;
  const { NOTE_IN = '', NOTES = '' } = properties;
  for (const note of NOTES.split('|'))
    yield { properties: { [NOTE_IN]: note.replaceAll('$', TEXT.toUpperCase()), ...toldOf(properties) } };
}

function toldOf(properties: Properties): Properties {
  const names = (properties['TELL'] ?? '').split(';').filter((name) => name !== '');
  return Object.fromEntries(names.map((name) => [name, properties[name] ?? 'unset']));
}
