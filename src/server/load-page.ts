import { readFile } from 'node:fs/promises';

const types = {
  'index.html': 'text/html',
  'main.js': 'text/javascript',
  'style.css': 'text/css',
} as const;

export type PageFile = keyof typeof types;
export type Page = Readonly<Record<PageFile, { readonly type: string; readonly text: string }>>;

let loaded: Promise<Page> | undefined;

/**
 * The files of the debug page: those beside the built program, or, in a working copy, made of the source. Loaded at the first request, and
 * again after a failure.
 */
export function loadPage(): Promise<Page> {
  loaded ??= read().catch((error: unknown) => {
    loaded = undefined;
    throw error;
  });
  return loaded;
}

async function read(): Promise<Page> {
  const built = await builtScript();
  const folder = built === undefined ? '../page/' : './page/';
  const text = (name: string) => readFile(new URL(`${folder}${name}`, import.meta.url), 'utf8');
  const [html, css, script] = await Promise.all([
    text('index.html'),
    text('style.css'),
    built ?? scriptOfSource(),
  ]);
  const file = (name: PageFile, content: string) => ({ type: types[name], text: content });
  return {
    'index.html': file('index.html', html),
    'main.js': file('main.js', script),
    'style.css': file('style.css', css),
  };
}

async function builtScript(): Promise<string | undefined> {
  try {
    return await readFile(new URL('./page/main.js', import.meta.url), 'utf8');
  } catch {
    return undefined;
  }
}

/** A working copy has what the build has; the name is put together so that no bundler takes it in. */
async function scriptOfSource(): Promise<string> {
  const bundler = ['..', '..', 'scripts', 'bundle-page.ts'].join('/');
  const { bundlePage } = (await import(bundler)) as {
    readonly bundlePage: () => Promise<string>;
  };
  return bundlePage();
}
