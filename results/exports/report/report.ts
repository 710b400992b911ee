/** A report of a job as one self-contained HTML page: numbers, timelines, pictures of the most certain findings, texts and failures. */
import type { Through } from '../../document/findings.ts';
import type { PictureSource } from '../asked-pictures.ts';
import { lastPart } from '../pictures.ts';
import { EmbeddedPictures, type Embedded } from './embedded-pictures.ts';
import { headOf, html, PAGE_END, type Html } from './html.ts';
import {
  BINS,
  cut,
  ReportSurvey,
  type ClassSummary,
  type Crop,
  type MediumSummary,
  type SpokenText,
} from './survey.ts';

/** `pictures` absent: the report has none. */
export async function* report(
  through: Through,
  mediaId: number | undefined,
  pictures: PictureSource | undefined,
): AsyncGenerator<string> {
  const survey = new ReportSurvey();
  for await (const _ of through(survey, mediaId)) continue;
  const source = pictures ?? (() => Promise.resolve(undefined));
  const embedded = new EmbeddedPictures(source, survey.number);
  yield headOf(`Report of ${survey.job.get('jobId') ?? 'a job'}`);
  yield summaryOf(survey).text;
  for (const medium of survey.media) for await (const part of mediumParts(medium, embedded)) yield part.text;
  yield notesOf(survey, embedded).text;
  yield PAGE_END;
}

const count = (number: number): string => number.toLocaleString('en');
const countOf = (number: number, one: string, several = `${one}s`): string =>
  `${count(number)} ${number === 1 ? one : several}`;
const nameOf = ({ medium }: MediumSummary): string =>
  cut(lastPart(medium.path)) || `Medium ${medium.mediaId}`;

/** `0:02:05`, or `2:05`. */
function clock(ms: number): string {
  const seconds = Math.floor(ms / 1_000);
  const two = (number: number) => String(number).padStart(2, '0');
  const hours = Math.floor(seconds / 3_600);
  const minutes = Math.floor(seconds / 60) % 60;
  return hours > 0 ? `${hours}:${two(minutes)}:${two(seconds % 60)}` : `${minutes}:${two(seconds % 60)}`;
}

function summaryOf(survey: ReportSurvey): Html {
  const of = (field: string) => survey.job.get(field) ?? '';
  const rows = [
    ['Pipeline', of('pipeline')],
    ['Status', of('status')],
    ['Started', of('timeStart')],
    ['Ended', of('timeStop')],
    ['Reference', of('externalJobId')],
    ['Found', `${countOf(survey.tracks, 'track')}, ${countOf(survey.detections, 'detection')}`],
  ].filter(([, value]) => value !== '');
  return html`<h1>${of('jobId') || 'Report'}</h1>
    <p class="soft">Report of ${countOf(survey.mediaCount, 'medium', 'media')}</p>
    <table>
      ${rows.map(
        ([name = '', value = '']) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </table>
    ${failuresOf(survey)}`;
}

function failuresOf({ issues, issueCount, media }: ReportSurvey): Html {
  if (issueCount === 0) return html``;
  const names = new Map(media.map((one) => [one.medium.mediaId, nameOf(one)]));
  const placeOf = (id: number | undefined) => (id === undefined ? 'Job' : (names.get(id) ?? `Medium ${id}`));
  const more = issueCount - issues.length;
  return html`<h2>Errors and warnings</h2>
    <table>
      <tr>
        <th>Where</th>
        <th>What</th>
      </tr>
      ${issues.map(
        ({ mediaId, isError, code, message }) =>
          html`<tr>
            <td>${placeOf(mediaId)}</td>
            <td>
              <span class="${isError ? 'bad' : 'soft'}">${isError ? 'Error' : 'Warning'} ${code}</span>:
              ${message}
            </td>
          </tr>`,
      )}
    </table>
    ${more > 0 ? html`<p class="soft">And ${count(more)} more.</p>` : ''} `;
}

async function* mediumParts(summary: MediumSummary, pictures: EmbeddedPictures): AsyncGenerator<Html> {
  const { medium, classes, lengthMs, size, otherTracks } = summary;
  const facts = [
    medium.mimeType || medium.mediaType.toLowerCase(),
    size.width > 0 ? `${size.width} × ${size.height}` : '',
    lengthMs > 0 ? clock(lengthMs) : '',
    medium.status === 'COMPLETE' ? '' : medium.status,
  ].filter((fact) => fact !== '');
  yield html`<h2>${nameOf(summary)}</h2>
    <p class="soft">${facts.join(' · ')} · mediaId ${medium.mediaId}</p> `;
  if (classes.size === 0) yield html`<p>Nothing was found.</p> `;
  const all = [...classes.values()].toSorted((a, b) => b.tracks - a.tracks);
  if (all.length > 0) yield tableOf(all, summary);
  for (const one of all) yield* cropsOf(one, summary, pictures);
  if (otherTracks > 0) yield html`<p class="soft">${countOf(otherTracks, 'track')} of other classes.</p> `;
  yield textsOf(summary);
}

