import { LineCounter, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../api/kube-object.ts';
import { isRecord } from '../../lib/is-record.ts';

export interface ParsedManifests {
  readonly objects: readonly KubeObject[];
  /** What is wrong with single documents, each with its place: `line 12: metadata.name is missing`. */
  readonly problems: readonly string[];
}

/** Reads Kubernetes objects from YAML or JSON text: documents separated by `---`, `List`s opened, empty documents skipped. */
export function parseManifests(text: string): ParsedManifests {
  const counter = new LineCounter();
  const objects: KubeObject[] = [];
  const problems: string[] = [];
  for (const document of parseAllDocuments(text, { lineCounter: counter })) {
    const place = `line ${counter.linePos(document.range[0]).line}`;
    const [error] = document.errors;
    if (error !== undefined) {
      problems.push(`line ${error.linePos?.[0].line ?? '?'}: ${error.message.split('\n')[0] ?? error.code}`);
      continue;
    }
    // Alias bombs are the library's to refuse: it throws while it resolves them.
    const value = attempt(() => document.toJS() as unknown);
    if (value instanceof Error) problems.push(`${place}: ${value.message}`);
    else if (value !== null && value !== undefined) collect(value, place, objects, problems);
  }
  return { objects, problems };
}

function collect(value: unknown, place: string, objects: KubeObject[], problems: string[]): void {
  if (!isRecord(value)) {
    problems.push(`${place}: a Kubernetes object is a mapping with apiVersion, kind and metadata`);
    return;
  }
  const { apiVersion, kind, items, metadata } = value;
  if (typeof apiVersion !== 'string' || apiVersion === '') problems.push(`${place}: apiVersion is missing`);
  else if (typeof kind !== 'string' || kind === '') problems.push(`${place}: kind is missing`);
  else if (kind.endsWith('List') && Array.isArray(items))
    items.forEach((item, i) => collect(item, `${place}, items[${i}]`, objects, problems));
  else if (!isRecord(metadata) || typeof metadata['name'] !== 'string' || metadata['name'] === '')
    problems.push(`${place}: ${kind}: metadata.name is missing`);
  else objects.push({ ...value, apiVersion, kind, metadata: { ...metadata, name: metadata['name'] } });
}

function attempt<T>(work: () => T): T | Error {
  try {
    return work();
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
}
