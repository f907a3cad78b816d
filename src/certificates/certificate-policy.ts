import { tlsNames } from '../protocol/tls-names.ts';

export interface CertificatePolicy {
  /** DNS name of the agents' certificate, checked by the controller. */
  readonly serverName: string;
  /** DNS name of the controller's certificate, checked by the agents. */
  readonly clientName: string;
  readonly validityMs: number;
  /** How long the former authority is believed after a new one took over. */
  readonly overlapMs: number;
}

/** A year, with the former authority believed for an hour after its successor took over. */
export const defaultPolicy: CertificatePolicy = {
  serverName: tlsNames.agent,
  clientName: tlsNames.controller,
  validityMs: 365 * 24 * 3_600_000,
  overlapMs: 3_600_000,
};