function tableOf(classes: readonly ClassSummary[], { lengthMs }: MediumSummary): Html {
  const hasTimes = lengthMs > 0;
  return html`<table>
    <tr>
      <th>Found</th>
      <th class="number">Tracks</th>
      <th class="number">Detections</th>
      ${
        hasTimes
          ? html`<th class="number">Time</th>
              <th>Timeline</th>`
          : ''
      }
    </tr>
    ${classes.map(
      (one) =>
        html`<tr>
          <td>${titleOf(one)}</td>
          <td class="number">${count(one.tracks)}</td>
          <td class="number">${count(one.detections)}</td>
          ${
            hasTimes
              ? html`<td class="number">${clock(one.firstMs)} to ${clock(one.lastMs)}</td>
                  <td>${timeline(one.bins)}</td>`
              : ''
          }
        </tr>`,
    )}
  </table> `;
}

const titleOf = ({ type, label }: ClassSummary): string => (label === type ? type : `${label} (${type})`);

function timeline(bins: Uint32Array): Html {
  const most = Math.max(1, ...bins);
  const bars = [...bins].map((height, at) =>
    height === 0
      ? ''
      : html`<rect
          x="${at}"
          y="${(1 - height / most).toFixed(2)}"
          width="1"
          height="${(height / most).toFixed(2)}"
        />`,
  );
  return html`<svg
    class="timeline"
    viewBox="0 0 ${BINS} 1"
    preserveAspectRatio="none"
    role="img"
    aria-label="When it was found"
  >
    ${bars}
  </svg>`;
}

async function* cropsOf(
  one: ClassSummary,
  summary: MediumSummary,
  pictures: EmbeddedPictures,
): AsyncGenerator<Html> {
  const shown: Html[] = [];
  for (const crop of one.crops.toSorted((a, b) => a.ms - b.ms || a.frame - b.frame)) {
    const picture = await pictures.of(summary, crop);
    if (picture === undefined) continue;
    const alt = `${titleOf(one)} at ${clock(crop.ms)}`;
    shown.push(html`<li>${pictureOf(picture, crop, summary, alt)}${captionOf(crop, summary)}</li>`);
  }
  if (shown.length > 0)
    yield html`<h3>${titleOf(one)}</h3>
      <ul class="crops">
        ${shown}
      </ul> `;
}

const captionOf = ({ ms, confidence }: Crop, { medium }: MediumSummary): string =>
  [medium.mediaType === 'VIDEO' ? clock(ms) : '', confidence >= 0 ? `${Math.round(confidence * 100)} %` : '']
    .filter((text) => text !== '')
    .join(', ');

function pictureOf(picture: Embedded, { box }: Crop, { size }: MediumSummary, alt: string): Html {
  if (picture.kind === 'picture') return html`<img src="${picture.uri}" alt="${alt}" />`;
  const { width, height } = size;
  const { id, uri } = picture;
  const frame =
    uri === undefined
      ? ''
      : html`<svg class="defs" aria-hidden="true">
          <defs>
            <image id="${id}" width="${width}" height="${height}" preserveAspectRatio="none" href="${uri}" />
          </defs>
        </svg>`;
  const { x, y, width: wide, height: high } = box ?? { x: 0, y: 0, ...size };
  return html`${frame}<svg viewBox="${x} ${y} ${wide} ${high}" role="img" aria-label="${alt}">
      <use href="#${id}" />
    </svg>`;
}

function textsOf({ texts, moreTexts, medium }: MediumSummary): Html {
  if (texts.length === 0) return html``;
  const hasTimes = medium.mediaType === 'VIDEO' || medium.mediaType === 'AUDIO';
  const row = ({ ms, text }: SpokenText) =>
    html`<tr>
      ${hasTimes ? html`<td class="number">${clock(ms)}</td>` : ''}
      <td>${text}</td>
    </tr>`;
  return html`<h3>Text</h3>
    <table class="texts">
      ${texts.map(row)}
    </table>
    ${moreTexts > 0 ? html`<p class="soft">And ${count(moreTexts)} more.</p>` : ''} `;
}

function notesOf({ media, mediaCount }: ReportSurvey, pictures: EmbeddedPictures): Html {
  const more = mediaCount - media.length;
  const notes = [
    more > 0 ? `${countOf(more, 'other medium', 'other media')} are not listed.` : '',
    pictures.isMissing ? 'Some pictures are missing, because their medium can no longer be read.' : '',
    pictures.isFull ? 'The report has no room for further pictures.' : '',
  ].filter((note) => note !== '');
  return html`${notes.map((note) => html`<p class="soft">${note}</p>`)}`;
}
