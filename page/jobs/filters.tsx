import { words } from '../kit/format.ts';
import { useGet } from '../kit/load.ts';
import { go, hrefOf } from '../kit/route.ts';
import { pipelineTitle } from '../new/goals.ts';
import type { JobStatus } from './types.ts';
import { TEXT } from '../kit/text.ts';

/** Parameters of the list that are also in the address of the page. */
export const FILTERS = ['status', 'pipelineName', 'externalId', 'label', 'terminal', 'failure'] as const;

const STATUSES: readonly JobStatus[] = [
  'INITIALIZED',
  'IN_PROGRESS',
  'IN_PROGRESS_WARNINGS',
  'IN_PROGRESS_ERRORS',
  'CANCELLING',
  'COMPLETE',
  'COMPLETE_WITH_WARNINGS',
  'ERROR',
  'CANCELLED',
  'CANCELLED_BY_SHUTDOWN',
];

/** The filters of the list. Each choice has an address of its own, so that it can be shared and works with the Back button. */
export function JobFilters({ query }: { readonly query: URLSearchParams }) {
  const pipelines = useGet<readonly { readonly name: string }[]>('rest/pipelines');
  const choose = (name: string, value: string) => {
    const rest = Object.fromEntries([...query].filter(([key]) => key !== 'before'));
    go(hrefOf(['jobs'], { ...rest, [name]: value }));
  };
  const choice = (name: (typeof FILTERS)[number]) => ({
    value: query.get(name) ?? '',
    onChange: (event: { readonly currentTarget: HTMLSelectElement | HTMLInputElement }) =>
      choose(name, event.currentTarget.value),
  });
  const narrowed = FILTERS.some((name) => query.has(name));
  return (
    <form
      class="filters"
      role="search"
      aria-label={TEXT.common.filters}
      onSubmit={(event) => event.preventDefault()}
    >
      <label>
        {TEXT.jobs.state}
        <select {...choice('terminal')}>
          <option value="">{TEXT.jobs.all}</option>
          <option value="false">{TEXT.jobs.inProgress}</option>
          <option value="true">{TEXT.jobs.ended}</option>
        </select>
      </label>
      <label>
        {TEXT.jobs.status}
        <select {...choice('status')}>
          <option value="">{TEXT.jobs.any}</option>
          {STATUSES.map((status) => (
            <option key={status} value={status}>
              {words(status)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {TEXT.common.pipeline}
        <select {...choice('pipelineName')}>
          <option value="">{TEXT.jobs.any}</option>
          {(pipelines.value ?? []).map(({ name }) => (
            <option key={name} value={name}>
              {pipelineTitle(name)}
            </option>
          ))}
        </select>
      </label>
      <label>
        {TEXT.jobs.externalId}
        <input type="search" {...choice('externalId')} />
      </label>
      <label>
        {TEXT.jobs.label}
        <input type="search" {...choice('label')} />
      </label>
      {narrowed && <a href={hrefOf(['jobs'])}>{TEXT.jobs.showAll}</a>}
    </form>
  );
}
