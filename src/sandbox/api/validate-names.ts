/** RFC 1123 label: lower-case letters, digits and `-`, at most 63 characters. */
export function isDnsLabel(text: string): boolean {
  return text.length <= 63 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** RFC 1035 label, as Services are named: a label that starts with a letter. */
export function isDns1035Label(text: string): boolean {
  return text.length <= 63 && /^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(text);
}

/** RFC 1123 subdomain: labels joined by dots, at most 253 characters. */
export function isDnsSubdomain(text: string): boolean {
  return text.length <= 253 && /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text);
}

/** A subdomain whose first label is `*`. */
export function isWildcardSubdomain(text: string): boolean {
  return (
    text.length <= 253 && /^\*\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(text)
  );
}

/** IANA service name, as a port of a pod is called: at most 15 characters, with a letter, no double or outer `-`. */
export function isPortName(text: string): boolean {
  return (
    text.length <= 15 &&
    /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) &&
    /[a-z]/.test(text) &&
    !text.includes('--')
  );
}

/** Key of a label or annotation: an optional DNS prefix, `/`, and a name of at most 63 characters. */
export function isQualifiedName(text: string): boolean {
  const parts = text.split('/');
  const name = parts.pop() ?? '';
  const [prefix, ...more] = parts;
  return (
    more.length === 0 &&
    (prefix === undefined || isDnsSubdomain(prefix)) &&
    name.length <= 63 &&
    /^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name)
  );
}

export function isLabelValue(text: string): boolean {
  return text.length <= 63 && /^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$/.test(text);
}

export const dnsLabelHint =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
export const dns1035Hint =
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for validation is '[a-z]([-a-z0-9]*[a-z0-9])?')";
export const dnsSubdomainHint =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
export const wildcardHint =
  "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character (e.g. '*.example.com', regex used for validation is '\\*\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
