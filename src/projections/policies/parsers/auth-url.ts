import { isPortNumber } from '../../is-port-number.ts';
import { kubernetesName } from '../../kubernetes-name.ts';
import type { Parsed } from '../../parsed.ts';
import { showValue } from '../../show-value.ts';

/** A path of a Service, which decides about requests. */
export interface AuthUrl {
  /** Absent: that of the object that names it. */
  readonly namespace?: string;
  readonly service: string;
  readonly port: string | number;
  /** With its query. */
  readonly path: string;
}

const forms = {
  svc: /^svc:\/\/(?:([a-z0-9-]{1,63})\/)?([a-z0-9-]{1,63}):([a-z0-9-]{1,15})(\/[\x21-\x7e]{0,1023})?$/,
  http: /^http:\/\/([a-z0-9.-]{1,253})(?::(\d{1,5}))?(\/[\x21-\x7e]{0,1023})?$/,
};

/**
 * `svc://[namespace/]service:port/path`, or `http://service[.namespace[.svc…]][:port]/path` as clients in the cluster write it. Other hosts are for nobody to
 * name: a Service of type ExternalName is, where such are allowed.
 */
export function authUrl(text: string): Parsed<AuthUrl> {
  const fault = {
    fault: `must be a path of a Service, such as "svc://auth:80/check" or "http://auth.shop.svc:80/check" (a server elsewhere: by a Service of type ExternalName), not ${showValue(text)}`,
  };
  const parts = text.trim().startsWith('svc://') ? svcParts(text.trim()) : httpParts(text.trim());
  if (parts === undefined) return fault;
  const { namespace, service, port, path } = parts;
  const number = /^\d+$/.test(port) ? Number(port) : undefined;
  const isPort = number === undefined ? kubernetesName.portName(port) : isPortNumber(number);
  if (!isPort || !kubernetesName.label(service)) return fault;
  if (namespace !== undefined && !kubernetesName.label(namespace)) return fault;
  return { value: { ...(namespace !== undefined && { namespace }), service, port: number ?? port, path } };
}

interface Parts {
  readonly namespace?: string | undefined;
  readonly service: string;
  readonly port: string;
  readonly path: string;
}

function svcParts(text: string): Parts | undefined {
  const [whole, namespace, service = '', port = '', path = '/'] = forms.svc.exec(text) ?? [];
  return whole === undefined ? undefined : { namespace, service, port, path };
}

function httpParts(text: string): Parts | undefined {
  const [whole, name = '', port = '80', path = '/'] = forms.http.exec(text) ?? [];
  const [service = '', namespace, svc, ...domain] = name.split('.');
  if (whole === undefined || (svc !== undefined && svc !== 'svc')) return undefined;
  if (domain.length > 0 && domain.join('.') !== 'cluster.local') return undefined;
  return { namespace, service, port, path };
}
