/** What components tell of a live stream while they watch it, and what of it the job has to know. */
import type { StreamEvent } from '../../../protocol/streams.ts';
import type { StreamingJobCommand } from '../../streaming-job/commands.ts';

export type SeenOnly = Extract<StreamEvent, { type: 'reconnecting' | 'trackBegan' | 'trackEnded' }>;

/** Only whoever watches the job wants to know of it. */
export const isSeenOnly = (event: StreamEvent): event is SeenOnly =>
  event.type === 'reconnecting' || event.type === 'trackBegan' || event.type === 'trackEnded';

/** Clients hear of a track before the activity is committed that it begins with. */
export const soonestFirst = (events: readonly StreamEvent[]): readonly StreamEvent[] => [
  ...events.filter(({ type }) => type !== 'activity'),
  ...events.filter(({ type }) => type === 'activity'),
];

/** What the job has to know. */
export function commandOf(event: Exclude<StreamEvent, SeenOnly>, attempt: number): StreamingJobCommand {
  switch (event.type) {
    case 'opened': {
      const { width, height, fps } = event;
      return { type: 'opened', width, height, fps, attempt };
    }
    case 'stalled':
      return { type: 'stalled', cause: event.cause, attempt };
    case 'running':
      return { type: 'running', attempt };
    case 'warning':
      return { type: 'warned', message: event.message, attempt };
    case 'activity':
      return { type: 'activity', frame: event.frame, frameAt: event.at, attempt };
  }
}
