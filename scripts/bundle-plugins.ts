import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, sep } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Ajv, type Options, type ValidateFunction } from 'ajv';
import standalone from 'ajv/dist/standalone/index.js';
import type { Plugin } from 'esbuild';

const clientNode = '@kubernetes/client-node';
const stubNamespace = 'kube-config-stub';
const requiredNamespace = 'required-builtin';

/**
 * What `KubeConfig` imports but never uses here: the generated API models (2,000 files), and connections other than ours.
 * The values are the names that it imports.
 */
const unused: Readonly<Record<string, readonly string[]>> = {
  './gen/index.js': ['createConfiguration', 'ServerConfiguration'],
  './middleware.js': ['setHeaderMiddleware'],
  undici: ['Agent', 'ProxyAgent'],
  hpagent: ['HttpProxyAgent', 'HttpsProxyAgent'],
  socks: ['SocksClient'],
  'socks-proxy-agent': ['SocksProxyAgent'],
};

/**
 * Bundles of `@kubernetes/client-node` nothing but `KubeConfig` with its authenticators: the package's entry point
 * becomes the file that has it, and what that file imports for other purposes becomes functions that say so when called.
 * Importing anything else from the package then fails at build time, which is the point.
 */
export const kubeConfigOnly: Plugin = {
  name: 'kube-config-only',
  setup: (build) => {
    const dist = dirname(fileURLToPath(import.meta.resolve(clientNode)));
    const configFile = join(dist, 'config.js');

    build.onResolve({ filter: /^@kubernetes\/client-node$/ }, () => ({
      path: configFile,
      sideEffects: false,
    }));
    build.onResolve({ filter: /.*/ }, ({ importer, path }) =>
      importer.startsWith(dist + sep) && path in unused ? { path, namespace: stubNamespace } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: stubNamespace }, ({ path }) => ({
      contents: (unused[path] ?? []).map((name) => stub(name, path)).join('\n'),
      loader: 'js',
    }));
  },
};

/**
 * Makes `import … from 'node:http'` a `require`: an import of the module itself asks for all that it exports, and so loads Node's
 * WebSocket client with the whole of its fetch, 4 MiB that an agent never uses.
 */
export const httpByRequire: Plugin = {
  name: 'http-by-require',
  setup: (build) => {
    build.onResolve({ filter: /^node:http$/ }, ({ kind, path }) =>
      kind === 'import-statement' ? { path, namespace: requiredNamespace } : undefined,
    );
    build.onLoad({ filter: /.*/, namespace: requiredNamespace }, ({ path }) => ({
      contents: `module.exports = require(${JSON.stringify(path)});`,
      loader: 'js',
    }));
  },
};

/**
 * Compiles the schemas of each `x-validators.ts` ahead that is made by `compileSchemas`: it exports one record of validators, and becomes the code that Ajv would make
 * when the program starts, with the options that `x-validator-options.ts` beside it exports, if there is one. The agent goes without Ajv then, which is
 * 8 MiB in every pod. Of the configuration's large schema, Ajv makes so many names that V8 gives up sharing hidden classes: see ADR 57.
 */
export const compiledSchemas: Plugin = {
  name: 'compiled-schemas',
  setup: (build) => {
    build.onLoad({ filter: /[\\/]src[\\/].*-validators\.ts$/ }, async ({ path }) => {
      if (!(await readFile(path, 'utf8')).includes('= compileSchemas(')) return undefined;
      const [name, validators] = await onlyExport<Record<string, ValidateFunction>>(path);
      const optionsPath = path.replace(/s\.ts$/, '-options.ts');
      const options = existsSync(optionsPath) ? (await onlyExport<Options>(optionsPath))[1] : {};
      const ajv = new Ajv({ ...options, strict: true, code: { source: true, esm: true } });
      const keys = Object.keys(validators);
      for (const key of keys) ajv.addSchema(validators[key]?.schema as object, key);
      const code = standalone.default(ajv, Object.fromEntries(keys.map((key, at) => [`of${at}`, key])));
      const record = keys.map((key, at) => `${JSON.stringify(key)}: of${at}`).join(', ');
      return {
        contents: `${code}\nexport const ${name} = { ${record} };`,
        loader: 'js',
        resolveDir: dirname(path),
      };
    });
  },
};

async function onlyExport<T>(path: string): Promise<readonly [name: string, value: T]> {
  const module = (await import(pathToFileURL(path).href)) as Record<string, T>;
  const [exported, ...others] = Object.entries(module);
  if (exported === undefined || others.length > 0) throw new Error(`${path}: one export is expected`);
  return exported;
}

/** A function that can be called or constructed, and then throws. */
function stub(name: string, path: string): string {
  const message = `${name} of ${path} is not part of this bundle: only KubeConfig's credentials are`;
  return `export function ${name}() { throw new Error(${JSON.stringify(message)}); }`;
}
