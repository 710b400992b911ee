import { TEXT } from '../../kit/text.ts';
import { newAlert, withTime, type Alert } from './alert.ts';
import type { Shape } from './draft.ts';
import type { RuleEvent } from './types.ts';

const EVENTS: Readonly<Record<Shape['kind'], readonly RuleEvent[]>> = {
  ZONE: ['ENTER', 'LEAVE', 'DWELL', 'COUNT'],
  LINE: ['CROSS'],
};

/** Fields that define which activity in a zone or at a line causes an event. */
export function AlertFields({
  shape: { kind, alert, others },
  change,
}: {
  readonly shape: Shape;
  readonly change: (alert: Alert | undefined) => void;
}) {
  const choose = (event: string) =>
    change(
      event === '' ? undefined : { ...(alert ?? newAlert(event as RuleEvent)), event: event as RuleEvent },
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
      {alert !== undefined && <TimeFields alert={alert} change={change} />}
      {others.length > 0 && (
        <p class="hint">{TEXT.streams.otherRules(others.map(({ name }) => name).join(', '))}</p>
      )}
    </div>
  );
}

/** Fields for the schedule of the rule, and for the time without events after an event. */
function TimeFields({ alert, change }: { readonly alert: Alert; readonly change: (alert: Alert) => void }) {
  const { between, coolDown } = alert;
  const timeOf = (end: 'from' | 'to', name: string) => (
    <label>
      <span>{name}</span>
      <input
        type="time"
        value={between?.[end] ?? ''}
        onChange={({ currentTarget }) => change(withTime(alert, end, currentTarget.value))}
      />
    </label>
  );
  return (
    <>
      {timeOf('from', TEXT.streams.onlyFrom)}
      {timeOf('to', TEXT.streams.until(between === undefined ? '' : (between.timeZone ?? 'UTC')))}
      <label>
        <span>{TEXT.streams.coolDown}</span>
        <input
          type="number"
          min={0}
          value={coolDown ?? ''}
          onChange={({ currentTarget: { value } }) =>
            change({ ...alert, coolDown: value === '' ? undefined : Number(value) })
          }
        />
      </label>
    </>
  );
}
