/** A medium of a running job as lists show it. */
import { mergeDetectionErrors } from '../../domain/tracks/detection-errors.ts';
import type { ViewedIssue, ViewedMedium } from '../../domain/tracks/viewing.ts';
import type { DocumentIssue, DocumentMedium } from '../../protocol/document-work.ts';
import { listedUri } from '../views/jobs/listed-uri.ts';
import type { RunningAction } from './medium-progress.ts';
import type { RunningMedium } from './running-medium.ts';

/** Maximum number of issues shown for a medium. */
const MOST_ISSUES = 100;

export function viewedMedium({ named, medium, actions, progress }: RunningMedium): ViewedMedium {
  const { mediaId, parentMediaId, path, facts } = medium;
  return {
    ...{ n: named.index, mediaId, parentMediaId, uri: listedUri(path) },
    mimeType: facts?.mimeType ?? '',
    mediaType: facts?.mediaType ?? 'UNKNOWN',
    length: facts?.length ?? -1,
    status: statusOf(medium, progress.actions),
    metadata: facts?.metadata ?? {},
    tracks: actions.reduce((sum, action) => sum + tracksOf(action), 0),
    detections: actions.reduce((sum, action) => sum + detectionsOf(action), 0),
    findings: findingsOf(actions),
    cues: 0,
    zoneEvents: null,
    issues: issuesOf(medium).slice(0, MOST_ISSUES),
    partial: progress,
  };
}

/** The status as in the document, but for a medium that is not finished. */
function statusOf({ status }: DocumentMedium, actions: RunningMedium['progress']['actions']): string {
  if (status !== 'COMPLETE') return status;
  if (actions.length > 0 && actions.every(({ state }) => state === 'DONE')) return status;
  return actions.some(({ state }) => state !== 'WAITING') ? 'IN_PROGRESS' : 'WAITING';
}

/** For unfinished actions, the number of tracks reported so far. */
function tracksOf({ output, pieces }: RunningAction): number {
  if (output === null || output.suppressed) return 0;
  const counts =
    output.tracks === null ? pieces.map(({ tracks = 0 }) => tracks) : Object.values(output.types);
  return counts.reduce((sum, tracks) => sum + tracks, 0);
}

/** Findings of finished actions. Types are counted only when an action is finished. */
function findingsOf(actions: readonly RunningAction[]): ViewedMedium['findings'] {
  const types = new Map<string, number>();
  for (const { output } of actions)
    if (output !== null && !output.suppressed && output.tracks !== null)
      for (const [type, tracks] of Object.entries(output.types))
        types.set(type, (types.get(type) ?? 0) + tracks);
  return [...types].map(([type, tracks]) => ({ type, class: null, tracks }));
}

const detectionsOf = ({ output, ran }: RunningAction): number =>
  output === null || output.suppressed
    ? 0
    : (ran.find(({ kind, summary }) => kind === 'FINISH' && summary !== undefined)?.summary?.detections ?? 0);

function issuesOf({ errors, warnings, detectionErrors, facts }: DocumentMedium): readonly ViewedIssue[] {
  const failures = mergeDetectionErrors(Object.values(detectionErrors).flat(), facts?.mediaType ?? 'UNKNOWN');
  return [...toIssues('errors', [...errors, ...failures]), ...toIssues('warnings', warnings)];
}

const toIssues = (kind: ViewedIssue['kind'], issues: readonly DocumentIssue[]): readonly ViewedIssue[] =>
  issues.map(({ source, code, message }) => ({ kind, source, code, message }));
