import type { z } from 'zod';
import type { allJobsStatistics } from '../../http/schemas/jobs/batch-jobs.ts';
import type { systemMessage } from '../../http/schemas/system-messages.ts';
import { send } from '../kit/api.ts';
import { count, duration, moment, words } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { OneField, Risky, Shown, Table } from '../kit/parts.tsx';
import { hrefOf } from '../kit/route.ts';
import { pipelineTitle } from '../new/goals.ts';
import { Failures } from './failures.tsx';
import { Queues } from './queues.tsx';
import { Usage } from './usage.tsx';
import { TEXT } from '../kit/text.ts';

const EVERY_MS = 2_000;

/** Causes of failures, queues, system messages, usage, and durations of jobs. */
export function Operation() {
  return (
    <>
      <header class="bar">
        <h1>{TEXT.common.overview}</h1>
      </header>
      <Failures />
      <Queues />
      <Messages />
      <Usage />
      <Statistics />
    </>
  );
}

type Message = z.output<typeof systemMessage>;

function Messages() {
  const messages = useGet<readonly Message[]>('rest/system-message', {}, EVERY_MS);
  return (
    <section>
      <h2>{TEXT.operation.systemMessages}</h2>
      <OneField
        label={TEXT.operation.messageToAllUsers}
        button={TEXT.operation.post}
        act={async (text) => {
          await send('POST', 'rest/system-message', text);
          messages.again();
        }}
      />
      <Shown of={messages}>
        {(all) =>
          all.length === 0 ? (
            <p class="hint">{TEXT.operation.thereAreNone}</p>
          ) : (
            <ul class="messages">
              {all.map(({ id, msg, severity, datePosted }) => (
                <li key={id} class={severity === 'error' ? 'bad' : severity === 'warning' ? 'warn' : ''}>
                  <span class="grow">{msg}</span> <time dateTime={datePosted}>{moment(datePosted)}</time>
                  <Risky
                    ask={TEXT.operation.deleteThisMessage}
                    act={async () => {
                      await send('DELETE', `rest/system-message/${id}`);
                      messages.again();
                    }}
                  >
                    {TEXT.common.delete}
                  </Risky>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </section>
  );
}

type Statistics = z.output<typeof allJobsStatistics>;

function Statistics() {
  const statistics = useGet<Statistics>('rest/jobs/stats');
  return (
    <section>
      <h2>{TEXT.operation.statistics}</h2>
      <Shown of={statistics}>
        {({ aggregatePipelineStatsMap, totalJobs }) => (
          <>
            <p>{TEXT.operation.jobsInAll(count(totalJobs))}</p>
            <Table
              columns={[
                TEXT.common.pipeline,
                { name: TEXT.common.jobs, isNumber: true },
                TEXT.operation.byStatus,
                { name: TEXT.operation.shortest, isNumber: true },
                { name: TEXT.operation.mean, isNumber: true },
                { name: TEXT.operation.longest, isNumber: true },
              ]}
            >
              {Object.entries(aggregatePipelineStatsMap).map(([name, one]) => (
                <tr key={name}>
                  <th scope="row">
                    <a href={hrefOf(['jobs'], { pipelineName: name })} title={name}>
                      {pipelineTitle(name)}
                    </a>
                  </th>
                  <td data-label={TEXT.common.jobs} class="number">
                    {count(one.count)}
                  </td>
                  <td data-label={TEXT.operation.byStatus}>
                    {Object.entries(one.states)
                      .map(([status, n]) => `${words(status)} ${count(n ?? 0)}`)
                      .join(', ')}
                  </td>
                  <td data-label={TEXT.operation.shortest} class="number">
                    {one.validCount > 0 && duration(one.minTime)}
                  </td>
                  <td data-label={TEXT.operation.mean} class="number">
                    {one.validCount > 0 && duration(one.totalTime / one.validCount)}
                  </td>
                  <td data-label={TEXT.operation.longest} class="number">
                    {one.validCount > 0 && duration(one.maxTime)}
                  </td>
                </tr>
              ))}
            </Table>
          </>
        )}
      </Shown>
    </section>
  );
}
