import { InvalidArgumentError } from 'commander';

/** A moment of a medium in milliseconds, from seconds (83.5) or minutes and hours before them (1:23.5, 1:02:03). */
export function moment(given: string): number {
  const [, hours = '0', minutes = '0', seconds = ''] =
    /^(?:(?:(\d{1,5}):)?(\d{1,5}):)?(\d{1,9}(?:\.\d{1,9})?)s?$/.exec(given.trim()) ?? [];
  const isClock = given.includes(':');
  const isTime =
    seconds !== '' && !(isClock && Number(seconds) >= 60) && !(hours !== '0' && Number(minutes) >= 60);
  if (!isTime)
    throw new InvalidArgumentError('Write seconds (83.5) or minutes and seconds (1:23.5, 1:02:03).');
  return Math.round((Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000);
}

/** Later than the end of any medium; every reader of whole numbers takes it. */
export const END_MS = 2 ** 31 - 1;

/** What a job request says of it; nothing when all of a medium is meant. */
export function timeRanges(
  from: number | undefined,
  to: number | undefined,
): readonly { readonly start: number; readonly stop: number }[] {
  return from === undefined && to === undefined ? [] : [{ start: from ?? 0, stop: to ?? END_MS }];
}
