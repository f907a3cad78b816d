import { CodedError } from '../lib/coded-error.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

/**
 * `:5555` (all addresses), `127.0.0.1:5555`, `[::1]:5555`; port 0 takes a free one.
 *
 * @throws CodedError `HAPTIC_ERR_CLI_USAGE` naming the flag
 */
export function parseListen(text: string, flag: string): ListenAddress {
  const match = /^(\[[0-9A-Fa-f:.]+\]|[^:[\]]*):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (match === null || port > 65_535)
    throw new CodedError('HAPTIC_ERR_CLI_USAGE', `${flag} must be [HOST]:PORT`);
  const host = (match[1] ?? '').replace(/^\[|\]$/g, '');
  return { host: host === '' ? '::' : host, port };
}
