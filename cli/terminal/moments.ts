import { InvalidArgumentError } from 'commander';

/** Parses a time in a medium to milliseconds: seconds (83.5), or with minutes and hours (1:23.5, 1:02:03). */
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

/** A time after the end of any medium that every reader of whole numbers accepts. */
export const END_MS = 2 ** 31 - 1;

/** Returns the time ranges of a job request. Returns no members if the whole medium is meant. */
export function timeRanges(
  from: number | undefined,
  to: number | undefined,
): readonly { readonly start: number; readonly stop: number }[] {
  return from === undefined && to === undefined ? [] : [{ start: from ?? 0, stop: to ?? END_MS }];
}
