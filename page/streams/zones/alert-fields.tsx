import { TEXT } from '../../kit/text.ts';
import type { Alert, Shape } from './draft.ts';
import type { RuleEvent } from './types.ts';

const EVENTS: Readonly<Record<Shape['kind'], readonly RuleEvent[]>> = {
  ZONE: ['ENTER', 'LEAVE', 'DWELL', 'COUNT'],
  LINE: ['CROSS'],
};
const FIRST_LEAST = 10;

/** When something at a zone or a line leads to an event. */
export function AlertFields({
  shape: { kind, alert },
  change,
}: {
  readonly shape: Shape;
  readonly change: (alert: Alert | undefined) => void;
}) {
  const choose = (event: string) =>
    change(
      event === ''
        ? undefined
        : { event: event as RuleEvent, classes: alert?.classes ?? '', least: alert?.least ?? FIRST_LEAST },
    );
  const hasLeast = alert?.event === 'DWELL' || alert?.event === 'COUNT';
  return (
    <div class="line">
      <label>
        <span>{TEXT.streams.tellWhen}</span>
        <select value={alert?.event ?? ''} onChange={({ currentTarget }) => choose(currentTarget.value)}>
          <option value="">{TEXT.streams.onlyCount}</option>
          {EVENTS[kind].map((event) => (
            <option key={event} value={event}>
              {TEXT.ruleEvents[event]}
            </option>
          ))}
        </select>
      </label>
      {hasLeast && (
        <label>
          <span>{alert.event === 'DWELL' ? TEXT.streams.leastSeconds : TEXT.streams.leastTracks}</span>
          <input
            type="number"
            min={1}
            value={alert.least}
            onChange={({ currentTarget }) => change({ ...alert, least: Number(currentTarget.value) || 1 })}
          />
        </label>
      )}
      {alert !== undefined && (
        <label class="grow">
          <span>{TEXT.streams.classesOfAlert}</span>
          <input
            type="text"
            value={alert.classes}
            onChange={({ currentTarget }) => change({ ...alert, classes: currentTarget.value })}
          />
        </label>
      )}
    </div>
  );
}
