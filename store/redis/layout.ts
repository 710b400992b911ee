/**
 * The layout of what lies in Redis: which keys there are, and what stands in them. It has a number, so that a server never reads or
 * writes what it does not understand.
 */
import { ALSO_WHEN_FULL } from './ledger-rules.ts';

/** The layout that this code writes. 2: parts of records are shared, and indexes of an actor stand in its hash. */
export const LAYOUT = 2;

/** Answered by what writes when a newer layout is there. */
export const NEWER_LAYOUT = -2;

/** To be asked before anything else; answers what stands in the way, which layout is there and how many servers know only that. */
export const LAYOUT_SCRIPTS = {
  layout: `
    ${ALSO_WHEN_FULL}
    local S, mine = KEYS[1], tonumber(ARGV[1])
    -- The first layout had no number.
    local stored = tonumber(redis.call('GET', S .. 'layout') or '') or redis.call('EXISTS', S .. 'counters', S .. 'sequences') > 0 and 1 or 0
    if stored > mine then return { 'newer', stored, 0 } end
    local older = 0
    for _, server in ipairs(stored > 0 and redis.call('SMEMBERS', S .. 'w:servers') or {}) do
      local knows = redis.call('HGET', S .. 'w:knows', server)
      local layout = knows and cjson.decode(knows).layout or 1
      if layout < mine and redis.call('EXISTS', S .. 'w:server:' .. server) == 1 then older = older + 1 end
    end
    if older > 0 then return { 'older', stored, older } end
    redis.call('SET', S .. 'layout', mine)
    return { 'mine', mine, 0 }`,
} as const;

/** @throws Error with a sentence when this server may not use what is there */
export function refuseOtherLayout(answer: unknown): void {
  const [what, layout, older] = answer as readonly [string, number, number];
  if (what === 'newer')
    throw new Error(
      `a newer version of Troupe has stored what is there (layout ${layout}, this version knows ${LAYOUT}). Start that version, or take another REDIS_PREFIX`,
    );
  if (what === 'older')
    throw new Error(
      `${older} of the servers that are there know only the layout of an older version of Troupe, and this version would change it (from ${layout} to ${LAYOUT}). Stop them first`,
    );
}
