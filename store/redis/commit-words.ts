import { actorName } from '../actor-key.ts';
import { json } from '../json.ts';
import type { SharedParts } from '../shared-parts.ts';
import { newCommitId, NotStorable, type Commit } from '../store.ts';
import { keyWords, type Keys } from './changed-keys.ts';
import type { Argument } from './scripts.ts';

/**
 * The arguments of a commit's script, without its work.
 * @param keys whose types the script checks before it writes
 * @throws NotStorable
 */
export function commitWords(commit: Commit, shared: SharedParts, keys: Keys): readonly Argument[] {
  const { actor, expected, after = '', id: commitId = newCommitId(), owner, snapshot } = commit;
  const build = [actorName(actor), actor.id, expected, after, commitId, ...keyWords(keys)];
  const head = [...build, owner.server, owner.epoch, snapshot === null ? 1 : 0];
  if (snapshot === null) return [...head, ...counterWords(commit.counters)];
  const { putRows = [], removeRows = [], index = {}, outbox: { put = [], remove = [] } = {} } = commit;
  const scores = Object.entries(index);
  return [
    ...head,
    ...[snapshot.schema, json(snapshot.body)],
    ...recordWords(commit, shared),
    ...[scores.length, ...scores.flatMap(([name, score]) => [name, score === null ? '' : finite(score)])],
    ...counterWords(commit.counters),
    ...[removeRows.length, ...removeRows],
    ...[putRows.length, ...putRows.flatMap(({ key, body }) => [key, json(body)])],
    ...[remove.length, ...remove],
    ...[
      put.length,
      ...put.flatMap(({ id, destination, due, body }) => [id, destination, finite(due), json(body)]),
    ],
  ];
}

function recordWords({ record, common = [] }: Commit, shared: SharedParts): readonly Argument[] {
  if (record === undefined) return [0, '', 0];
  const { text, parts } = shared.split(record, common);
  return [1, text, parts.length, ...parts.flatMap(([name, part]) => [name, part.hash, part.text])];
}

export function counterWords(counters: Commit['counters'] = {}): readonly Argument[] {
  const entries = Object.entries(counters);
  return [entries.length, ...entries.flat()];
}

function finite(score: number): number {
  if (Number.isNaN(score)) throw new NotStorable('The commit cannot be written: a score is no number.');
  return score;
}
