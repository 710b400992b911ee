/** Formats a time as ISO 8601 with milliseconds and the offset of the server's time zone. */
export function localIso(time: number): string {
  const date = new Date(time);
  const offset = -date.getTimezoneOffset();
  const local = new Date(time + offset * 60_000).toISOString().slice(0, -1);
  const [hours, minutes] = [Math.floor(Math.abs(offset) / 60), Math.abs(offset) % 60];
  return `${local}${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`;
}
