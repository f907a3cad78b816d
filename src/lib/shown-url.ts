/** A URL as logs, problems and taps may show it: without user, password, query and fragment, where secrets are put. */
export function shownUrl(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed === undefined) return '(no URL)';
  return `${parsed.origin === 'null' ? parsed.protocol : parsed.origin}${parsed.pathname}${parsed.search === '' ? '' : '?…'}`;
}
