import js from '@eslint/js';
import boundaries from 'eslint-plugin-boundaries';
import rxjsX from 'eslint-plugin-rxjs-x';
import tseslint from 'typescript-eslint';

/**
 * The one-way import rule: a folder may import folders of lower tiers, never a sibling of its own tier.
 * The agent stands apart: it may import `protocol` and `lib` only, so it never loads Kubernetes code.
 */
const tiers = [
  ['lib'],
  ['protocol', 'api', 'collections', 'operators'],
  ['kube', 'templates', 'projections', 'plan', 'gate', 'fleet'],
  ['render', 'config', 'streams', 'sinks', 'certificates'],
  ['pipeline'],
  ['world'],
  ['validation', 'replay'],
  ['webhook', 'server'],
  ['cli', 'sandbox'],
  ['main'],
];

const allowedImports = tiers.flatMap((tier, index) => {
  const below = tiers.slice(0, index).flat();
  return tier.map((from) => ({
    from: { element: { types: from } },
    allow: { to: { element: { types: { anyOf: [...below, from] } } } },
  }));
});

const noWallClock = [
  { name: 'setTimeout', message: 'Use an RxJS timer: marble tests cannot see setTimeout.' },
  { name: 'setInterval', message: 'Use an RxJS timer: marble tests cannot see setInterval.' },
];

const entryPoints = {
  regex: '^(\\.\\./)+(pipeline|main)\\.ts$',
  message: 'Only world and what is above it sit above pipeline.ts, and nothing above main.ts.',
};

const rxRestrictions = [
  ['exhaustMap', 'It forgets the last change while busy: use exhaustMapLatest.'],
  ['groupBy', 'It leaks groups or runs one key twice: use perKeyLatest.'],
  ['shareReplay', 'It never lets go of endless sources: use share with an explicit config.'],
  ['debounceTime', 'It starves under constant change: use debounceMax.'],
].map(([name, message]) => ({ name: 'rxjs', importNames: [name], message }));

const kubernetesClient = {
  name: '@kubernetes/client-node',
  message: 'Only src/kube borrows from it: its models are left out of the bundle there.',
};

export default tseslint.config(
  { ignores: ['dist/**', 'node_modules/**', '.haptic/**', 'coverage/**'] },
  js.configs.recommended,
  ...tseslint.configs.strictTypeChecked.map((config) => ({ ...config, files: ['**/*.ts'] })),
  {
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    plugins: { 'rxjs-x': rxjsX },
    rules: {
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      '@typescript-eslint/no-confusing-void-expression': ['error', { ignoreArrowShorthand: true }],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/prefer-readonly-parameter-types': 'off',
      'max-lines': ['error', { max: 450 }],
      eqeqeq: 'error',
      'no-console': 'error',
      'no-restricted-imports': [
        'error',
        { paths: [...rxRestrictions, kubernetesClient], patterns: [entryPoints] },
      ],
      'rxjs-x/no-async-subscribe': 'error',
      'rxjs-x/no-ignored-error': 'error',
      'rxjs-x/no-ignored-replay-buffer': 'error',
      'rxjs-x/no-nested-subscribe': 'error',
      'rxjs-x/no-sharereplay': 'error',
      'rxjs-x/no-unsafe-takeuntil': 'error',
      'rxjs-x/no-floating-observables': 'error',
    },
  },
  {
    files: ['src/**/*.ts'],
    plugins: { boundaries },
    settings: {
      'boundaries/include': ['src/**/*.ts'],
      'boundaries/elements': [
        ...tiers
          .flat()
          .filter((name) => name !== 'pipeline' && name !== 'main')
          .map((type) => ({ type, pattern: `src/${type}` })),
        { type: 'agent', pattern: 'src/agent' },
        { type: 'page', pattern: 'src/page' },
      ],
    },
    rules: {
      'boundaries/dependencies': [
        'error',
        {
          default: 'disallow',
          policies: [
            ...allowedImports,
            {
              from: { element: { types: 'agent' } },
              allow: { to: { element: { types: { anyOf: ['protocol', 'lib', 'agent'] } } } },
            },
            // It runs in a browser and shares nothing with the rest.
            {
              from: { element: { types: 'page' } },
              allow: { to: { element: { types: { anyOf: ['page'] } } } },
            },
            {
              from: { element: { types: 'cli' } },
              allow: { to: { element: { types: { anyOf: ['agent', 'sandbox'] } } } },
            },
            {
              from: { element: { types: 'sandbox' } },
              allow: { to: { element: { types: { anyOf: ['agent'] } } } },
            },
          ],
        },
      ],
      '@typescript-eslint/consistent-type-assertions': ['error', { assertionStyle: 'as' }],
    },
  },
  {
    files: ['src/{streams,operators,render,gate,sinks,collections}/**/*.ts', 'src/pipeline.ts'],
    rules: {
      'no-restricted-globals': ['error', ...noWallClock],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'Use asyncScheduler.now() or an injected clock.' },
        { object: 'AbortSignal', property: 'timeout', message: 'Use an RxJS timer.' },
      ],
    },
  },
  {
    files: ['src/{world,validation,replay,webhook,server,cli,sandbox}/**/*.ts', 'src/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: [...rxRestrictions, kubernetesClient] }] },
  },
  {
    files: ['src/kube/**/*.ts', 'scripts/**/*.ts'],
    rules: { 'no-restricted-imports': ['error', { paths: rxRestrictions, patterns: [entryPoints] }] },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'max-lines': 'off',
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'rxjs-x/no-ignored-error': 'off',
      'rxjs-x/no-floating-observables': 'off',
    },
  },
  { files: ['scripts/**/*.ts', 'test/bench/**/*.ts'], rules: { 'no-console': 'off' } },
  { files: ['**/*.js'], ...tseslint.configs.disableTypeChecked },
);
