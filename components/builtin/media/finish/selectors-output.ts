/** Writes the output document of media selectors: the medium, in which the output action's results replace the selected texts. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeWhole, PART } from '../../../../files/part-file.ts';
import { MediumError } from '../../../../media/medium-error.ts';
import type { FinishWork } from '../../../../protocol/track-work.ts';
import { readJsonText } from './feed.ts';
import type { RawTrack } from './raw-tracks.ts';
import { addTo } from '../../../../domain/grouping.ts';

/** The parts of a track that contain results for a selected text. */
type SelectedTrack = Pick<RawTrack, 'properties' | 'detections'> & {
  readonly selected?: RawTrack['selected'] | undefined;
};

export interface SelectorsOutput {
  add(track: SelectedTrack): void;
  /** Writes the document and returns its URI. Throws OTHER if this fails. */
  write(): Promise<string>;
}

/** Returns undefined if the action does not fill the output document. */
export function selectorsOutput(work: FinishWork): SelectorsOutput | undefined {
  if (work.selectorsOutput === undefined) return undefined;
  const { selectors, file } = work.selectorsOutput;
  const outputs = selectors.map(() => new Map<string, string[]>());
  return {
    add({ selected, properties, detections }) {
      if (selected === undefined) return;
      const name = selectors[selected.selector]?.resultDetectionProperty ?? '';
      const output = properties[name] ?? detections[0]?.properties[name];
      const known = outputs[selected.selector];
      if (output !== undefined && known !== undefined) addTo(known, selected.text, output);
    },
    async write() {
      // The search code is loaded only for jobs with selectors.
      const { duplicatePolicy, fillText } = await import('../../../../domain/text/media-selectors.ts');
      const filled = fillText(
        await readJsonText(work.medium.path),
        selectors.map((selector, n) => ({ selector, outputs: outputs[n] ?? new Map() })),
        {
          // Used unchanged: it may be a space or a new line.
          delimiter: work.properties['MEDIA_SELECTORS_DELIMETER'],
          duplicatePolicy: duplicatePolicy(work.properties['MEDIA_SELECTORS_DUPLICATE_POLICY']),
        },
      );
      if ('refused' in filled) throw new MediumError('OTHER', filled.refused);
      await mkdir(dirname(file), { recursive: true });
      await makeWhole(file, (part) => writeFile(part, filled.text), { part: `${file}${PART}` });
      return pathToFileURL(file).href;
    },
  };
}
