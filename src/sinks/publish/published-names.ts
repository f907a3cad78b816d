import { createHash } from 'node:crypto';

/** Longest name of an object in the API. */
const longest = 253;
const digestLength = 20;

/** Names of the objects that show renders of one configuration: names of a DNS subdomain (RFC 1123), each for one purpose. */
export interface PublishedNames {
  /** Of the HAProxyCfg: `web-haproxycfg`. */
  readonly main: string;
  /** Of the one that shows a refused render: `web-haproxycfg-invalid`. */
  readonly twin: string;
  /** Of a file's object: configuration, the file's own name as far as it fits, and a digest of both that tells it from all others. */
  readonly file: (path: string) => string;
}

export function publishedNames(configuration: string): PublishedNames {
  const known = new Map<string, string>();
  return {
    main: withSuffix(configuration, '-haproxycfg'),
    twin: withSuffix(configuration, '-haproxycfg-invalid'),
    file: (path) => {
      let name = known.get(path);
      if (name === undefined) {
        name = fileName(configuration, path);
        known.set(path, name);
      }
      return name;
    },
  };
}

/** A name that is cut keeps a digest of the whole. */
function withSuffix(configuration: string, suffix: string): string {
  const whole = `${configuration}${suffix}`;
  if (whole.length <= longest) return whole;
  const mark = `-${digestOf(configuration)}${suffix}`;
  return `${trimmed(configuration.slice(0, longest - mark.length))}${mark}`;
}

function fileName(configuration: string, path: string): string {
  const mark = `-${digestOf(configuration, path)}`;
  const base = path.slice(path.lastIndexOf('/') + 1).toLowerCase();
  const slug = trimmed(base.replaceAll(/[^a-z0-9]+/g, '-').slice(0, 60));
  const room = longest - mark.length - (slug === '' ? 0 : slug.length + 1);
  const whose = trimmed(configuration.slice(0, room));
  return `${whose}${slug === '' ? '' : `-${slug}`}${mark}`;
}

/** What a name may neither begin nor end with. */
function trimmed(text: string): string {
  return text.replace(/^[-.]+/, '').replace(/[-.]+$/, '');
}

function digestOf(...parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, digestLength);
}
