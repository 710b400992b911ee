/** Finds silent periods of a sound, and measures its loudness. */
import type { Properties } from '../../../domain/types.ts';
import { measureSound, type SoundFinding } from '../../../media/sound/sound-measures.ts';
import type { DetectionJob, Detector, FoundSound, SoundFile } from '../../sdk/detector.ts';
import { numberWithin } from '../../shared/tracking/settings.ts';

async function* soundFile(
  source: SoundFile,
  { properties, signal }: DetectionJob,
): AsyncIterable<FoundSound> {
  const settings = {
    silenceMs: numberWithin(properties, 'MIN_SILENCE_DURATION', 1, 86_400_000),
    silenceLevel: numberWithin(properties, 'SILENCE_LEVEL', -200, 0),
  };
  const { path, startMs, stopMs } = source;
  const rules = { ...settings, startMs, stopMs, signal, heard: (ms: number) => source.heard(ms) };
  for await (const finding of measureSound(path, rules)) {
    signal.throwIfAborted();
    yield finding === undefined ? soundless(startMs) : toFoundSound(finding);
  }
}

const soundless = (startMs: number): FoundSound => ({
  startTime: Math.round(startMs),
  stopTime: Math.round(startMs),
  confidence: -1,
  properties: { QUALITY: 'NO SOUND' },
});

function toFoundSound(finding: SoundFinding): FoundSound {
  const [startTime, stopTime] = [
    Math.max(0, Math.round(finding.start)),
    Math.max(0, Math.round(finding.stop)),
  ];
  return { startTime, stopTime, confidence: -1, properties: propertiesOf(finding, stopTime - startTime) };
}

function propertiesOf(finding: SoundFinding, duration: number): Properties {
  if (finding.type === 'silent') return { QUALITY: 'SILENT', DURATION: String(duration) };
  return {
    QUALITY: 'LOUDNESS',
    INTEGRATED_LOUDNESS: finding.integrated.toFixed(1),
    LOUDNESS_RANGE: finding.range.toFixed(1),
    TRUE_PEAK: Number.isFinite(finding.peak) ? finding.peak.toFixed(1) : '-inf',
  };
}

/** Accepts images, which have no sound, so that pipelines for pictures and sound give no error. */
async function* image(): AsyncIterable<never> {
  // No findings.
}

export default async function loadSoundQuality(): Promise<Detector> {
  return { soundFile, image };
}
